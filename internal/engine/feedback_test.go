package engine_test

import (
	"errors"
	"strings"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

func (s *stage) says(id, verdict, note, agent string) error {
	s.t.Helper()
	_, err := s.Curate.Feedback(s.t.Context(), curate.FeedbackRequest{
		IDs: []string{id}, Verdict: verdict, Note: note,
		Agent: agent,
	})
	return err
}

func TestAMistakeThatWasPreventedIsNamedAndCountsOnce(t *testing.T) {
	s := newStage(t)
	id := s.add("never push to main of the shop")[0]
	if err := s.says(id, curate.PreventedMistake, "  ", ""); !errors.Is(err, curate.ErrNoNote) {
		t.Errorf("without a mistake: got %v", err)
	}
	if err := s.says(id, curate.PreventedMistake, "<private>x</private>", ""); !errors.Is(err, curate.ErrNoNote) {
		t.Errorf("with a private one: got %v", err)
	}
	for _, note := range []string{
		"would have pushed the `fix` to main", "Would have pushed the fix to main",
		"would have tagged main",
	} {
		if err := s.says(id, curate.PreventedMistake, note, ""); err != nil {
			t.Fatal(err)
		}
	}
	m := s.memory(id)
	if m.Prevented != 2 || len(m.Feedback) != 2 || m.Feedback[1].Note != "would have tagged main" ||
		m.Feedback[1].By != mem.FromUserCommand {
		t.Errorf("got %d, %+v", m.Prevented, m.Feedback)
	}
}

func TestAnAgentsWordDoesNotHideWhatAPersonKeeps(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "what about the gateway of the shop?"))
	ids := s.add("the gateway listens on port 8080", "the gateway listens on port 9090")
	for i, agent := range []string{"one", ""} {
		if err := s.says(ids[i], curate.Wrong, "it is 7070", agent); err != nil {
			t.Fatal(err)
		}
	}
	if m := s.memory(ids[0]); m.Status != mem.Active || m.Confidence >= 0.5 || m.Feedback[0].Session != "one" {
		t.Errorf("by an agent: got %s, confidence %v, %+v", m.Status, m.Confidence, m.Feedback)
	}
	if m := s.memory(ids[1]); m.Status != mem.Forgotten {
		t.Errorf("by the person: got %s", m.Status)
	}
	if err := s.says(ids[0], "great", "", ""); !errors.Is(err, curate.ErrNoVerdict) {
		t.Errorf("got %v", err)
	}
}

func TestAnOrderThatNamesNoMemoryTouchesNone(t *testing.T) {
	s := newStage(t)
	id := s.add("the gateway listens on port 8080")[0]
	if _, err := s.Curate.Feedback(t.Context(), curate.FeedbackRequest{Verdict: curate.Wrong}); !errors.Is(err,
		mem.ErrNotFound) {
		t.Errorf("feedback: got %v", err)
	}
	if _, err := s.Views.Show(t.Context(), event.IDs{}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("show: got %v", err)
	}
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule:   curate.ReviewStale,
		Action: curate.AcceptFinding,
	}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("resolve: got %v", err)
	}
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule:   curate.LintDuplicate,
		Action: curate.MergeFinding, IDs: []string{id, id},
	}); !errors.Is(err, curate.ErrSame) {
		t.Errorf("merge with itself: got %v", err)
	}
	if m := s.memory(id); m.Status != mem.Active {
		t.Errorf("it is %s", m.Status)
	}
}

func TestWhatAnAgentReadsWholeIsUsedOnceATurn(t *testing.T) {
	s := newStage(t)
	id := s.add("the gateway listens on port 8080")[0]
	show := func(agent string) {
		t.Helper()
		if _, err := s.Views.Show(t.Context(), event.IDs{IDs: []string{id}, Agent: agent}); err != nil {
			t.Fatal(err)
		}
	}
	s.play(start("startup"), prompt("p1", "which port does the gateway have?"))
	show("")
	show(event.UnknownAgent)
	if m := s.memory(id); m.Uses != 0 {
		t.Errorf("%d uses by a turn without an id", m.Uses)
	}
	show("one")
	show("one")
	s.play(stop("p1", "As "+id+" says it is 8080, see "+id+"."))
	if err := s.says(id, curate.Useful, "", "one"); err != nil {
		t.Fatal(err)
	}
	if m := s.memory(id); m.Uses != 1 || m.LastUsed.IsZero() {
		t.Errorf("%d uses in one turn, want 1", m.Uses)
	}
	s.play(prompt("p2", "and which one has the shop itself?"))
	show("one")
	if m := s.memory(id); m.Uses != 2 {
		t.Errorf("%d uses in two turns, want 2", m.Uses)
	}
}

func TestAnEditKeepsAllOfTheTextThatWas(t *testing.T) {
	s := newStage(t)
	if _, err := s.store.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{{
		Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Decision, Title: "jitter it",
		Body: "All clients came back at once.", Created: s.clock, Trust: mem.TrustUser,
	}}}); err != nil {
		t.Fatal(err)
	}
	text := "Wait for longer."
	got, err := s.Curate.Edit(t.Context(), curate.EditRequest{ID: "m_1", Text: &text})
	if err != nil || len(got.Feedback) != 1 || got.Feedback[0].Was != "jitter it\nAll clients came back at once." {
		t.Errorf("got %+v, %v", got.Feedback, err)
	}
}

// What an agent reports as wrong waits for the person, and is not injected meanwhile.
func TestAMemoryThatAnAgentDisputesIsNotInjected(t *testing.T) {
	s := newStage(t)
	id := s.add("the gateway of the shop listens on port 8080")[0]
	injected := func(session string) bool {
		briefing := s.play(in(session, start("startup"))...)
		recall := s.play(in(session, prompt("p-"+session, "on which port does the gateway of the shop listen?"))...)
		return strings.Contains(briefing.Context+recall.Context, "8080")
	}
	if !injected("one") {
		t.Fatal("it is not injected at all")
	}
	before := s.memory(id).Confidence
	if err := s.says(id, curate.Wrong, "it is 7070", "one"); err != nil {
		t.Fatal(err)
	}
	if injected("two") || s.memory(id).Confidence >= before {
		t.Error("it is injected, though disputed")
	}
	s.marks("pin", id)
	if !injected("pinned") {
		t.Error("it is not injected, though pinned")
	}
	s.marks("unpin", id)
	m := s.memory(id)
	if len(m.Proposals) != 1 || m.Proposals[0].Action != curate.ProposeForget || m.Proposals[0].Reason != "it is 7070" {
		t.Fatalf("the review lists %+v", m.Proposals)
	}
	if _, err := s.Curate.Resolve(t.Context(), curate.ResolveRequest{
		Rule: curate.ReviewProposal, Action: curate.RejectFinding, IDs: []string{id},
	}); err != nil {
		t.Fatal(err)
	}
	if !injected("three") {
		t.Error("it is not injected, though the person rejected the report")
	}
	if now := s.memory(id); now.Confidence != before {
		t.Errorf("confidence %v after the rejection, want %v", now.Confidence, before)
	}
	if err := s.says(id, curate.Wrong, "it is 7070", "three"); err != nil {
		t.Fatal(err)
	}
	if !injected("four") || s.memory(id).Confidence != before {
		t.Error("the same report counts again")
	}
}

// An agent that read external text takes nothing out of injection.
func TestATaintedReportDisputesNothing(t *testing.T) {
	s := newStage(t)
	id := s.add("the gateway of the shop listens on port 8080")[0]
	s.play(start("startup"), prompt("p1", "read it"), tool(mem.PostToolUse, "p1", "t1", "WebFetch",
		map[string]any{"url": "https://x.example"}, "the gateway is gone"))
	if err := s.says(id, curate.Wrong, "the page says so", "one"); err != nil {
		t.Fatal(err)
	}
	if m := s.memory(id); m.Disputed() || len(m.Proposals) > 0 || len(m.Feedback) != 1 {
		t.Errorf("got %+v and %+v", m.Proposals, m.Feedback)
	}
}

// Only an agent's report that a memory is wrong disputes it.
func TestOnlyAReportThatItIsWrongDisputes(t *testing.T) {
	for name, report := range map[string]func(s *stage, id string) error{
		"useful": func(s *stage, id string) error { return s.says(id, curate.Useful, "", "one") },
		"stale":  func(s *stage, id string) error { return s.says(id, curate.Stale, "", "one") },
		"forget": func(s *stage, id string) error {
			_, err := s.Curate.Mark(s.t.Context(), curate.MarkRequest{Verb: "forget", IDs: []string{id}, Agent: "one"})
			return err
		},
		"in a private turn": func(s *stage, id string) error {
			s.play(mem.Event{Kind: mem.UserPromptSubmit, PromptID: "p2", Text: "…", Private: true})
			return s.says(id, curate.Wrong, "", "one")
		},
	} {
		s := newStage(t)
		id := s.add("the gateway of the shop listens on port 8080")[0]
		s.play(start("startup"), prompt("p1", "which port does the gateway have?"))
		if err := report(s, id); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if s.memory(id).Disputed() {
			t.Errorf("%s: it is disputed", name)
		}
	}
}

func TestAReceiptNamesWhatIsDisputed(t *testing.T) {
	s := newStage(t)
	s.settings.Budgets.SessionStart = 0
	id := s.add("the gateway of the shop listens on port 8080")[0]
	s.play(start("startup"), prompt("p1", "what is next?"))
	if err := s.says(id, curate.Wrong, "it is 7070", "one"); err != nil {
		t.Fatal(err)
	}
	s.play(in("two", start("startup"))...)
	_, r := s.asks("two", "on which port does the gateway of the shop listen?")
	if len(r.LeftOut) != 1 || r.LeftOut[0].ID != id || r.LeftOut[0].Gate != "disputed" {
		t.Errorf("left out: %+v", r.LeftOut)
	}
}
