package engine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"remanence/internal/chars"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/mem"
)

const record = "/home/dev/.claude/projects/shop/one.jsonl"

// filling gives the stage transcripts with this context usage.
func (s *stage) filling(f *mem.ContextUsage) {
	s.ReadContextUsage = func(string) (mem.ContextUsage, error) {
		got := *f
		if got.At.IsZero() {
			got.At = s.clock
		}
		return got, nil
	}
	s.Engine.Reconnect()
}

// works does what is due, as the worker would.
func (s *stage) works() {
	s.t.Helper()
	jobs, err := s.store.Lease(s.t.Context(), mem.JobKinds{}, s.clock, time.Second, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, j := range jobs {
		b, err := s.Work(s.t.Context(), j)
		if err != nil {
			s.t.Fatalf("%s: %v", j.Kind, err)
		}
		b.FinishedJobs = append(b.FinishedJobs, j.ID)
		s.applies(b)
	}
}

// turn is a whole turn, after which the worker had time.
func (s *stage) turn(id, text string) mem.Reply {
	s.t.Helper()
	r := s.play(prompt(id, text))
	e := stop(id, "Done, it is in place now.")
	e.Transcript = record
	s.play(e)
	s.clock = s.clock.Add(time.Minute)
	s.works()
	return r
}

func (s *stage) session(id string) mem.Session {
	s.t.Helper()
	got, err := s.store.Session(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

const asksForHandoff = "checkpoint save --handoff"

func TestHandoffIsRequestedOnceWhenTheContextIsNearlyFull(t *testing.T) {
	s := newStage(t)
	fill := mem.ContextUsage{Tokens: 100_000, Model: "claude-sonnet-4-5"}
	s.filling(&fill)
	s.play(start("startup"))
	for i, step := range []struct {
		tokens int
		want   bool
	}{
		{100_000, false},
		{169_999, false},
		{170_000, false}, // what the turn before left counts
		{175_000, true},
		{180_000, false},
		{190_000, false}, // once
		{101_000, false},
		{199_000, false}, // not below half of it yet
		{99_000, false},
		{171_000, false},
		{171_000, true}, // there was room in between
	} {
		fill.Tokens = step.tokens
		got := s.turn(fmt.Sprint("p", i), "please go on with the shop")
		if asked := strings.Contains(got.Context, asksForHandoff); asked != step.want {
			t.Errorf("step %d, after %d tokens: asked %v, want %v", i, s.session("one").ContextTokens, asked, step.want)
		}
	}
}

func TestHandoffRequestPrecedesTheInjection(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.Program = "/opt/tools/remanence"
	s.Engine.Reconnect()
	fill := mem.ContextUsage{Tokens: 180_000}
	s.filling(&fill)
	s.settings.Budgets.SessionStart = 0
	s.play(in("two", start("startup"))...)
	e := stop("q0", "Done.")
	e.Session, e.Transcript = "two", "/t/two.jsonl"
	s.play(in("two", prompt("q0", "hello there, my friend"))...)
	s.play(e)
	s.clock = s.clock.Add(time.Minute)
	s.works()
	got := s.play(in("two", prompt("q1", "why did two logins race for the session lock?"))...).Context
	asked, injected, found := strings.Cut(got, "\n\n<remanence-context")
	if !found || !strings.HasPrefix(asked, "[Remanence]") || !strings.Contains(injected, "login race") {
		t.Fatalf("order of what is said:\n%s", got)
	}
	wants(t, "request", asked, "/opt/tools/remanence checkpoint save --handoff <<'HANDOFF'", "90 %", "4000 characters",
		"exact next step", "who is waited for", "checkpoint skill")
	wantsNot(t, "request", strings.ToLower(asked), "/compact", "login", "run compact")
	if n := chars.Tokens(asked); n > 200 {
		t.Errorf("%d tokens, 200 at most", n)
	}
}

func TestARequestForAHandoffIsShortWhereverTheProgramIs(t *testing.T) {
	s := newStage(t)
	fill := mem.ContextUsage{Tokens: 1_000_000}
	s.filling(&fill)
	s.Program = "/" + strings.Repeat("very/deep/", 60) + "remanence"
	s.Engine.Reconnect()
	s.play(start("startup"))
	s.turn("p1", "please go on with the shop")
	got := s.turn("p2", "please go on with the shop").Context
	wants(t, "request", got, "\nremanence checkpoint save --handoff")
	if n := chars.Tokens(got); n > 200 {
		t.Errorf("%d tokens, 200 at most", n)
	}
}

func TestNoHandoffIsRequestedWhere(t *testing.T) {
	for name, change := range map[string]func(*stage, *mem.Event){
		"the person wants none":               func(s *stage, _ *mem.Event) { s.settings.Handoff.Threshold = 0 },
		"the profile is silent":               func(s *stage, _ *mem.Event) { s.settings.Profile = event.Silent },
		"recall is off":                       func(s *stage, _ *mem.Event) { s.settings.Budgets.UserPrompt = 0 },
		"injections into this client are off": func(_ *stage, e *mem.Event) { e.InjectionOff = true },
		"the prompt is private":               func(_ *stage, e *mem.Event) { e.Text = "<private>go on</private>" },
		"a subagent is asked":                 func(_ *stage, e *mem.Event) { e.AgentID = "a1" },
		"no person speaks": func(_ *stage, e *mem.Event) {
			e.Text = "<task-notification>done</task-notification>"
		},
		"one of our own commands is given":   func(_ *stage, e *mem.Event) { e.Text = "/remanence:status" },
		"the context was cut just now":       func(s *stage, _ *mem.Event) { s.play(start("compact")) },
		"the window is known to be so large": func(s *stage, _ *mem.Event) { s.settings.Window = 1_000_000 },
	} {
		s := newStage(t)
		fill := mem.ContextUsage{Tokens: 180_000}
		s.filling(&fill)
		s.play(start("startup"))
		s.turn("p1", "please go on with the shop")
		e := prompt("p2", "please go on with the shop")
		change(s, &e)
		if got := s.play(e); strings.Contains(got.Context, "handoff") {
			t.Errorf("%s:\n%s", name, got.Context)
		}
	}
}

func TestThresholdsThatCannotBeAreTheDefault(t *testing.T) {
	for _, share := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 2} {
		s := newStage(t)
		s.settings.Handoff.Threshold, s.settings.Handoff.Rearm = share, share
		fill := mem.ContextUsage{Tokens: 169_000}
		s.filling(&fill)
		s.play(start("startup"))
		s.turn("p1", "please go on with the shop")
		fill.Tokens = 171_000
		early := s.turn("p2", "please go on with the shop").Context
		late := s.turn("p3", "please go on with the shop").Context
		if strings.Contains(early, asksForHandoff) || !strings.Contains(late, asksForHandoff) {
			t.Errorf("%v: asked at 169,000 of 200,000 tokens: %q; at 171,000: %q", share, early, late)
		}
	}
}

func TestTheWindowIsWhatIsKnownBestOfIt(t *testing.T) {
	for name, tt := range map[string]struct {
		set    int
		client int
		model  string
		agent  string // "" is Claude Code
		tokens int
		asked  bool
	}{
		"the person's word": {
			set: 100_000, client: 900_000, model: "claude-opus-5-5", tokens: 86_000,
			asked: true,
		},
		"the client's word":         {client: 100_000, model: "claude-opus-5-5", tokens: 86_000, asked: true},
		"the client's word, larger": {client: 500_000, tokens: 190_000},
		"a model with a large one":  {model: "claude-opus-5-5", tokens: 190_000},
		"a large one by name":       {model: "claude-sonnet-4-5[1m]", tokens: 190_000},
		"any other model":           {model: "claude-haiku-4-5", tokens: 171_000, asked: true},
		"no model at all":           {tokens: 171_000, asked: true},
		"another agent's word": {
			client: 258_400, model: "gpt-5.5", agent: "codex", tokens: 230_000,
			asked: true,
		},
		"another agent, and a known model":         {model: "gemini-2.5-pro", agent: "gemini", tokens: 860_000, asked: true},
		"another agent, nothing known":             {model: "gpt-5.4", agent: "copilot", tokens: 199_000},
		"more tokens than the window of the model": {model: "claude-haiku-4-5", tokens: 300_000},
	} {
		s := newStage(t)
		s.settings.Window, s.agent = tt.set, tt.agent
		fill := mem.ContextUsage{Tokens: tt.tokens, Window: tt.client, Model: strings.TrimSuffix(tt.model, "[1m]")}
		s.filling(&fill)
		e := start("startup")
		e.Model = tt.model
		s.play(e)
		s.turn("p1", "please go on with the shop")
		if got := s.turn("p2", "please go on with the shop").Context; strings.Contains(got, asksForHandoff) != tt.asked {
			t.Errorf("%s: asked %v, want %v", name, !tt.asked, tt.asked)
		}
	}
}

func TestWhereAClientCutsEarlyIsLearnedForItsModel(t *testing.T) {
	s := newStage(t)
	fill := mem.ContextUsage{Tokens: 9_000, Model: "claude-opus-5-5", AutoCompactTokens: 67_000}
	s.filling(&fill)
	s.play(start("startup"))
	s.turn("p1", "please go on with the shop") // which was cut by the client itself
	for _, step := range []struct {
		session, model string
		tokens         int
		asked          bool
	}{
		{"two", "claude-opus-5-5", 61_000, false}, // below 0.92 of it
		{"three", "claude-opus-5-5", 62_000, true},
		{"four", "claude-haiku-4-5", 62_000, false}, // another model
	} {
		fill = mem.ContextUsage{Tokens: step.tokens, Model: step.model}
		s.play(in(step.session, start("startup"), prompt("x1", "please go on with the shop"))...)
		e := stop("x1", "Done.")
		e.Session, e.Transcript = step.session, "/t/"+step.session+".jsonl"
		s.play(e)
		s.clock = s.clock.Add(time.Minute)
		s.works()
		got := s.play(in(step.session, prompt("x2", "please go on with the shop"))...).Context
		if strings.Contains(got, asksForHandoff) != step.asked {
			t.Errorf("%s at %d tokens: asked %v, want %v", step.model, step.tokens, !step.asked, step.asked)
		}
		if !step.asked {
			continue
		}
		e.PromptID = "x2" // and it goes on at the same height
		s.play(e)
		s.clock = s.clock.Add(time.Minute)
		s.works()
		if got := s.play(in(step.session, prompt("x3", "please go on with the shop"))...).Context; strings.Contains(got,
			asksForHandoff) {
			t.Error("asked again though there was no room in between")
		}
	}
}

func TestATinyCompactionTeachesNothing(t *testing.T) {
	s := newStage(t)
	fill := mem.ContextUsage{Tokens: 5_000, Model: "m", AutoCompactTokens: 1_000}
	s.filling(&fill)
	s.play(start("startup"))
	s.turn("p1", "please go on with the shop")
	if got := s.turn("p2", "please go on with the shop").Context; strings.Contains(got, asksForHandoff) {
		t.Errorf("asked at 5,000 tokens:\n%s", got)
	}
}

func TestTheContextIsNotLookedAtMoreOftenThanWanted(t *testing.T) {
	s := newStage(t)
	looks := 0
	s.ReadContextUsage = func(string) (mem.ContextUsage, error) {
		looks++
		return mem.ContextUsage{Tokens: 10, At: s.clock}, nil
	}
	s.Engine.Reconnect()
	s.play(start("startup"), prompt("p1", "please go on with the shop"))
	for i := range 60 { // one a second
		e := ran("p1", fmt.Sprint("t", i), "true", "")
		e.Transcript = record
		s.play(e)
		s.works()
	}
	if looks < 3 || looks > 5 {
		t.Errorf("looked %d times in a minute, want one in 12 seconds", looks)
	}
}

func TestATranscriptThatCannotBeReadIsNoTrouble(t *testing.T) {
	for name, fails := range map[string]error{"not there yet": fs.ErrNotExist, "not readable": errors.New("no")} {
		s := newStage(t)
		s.ReadContextUsage = func(string) (mem.ContextUsage, error) { return mem.ContextUsage{}, fails }
		s.Engine.Reconnect()
		s.play(start("startup"))
		s.turn("p1", "please go on with the shop")
		if n := s.session("one").ContextTokens; n != 0 {
			t.Errorf("%s: %d tokens", name, n)
		}
	}
}

func TestWhatWasReadBeforeACompactionDoesNotAskAfterIt(t *testing.T) {
	s := newStage(t)
	late := s.clock.Add(2 * time.Second) // of the message, before the compaction
	fill := mem.ContextUsage{Tokens: 190_000, At: late}
	s.filling(&fill)
	s.play(start("startup"), prompt("p1", "please go on with the shop"))
	e := stop("p1", "Done.")
	e.Transcript = record
	s.play(e, mem.Event{Kind: mem.PreCompact, Source: "auto"}, start("compact"))
	s.clock = s.clock.Add(time.Minute)
	s.works()
	if got := s.play(prompt("p2", "please go on with the shop")).Context; strings.Contains(got, asksForHandoff) {
		t.Errorf("asked for a handoff by the context before the compaction:\n%s", got)
	}
}

func TestAResumedSessionIsAsFullAsTheClientSays(t *testing.T) {
	for _, tt := range []struct {
		tokens, window int64
		want           int
	}{
		{180_000, 0, 180_000}, {5, 1_000_000, 5}, {0, 0, 7}, {-1, -1, 7}, {1 << 62, 1 << 62, 7},
	} {
		s := newStage(t)
		s.play(start("startup"))
		s.applies(mem.Batch{ContextUsage: []mem.ContextUsage{{Session: "one", Tokens: 7}}})
		e := start("resume")
		e.Tokens, e.Window = tt.tokens, tt.window
		s.play(e)
		if got := s.session("one"); got.ContextTokens != tt.want || got.ContextWindow != int(max(0, tt.window%(1<<62))) {
			t.Errorf("the event reports %d tokens of %d: the session has %d of %d", tt.tokens, tt.window, got.ContextTokens,
				got.ContextWindow)
		}
	}
}

func TestStatusSaysHowFullTheContextIsAndWhatWasLearned(t *testing.T) {
	s := newStage(t)
	at := shop
	s.play(start("startup"))
	if o, err := s.Views.Status(t.Context(), at); err != nil || o.Context != nil {
		t.Errorf("before anything is known: %+v, %v", o.Context, err)
	}
	fill := mem.ContextUsage{Tokens: 9_000, Model: "claude-opus-5-5", AutoCompactTokens: 67_000}
	s.filling(&fill)
	s.turn("p1", "please go on with the shop")
	o, err := s.Views.Status(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	want := continuity.ContextUsage{
		Tokens: 9_000, Window: 1_000_000, Model: "claude-opus-5-5", AutoCompactAt: 67_000,
		HandoffAt: 61_640,
	}
	if o.Context == nil || *o.Context != want {
		t.Errorf("got %+v, want %+v", o.Context, want)
	}
}

func TestTranscriptWithoutUsageKeepsTheReadingAndIsNotReadAgainAtOnce(t *testing.T) {
	s := newStage(t)
	looks := 0
	fill := mem.ContextUsage{Tokens: 180_000}
	s.ReadContextUsage = func(string) (mem.ContextUsage, error) { looks++; return fill, nil }
	s.Engine.Reconnect()
	s.play(start("startup"))
	s.turn("p1", "please go on with the shop")
	fill = mem.ContextUsage{}
	s.settings.Handoff.Threshold = 0
	s.turn("p2", "please go on with the shop")
	e := ran("p2", "t1", "true", "")
	e.Transcript = record
	s.play(e)
	s.clock = s.clock.Add(5 * time.Second)
	s.works()
	if n := s.session("one").ContextTokens; n != 180_000 || looks != 2 {
		t.Errorf("%d tokens after %d looks, want those of the first of 2", n, looks)
	}
}

func TestDirectiveAndInjectionStayWithinTheClientsLimit(t *testing.T) {
	s := newStage(t)
	fill := mem.ContextUsage{Tokens: 180_000}
	s.filling(&fill)
	s.settings.Budgets.UserPrompt, s.settings.Budgets.Compact = 100_000, 0
	s.play(start("startup"), prompt("p1", "run them all"))
	answer := ""
	for i := range 20 {
		long := strings.Repeat(fmt.Sprintf("pace%d ", i), 30)
		s.play(failed("p1", fmt.Sprint("t", i), "sh lamp.sh "+long, "Exit code 3\nlamp: "+long),
			edited("p1", fmt.Sprint("u", i), "/home/dev/shop/"+strings.ReplaceAll(long, " ", "/")+"lamp.go", "a", "b"))
		answer += fmt.Sprintf("Lamp number %d turns %s. ", i, strings.Repeat("fast ", 20))
	}
	evs := summarized("Things were done.")
	e := stop("p1", answer)
	e.Transcript = record
	late := stop("p1", "Once more.")
	late.Transcript = record
	s.play(e, evs[0], evs[1], late)
	s.clock = s.clock.Add(time.Minute)
	s.works()
	s.play(evs[2])
	got := s.play(prompt("p2", "ok")).Context
	if len(got) > 8<<10 || len(got) < 7<<10 || !strings.Contains(got, asksForHandoff) {
		t.Errorf("%d bytes, want nearly %d:\n%s", len(got), 8<<10, got)
	}
}

func TestAFullSessionBudgetDoesNotPreventAHandoffRequest(t *testing.T) {
	s := newStage(t)
	fill := mem.ContextUsage{Tokens: 180_000}
	s.filling(&fill)
	s.settings.SessionTokens = 1
	s.play(bugHunt()...)
	s.turn("p2", "please go on with the shop")
	if got := s.turn("p3", "please go on with the shop").Context; !strings.Contains(got, asksForHandoff) {
		t.Errorf("not asked:\n%s", got)
	}
}
