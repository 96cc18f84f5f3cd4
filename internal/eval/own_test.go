package eval

import (
	"reflect"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
	"remanence/internal/store/sqlitetest"
)

// days is a history of two sessions, a day apart. What the second works on, the
// first has learned something about.
type days struct {
	t     *testing.T
	store *sqlite.Store
	clock time.Time
	n     int
}

func newDays(t *testing.T) *days {
	d := &days{t: t, clock: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	d.store = sqlitetest.Open(t, func() time.Time { return d.clock })
	return d
}

// turn is a prompt, and the memories of its turn.
func (d *days) turn(session, text string, private bool, ms ...mem.Memory) (ids []string) {
	d.t.Helper()
	d.n++
	d.clock = d.clock.Add(time.Minute)
	prompt := "p" + string(rune('0'+d.n))
	e := mem.Event{
		Agent: "claude-code", Kind: mem.UserPromptSubmit, Session: session, PromptID: prompt, At: d.clock,
		Root: "/shop",
	}
	e.Identify(prompt)
	b := mem.Batch{
		Event: &e, Project: &mem.Project{Key: "p_shop", Name: "shop"}, Session: &mem.SessionChange{
			Agent:   "claude-code",
			Project: "p_shop",
		},
		Turn: &mem.TurnChange{Person: true, Text: text, Private: private},
	}
	for _, m := range ms {
		m.Scope, m.Project, m.Session, m.Trust, m.Created = mem.ScopeProject, "p_shop", session, mem.TrustUser, d.clock
		m.Source = mem.Source{Session: session, PromptID: prompt}
		b.Memories = append(b.Memories, m)
	}
	res, err := d.store.Apply(d.t.Context(), b)
	if err != nil {
		d.t.Fatal(err)
	}
	return res[0].IDs
}

func (d *days) exam() map[string]Question {
	d.t.Helper()
	s, err := Own(d.t.Context(), d.store)
	if err != nil || !s.Kept || s.Name != "own" {
		d.t.Fatalf("got %+v, %v", s, err)
	}
	out := map[string]Question{}
	for p, err := range s.Parts {
		if err != nil {
			d.t.Fatal(err)
		}
		for _, q := range p.Questions {
			out[q.Text] = q
		}
	}
	return out
}

func TestLaterWorkAsksForWhatWasLearnedAboutIt(t *testing.T) {
	d := newDays(t)
	first := d.turn(
		"one", "make the gateway client retry", false,
		mem.Memory{Kind: mem.Decision, Title: "jittered backoff", Files: []string{"net/retry.go"}},
		mem.Memory{Kind: mem.ErrorFix, Title: "needs -tags slow", Command: "go test ./net", Files: []string{"net/retry.go"}},
		mem.Memory{Kind: mem.Change, Title: "edited retry.go", Files: []string{"net/retry.go"}},
		mem.Memory{Kind: mem.Fact, Title: "about something else", Files: []string{"db/pool.go"}},
	)
	d.clock = d.clock.Add(24 * time.Hour)
	d.turn("two", "why does the client wait so long?", false,
		mem.Memory{Kind: mem.Change, Title: "edited it again", Files: []string{"net/retry.go"}},
		mem.Memory{Kind: mem.Command, Title: "ran the tests", Command: "go test ./net"})
	d.turn("two", "a secret of mine, long enough", true, mem.Memory{
		Kind: mem.Change, Title: "x",
		Files: []string{"db/pool.go"},
	})
	d.turn("two", "go on", false, mem.Memory{Kind: mem.Change, Title: "y", Files: []string{"db/pool.go"}})

	asked := d.exam()
	q, ok := asked["why does the client wait so long?"]
	if !ok || len(asked) != 2 {
		t.Fatalf("asked %v: want one question for each prompt that asks something and is not private", asked)
	}
	want := map[string]float64{first[0]: gainFile, first[1]: gainCommand}
	if !reflect.DeepEqual(q.Relevant, want) {
		t.Errorf("got %v, want %v: knowledge of the file and the command, not the bare change", q.Relevant, want)
	}
	if q.Project != "p_shop" || !q.Sessions["one"] || len(q.Sessions) != 1 || !q.AsOf.After(d.clock.Add(-time.Hour)) ||
		q.AsOf.After(d.clock) {
		t.Errorf("got %+v, want as of the session's begin", q)
	}
	if q := asked["make the gateway client retry"]; len(q.Relevant) != 0 {
		t.Errorf("got %v for the first session: there was nothing before", q.Relevant)
	}
}

func TestAFileThatMuchIsKnownOfAnswersNothing(t *testing.T) {
	d := newDays(t)
	for i := range common + 1 {
		d.turn("one", "note number x", false, mem.Memory{
			Kind: mem.Fact, Title: string(rune('a' + i)),
			Files: []string{"README.md"},
		})
	}
	d.clock = d.clock.Add(24 * time.Hour)
	d.turn("two", "polish the introduction", false, mem.Memory{
		Kind: mem.Change, Title: "edited",
		Files: []string{"README.md"},
	})
	if q := d.exam()["polish the introduction"]; len(q.Relevant) != 0 {
		t.Errorf("got %d answers, want none", len(q.Relevant))
	}
}
