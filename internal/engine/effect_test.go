package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// effectOf evaluates the shop.
func (s *stage) effectOf(days int) views.EffectResponse {
	s.t.Helper()
	got, err := s.Views.Effect(s.t.Context(), views.EffectRequest{ProjectRef: shop, Days: days})
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func measureOf(t *testing.T, r views.EffectResponse, name string) views.EffectMeasure {
	t.Helper()
	i := slices.IndexFunc(r.Measures, func(m views.EffectMeasure) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no measure %s", name)
	}
	return r.Measures[i]
}

// labours plays a session that asks, reads and fails.
func (s *stage) labours(session, question string, reads ...string) {
	s.inSession = session
	s.play(start("startup"), prompt("p-"+session, question),
		failed("p-"+session, "f-"+session, "go test ./retry", clockError))
	for i, file := range reads {
		s.play(tool(mem.PostToolUse, "p-"+session, fmt.Sprint("r", i, session), "Read",
			map[string]any{"file_path": file}, nil))
	}
	s.play(stop("p-"+session, "It fails."))
	s.clock = s.clock.Add(24 * time.Hour)
}

// uses reports that a session used a memory that another one learned.
func (s *stage) uses(session string) {
	s.t.Helper()
	ms := must(s.store.List(s.t.Context(), mem.Query{Within: "*", Kinds: []mem.Kind{mem.Convention}}))
	use := mem.Use{Turn: session + "/p"}
	must(s.store.Apply(s.t.Context(), mem.Batch{Edits: []mem.Edit{{ID: ms[0].ID, Used: 1, UsedIn: use}}}))
}

func TestSessionsThatWereReadInAreCountedButNotCompared(t *testing.T) {
	s := newStage(t)
	for _, source := range []string{mem.Backfilled, mem.Imported} {
		s.play(in(source, start(source), prompt("p"+source, "which retry policy does the shop use?"))...)
	}
	s.play(in("unasked", start(mem.Backfilled))...)
	if got, want := s.effectOf(7).Sessions, (views.EffectSessions{Past: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestTheEffectCountsWhatHappensAgain(t *testing.T) {
	s := newStage(t)
	s.inSession = "zero"
	s.play(start("startup"), prompt("p0", "From now on we use table tests in this repo."), stop("p0", "Good."))
	s.labours("one", "which retry policy does the shop use?", "/home/dev/shop/retry.go")
	s.labours("two", "Which retry policy does the shop use?", "/home/dev/shop/retry.go", "/home/dev/shop/clock.go")
	s.labours("three", "why does the invoice round prices up?", "/home/dev/shop/retry.go")
	s.uses("two")
	began := s.clock.AddDate(0, 0, -2)
	s.takes(curate.ImportRequest{Sessions: []curate.ImportedSession{{
		ID: "c-1", Project: s.session("one").Project, Began: began,
		Prompts: []curate.ImportedPrompt{{Text: "which retry policy does the shop use?", At: began}},
	}}})
	got := s.effectOf(0)
	if got.Days != views.EffectDays || got.Sessions.Used != 1 || got.Sessions.Given+got.Sessions.None != 3 {
		t.Errorf("in %d days %+v, want one session of four with a use", got.Days, got.Sessions)
	}
	for name, want := range map[string]string{
		views.EffectFailures:  "1/1 and 1/2",
		views.EffectQuestions: "1/1 and 0/2",
		views.EffectReads:     "1/2 and 1/2",
	} {
		m := measureOf(t, got, name)
		if have := fmt.Sprintf("%d/%d and %d/%d", m.Used.Part, m.Used.Of, m.Others.Part, m.Others.Of); have != want {
			t.Errorf("%s: %s, want %s", name, have, want)
		}
		if m.Verdict != views.EffectTooFew || m.Low != 0 || m.High != 0 {
			t.Errorf("%s: says %s of one session", name, m.Verdict)
		}
	}
	if all := strings.Join(got.Limits, " "); !strings.Contains(all, "does not show that memory caused a difference") {
		t.Errorf("the limits are %q", all)
	}
	s.clock = s.clock.Add(40 * 24 * time.Hour)
	s.labours("four", "why does the invoice round prices up?", "/home/dev/shop/retry.go")
	if m := measureOf(t, s.effectOf(7), views.EffectReads); m.Others.Of != 1 || m.Others.Part != 0 {
		t.Errorf("what is more than 30 days ago counts as before: %+v", m.Others)
	}
}
