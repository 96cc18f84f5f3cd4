package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/propose"
	"remanence/internal/redact"
	"remanence/internal/store/sqlite"
)

// What the shop's program is made of, and what can be found out about it.
var (
	areas = []string{
		"checkout", "invoice", "shipping", "catalogue", "loyalty", "returns", "payroll", "supplier", "coupon", "ledger",
		"warehouse", "newsletter",
	}
	partNames = []string{
		"gateway", "exporter", "scheduler", "importer", "cache", "parser", "mailer", "indexer", "validator", "planner",
		"printer", "throttle", "archive", "dashboard",
	}
	claims = []string{
		"drops every connection that idles longer than ninety seconds",
		"rounds half to even because the accountants insisted on it",
		"must be restarted after the certificates were rotated",
		"reads local dates and stores them as UTC",
		"writes a temporary file first and renames it afterwards",
		"needs the staging credentials when its tests run in CI",
		"retries three times with jitter before it gives up",
		"keeps its locks in redis, never in the database",
		"fails when two workers share one scratch directory",
		"is tested against a recorded transcript instead of the live vendor",
	}
	leads = []string{
		"Gotcha: the %s.", "Watch out: the %s.", "Decision: the %s.", "Convention here: the %s.",
		"The root cause was that the %s.", "Note that the %s.",
	}
	again = []string{"as before", "still", "as noted earlier", "in production too"}
)

// topic is one thing that can be learned.
type topic struct{ area, part, claim int }

func (t topic) subject() string { return areas[t.area] + " " + partNames[t.part] }
func (t topic) said() string    { return t.subject() + " " + claims[t.claim] }

// question asks for it in words of its own.
func (t topic) question() string {
	words := strings.Fields(claims[t.claim])
	return fmt.Sprintf("what do we know about the %s, it %s %s", t.subject(), words[0],
		strings.Join(words[len(words)-3:], " "))
}

// world is the person, the agent and the clock.
type world struct {
	engine       *engine.Engine
	store        *sqlite.Store
	random       *rand.Rand
	clock        time.Time
	step         time.Duration // between two sessions
	consolidates bool
	learned      []topic // in the order in which they came up first
	at           map[topic]time.Time
	events       int
	// prompts since the last look that came back to what an earlier session learned, and those that got it
	needed, met int
	injectedNow string   // into the session that is played
	habits      []habit  // what the person says again and again
	regular     []errand // that come up in every sixth session
	guide       string   // the project's AGENTS.md
}

// habit is an instruction that the person gives in some sessions, in one of several wordings.
type habit struct {
	wordings     []string
	every, until int // said in every so many sessions, before that one; until 0 means to the end
	from         int
}

// errand is work for which a memory with some words is needed each time.
type errand struct{ prompt, words string }

// said returns the wording in a session; empty if it is not said there.
func (h habit) said(n int) string {
	if n < h.from || h.until > 0 && n >= h.until || (n-h.from)%h.every != 0 {
		return ""
	}
	return h.wordings[(n-h.from)/h.every%len(h.wordings)]
}

var shop = mem.Project{Key: "p_shop", Name: "retail", Root: "/home/dev/retail"}

func newWorld(ctx context.Context, path string, seed uint64, sessions int, consolidates bool) (*world, error) {
	w := &world{
		random: rand.New(rand.NewPCG(seed, seed)), clock: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC),
		consolidates: consolidates, at: map[topic]time.Time{},
		step: 365 * 24 * time.Hour / time.Duration(sessions),
	}
	now := func() time.Time { return w.clock }
	st, err := sqlite.Open(ctx, sqlite.Config{Path: path, Now: now})
	if err != nil {
		return nil, err
	}
	w.store = st
	settings := event.Defaults(event.Lean)
	w.engine = engine.New(engine.Config{
		Store: st, Redactor: &redact.Redactor{Key: []byte("k")}, Now: now, Secret: []byte("secret"), Slack: time.Minute,
		Settings: func() event.Settings {
			return settings
		},
		Project: func(string) (mem.Project, error) { return shop, nil },
		Instructed: func(_ mem.Project, _ string, _ time.Time, m mem.Memory) bool {
			_, says := propose.Parse(w.guide).Says(extract.ClaimOf(m))
			return says
		},
		Rel: func(_ mem.Project, file string) string { return strings.TrimPrefix(file, shop.Root+"/") },
	})
	return w, nil
}

// year plays the sessions and looks every few of them.
func (w *world) year(ctx context.Context, sessions, every int) ([]look, error) {
	var out []look
	begin := w.clock
	for n := range sessions {
		w.clock = begin.Add(time.Duration(n) * w.step)
		if err := w.session(ctx, n, sessions); err != nil {
			return nil, fmt.Errorf("session %d: %w", n, err)
		}
		if err := w.idle(ctx); err != nil {
			return nil, fmt.Errorf("after session %d: %w", n, err)
		}
		if (n+1)%every == 0 {
			l, err := w.look(ctx, n+1)
			if err != nil {
				return nil, err
			}
			out = append(out, l)
		}
	}
	return out, nil
}

// area is what a session is about: work moves on from one to the next over the
// year, and now and then comes back to an earlier one.
func (w *world) area(n, sessions int) int {
	at := n * len(areas) / sessions
	if at > 0 && w.random.IntN(5) == 0 {
		return w.random.IntN(at)
	}
	return at
}

// session is one conversation: some prompts, each with the work that it takes.
func (w *world) session(ctx context.Context, n, sessions int) error {
	id := fmt.Sprintf("session-%03d", n)
	area := w.area(n, sessions)
	briefing, err := w.give(ctx, mem.Event{Kind: mem.SessionStart, Session: id, Source: "startup"})
	if err != nil {
		return err
	}
	for _, h := range w.habits {
		if text := h.said(n); text != "" {
			if _, err := w.give(ctx, mem.Event{
				Kind: mem.UserPromptSubmit, Session: id, PromptID: fmt.Sprint(id, "-habit-", w.events), Text: text,
			}); err != nil {
				return err
			}
		}
	}
	for i, e := range w.regular {
		if n%6 == i+1 {
			if err := w.run(ctx, id, briefing.Context, e); err != nil {
				return err
			}
		}
	}
	w.injectedNow = briefing.Context
	for p := range 4 + w.random.IntN(3) {
		if err := w.turn(ctx, id, fmt.Sprintf("%s-p%d", id, p), area); err != nil {
			return err
		}
	}
	_, err = w.give(ctx, mem.Event{Kind: mem.SessionEnd, Session: id, Source: "prompt_input_exit"})
	return err
}

// turn is one prompt. What was learned before is met again, and said again in
// other words, every third time.
func (w *world) turn(ctx context.Context, session, id string, area int) error {
	t := topic{area, w.random.IntN(len(partNames)), w.random.IntN(len(claims))}
	if old := w.of(area); len(old) > 0 && w.random.IntN(3) == 0 {
		t = old[w.random.IntN(len(old))]
	}
	reply, err := w.give(ctx, mem.Event{
		Kind: mem.UserPromptSubmit, Session: session, PromptID: id,
		Text: "please look into the " + t.subject() + ": " + claims[t.claim],
	})
	if err != nil {
		return err
	}
	w.injectedNow += reply.Context
	if at, known := w.at[t]; known && w.clock.Sub(at) > 24*time.Hour {
		w.needed++
		if strings.Contains(w.injectedNow, t.said()) {
			w.met++
		}
	}
	for i := range 9 + w.random.IntN(6) {
		if _, err := w.give(ctx, w.call(session, id, i, t)); err != nil {
			return err
		}
	}
	_, err = w.give(ctx, mem.Event{Kind: mem.Stop, Session: session, PromptID: id, Text: w.answer(t, reply.Context)})
	return err
}

// run is an errand: the agent names the memory that helped.
func (w *world) run(ctx context.Context, session, briefing string, e errand) error {
	id := fmt.Sprint(session, "-errand-", w.events)
	reply, err := w.give(ctx, mem.Event{Kind: mem.UserPromptSubmit, Session: session, PromptID: id, Text: e.prompt})
	if err != nil {
		return err
	}
	text := "It works."
	for line := range strings.SplitSeq(briefing+"\n"+reply.Context, "\n") {
		if _, rest, found := strings.Cut(line, "- m_"); found && strings.Contains(line, e.words) {
			memory, _, _ := strings.Cut(rest, ",")
			text = "It works. As m_" + memory + " says, this was known."
			break
		}
	}
	_, err = w.give(ctx, mem.Event{Kind: mem.Stop, Session: session, PromptID: id, Text: text})
	return err
}

// of are the topics of an area that are known.
func (w *world) of(area int) []topic {
	var out []topic
	for _, t := range w.learned {
		if t.area == area {
			out = append(out, t)
		}
	}
	return out
}

// answer says what was found out, and names the memory that helped.
func (w *world) answer(t topic, context string) string {
	said := t.said()
	if _, known := w.at[t]; known {
		said += " " + again[w.random.IntN(len(again))]
	} else {
		w.learned, w.at[t] = append(w.learned, t), w.clock
	}
	text := fmt.Sprintf(leads[w.random.IntN(len(leads))], said)
	for line := range strings.SplitSeq(context, "\n") {
		_, rest, found := strings.Cut(line, "m_")
		if found && strings.Contains(line, t.subject()) && strings.Contains(line, claims[t.claim]) {
			text += " As m_" + strings.TrimRight(strings.FieldsFunc(rest, func(r rune) bool {
				return (r < 'a' || r > 'z') && (r < '0' || r > '9')
			})[0], ".,") + " says, this was known."
			break
		}
	}
	return text + " The change is in and its tests pass."
}

// call is one use of a tool.
func (w *world) call(session, prompt string, i int, t topic) mem.Event {
	file := fmt.Sprintf("%s/%s/%s_%d.go", shop.Root, areas[t.area], partNames[t.part], w.random.IntN(6))
	e := mem.Event{Kind: mem.PostToolUse, Session: session, PromptID: prompt, ToolUseID: fmt.Sprintf("%s-%d", prompt, i)}
	in, out := map[string]any{"file_path": file}, map[string]any{"ok": true}
	switch w.random.IntN(4) {
	case 0:
		e.Tool = "Edit"
		in["old_string"], in["new_string"] = "retry := 1", fmt.Sprintf("retry := %d", w.random.IntN(9))
	case 1:
		e.Tool = "Bash"
		in, out = map[string]any{"command": "go test ./" + areas[t.area] + "/..."}, map[string]any{"stdout": "ok  \tretail/" +
			areas[t.area] + "\t0.2s"}
	default:
		e.Tool = "Read"
	}
	e.Input, _ = json.Marshal(in)
	e.Response, _ = json.Marshal(out)
	return e
}

func (w *world) give(ctx context.Context, e mem.Event) (mem.Reply, error) {
	w.events++
	w.clock = w.clock.Add(7 * time.Second)
	e.Agent, e.At, e.Root = "claude-code", w.clock, shop.Root
	e.Identify(fmt.Sprint("n", w.events))
	return w.engine.Handle(ctx, e)
}

// idle does what the worker does between two sessions: the jobs that are due,
// and letting go of what is too old.
func (w *world) idle(ctx context.Context) error {
	w.clock = w.clock.Add(time.Hour)
	for {
		jobs, err := w.store.Lease(ctx, mem.JobKinds{}, w.clock, time.Minute, 1)
		if err != nil || len(jobs) == 0 {
			return err
		}
		b := mem.Batch{}
		if w.consolidates || jobs[0].Kind != event.JobConsolidate {
			if b, err = w.engine.Work(ctx, jobs[0]); err != nil {
				return fmt.Errorf("job %s: %w", jobs[0].Kind, err)
			}
		}
		b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
		if _, err := w.store.Apply(ctx, b); err != nil {
			return err
		}
	}
}

// letGo is what the worker does once a day.
func (w *world) letGo(ctx context.Context) error {
	for next := int64(0); ; {
		gone, err := w.engine.Curate.ApplyRetention(ctx, next, false)
		if err != nil || !gone.More {
			return err
		}
		next = gone.Next
	}
}
