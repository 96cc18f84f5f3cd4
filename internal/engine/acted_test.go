package engine_test

import (
	"testing"

	"remanence/internal/mem"
)

// injects stores two memories of session one, one of a file and one of a command, and a receipt of both in session two.
func injects(s *stage) (ofFile, ofCommand string) {
	s.play(start("startup"), prompt("p1", "why is the queue slow?"))
	s.play(in("two", start("startup"), prompt("q1", "now the export, please"))...)
	of := func(m mem.Memory) mem.Memory {
		m.Scope, m.Project, m.Session, m.Trust, m.Resolved = mem.ScopeProject, "p_shop", "one", mem.TrustAssistant, true
		return m
	}
	must(s.store.Apply(s.t.Context(), mem.Batch{Memories: []mem.Memory{
		of(mem.Memory{
			Kind: mem.Gotcha, Title: "maxOpenFiles of the pool is per process", Files: []string{"queue/pool.go"},
		}),
		of(mem.Memory{
			Kind: mem.ErrorFix, Title: "`make e2e` failed, done by `make e2e-web`", Body: "make e2e-web", Command: "make e2e",
		}),
	}}))
	ms := must(s.store.List(s.t.Context(), mem.Query{Session: "one", Within: "*", Order: mem.Oldest}))
	r := mem.Receipt{
		ID: "r_77777777", Event: "e_77777777", Session: "two", At: s.clock, Trigger: "prompt", Outcome: mem.Injected,
	}
	for _, m := range ms {
		r.Items = append(r.Items, mem.InjectedItem{ID: m.ID, Kind: m.Kind, Title: m.Title, Tokens: 10})
	}
	must(s.store.Apply(s.t.Context(), mem.Batch{Receipts: []mem.Receipt{r}}))
	return ms[0].ID, ms[1].ID
}

func TestAnEditThatNamesWhatAnInjectedMemorySaysIsAUse(t *testing.T) {
	s := newStage(t)
	id, _ := injects(s)
	uses := func() []mem.Use { return must(s.store.List(t.Context(), mem.Query{IDs: []string{id}}))[0].UsedIn }
	for name, e := range map[string]mem.Event{
		"another place": edited("q1", "t1", "/home/dev/shop/queue/pool.go", "return nil", "return err"),
		"another file":  edited("q1", "t2", "/home/dev/shop/queue/list.go", "maxOpenFiles = 3", "maxOpenFiles = 4"),
	} {
		s.play(in("two", e)...)
		if got := uses(); len(got) != 0 {
			t.Errorf("an edit of %s is a use: %+v", name, got)
		}
	}
	s.play(in("two", edited("q1", "t3", "/home/dev/shop/queue/pool.go", "maxOpenFiles = 3", "maxOpenFiles = 9"))...)
	got := uses()
	if len(got) != 1 || got[0].How != mem.Edited || got[0].File != "queue/pool.go" || got[0].Turn != "two/q1" {
		t.Errorf("uses %+v, want one of the edit", got)
	}
}

func TestACommandThatAnInjectedMemoryNamesIsAUse(t *testing.T) {
	for name, tt := range map[string]struct {
		before []mem.Event
		want   int
	}{
		"at once":                 {nil, 1},
		"after it failed as said": {[]mem.Event{failed("q1", "t1", "make e2e", "no such target")}, 0},
		"after it failed unseen":  {[]mem.Event{ran("q1", "t1", "make e2e | tail", "no such target")}, 0},
	} {
		s := newStage(t)
		_, id := injects(s)
		s.play(in("two", append(tt.before, ran("q1", "t2", "make e2e-web", "ok"))...)...)
		got := must(s.store.List(t.Context(), mem.Query{IDs: []string{id}}))[0].UsedIn
		if len(got) != tt.want || tt.want == 1 && got[0].How != mem.Ran {
			t.Errorf("%s: uses %+v, want %d", name, got, tt.want)
		}
	}
}
