package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

func (s *stage) state(ask workstate.Request) workstate.State {
	s.t.Helper()
	if ask.Dir == "" {
		ask.Dir = "/home/dev/shop"
	}
	got, err := s.Filesync.State(s.t.Context(), ask)
	if err != nil {
		s.t.Fatalf("state %s: %v", ask.Op, err)
	}
	return got
}

func TestStateWithoutFilesIsStoredAndInjectedIntoTheNextSession(t *testing.T) {
	s := newStage(t)
	s.play(in("one", start("startup"), prompt("p1", "set up the payment service"))...)
	s.state(workstate.Request{Op: workstate.OpUpdate, Agent: "one", Update: workstate.Update{
		Phase: new("Phase 2: payments"), Next: new("write the refund handler"), Blockers: new([]string{"no test keys"}),
		Active: new([]string{"charge endpoint", "webhook"}),
	}})
	got := s.state(workstate.Request{
		Op: workstate.OpUpdate, Agent: "one",
		Update: workstate.Update{Next: new("review the refund handler")},
	})
	if got.Phase != "Phase 2: payments" || got.Next != "review the refund handler" ||
		!slices.Equal(got.Active, []string{"charge endpoint", "webhook"}) ||
		!slices.Equal(got.Blockers, []string{"no test keys"}) {
		t.Errorf("got %+v, want only the next action changed", got)
	}
	brief := s.play(in("two", start("startup"))...)
	wants(t, "briefing", brief.Context, "Phase 2: payments", "review the refund handler", "no test keys",
		"charge endpoint")
	wantsNot(t, "briefing", brief.Context, "write the refund handler")
	nudge := s.play(in("three", prompt("p1", "hello there, what now then"), prompt("p2", "and what comes after it"))...)
	wants(t, "nudge", nudge.Context, "Phase: Phase 2: payments | Next: review the refund handler | BLOCKED: no test keys")
}

func TestItemsOfWorkAreCompletedByWhatTheyAreLike(t *testing.T) {
	s := newStage(t)
	for _, task := range []string{"Rate limiting middleware", "Refresh token rotation", "Refresh token storage"} {
		s.state(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{Task: task, Action: "add"}})
	}
	got := s.state(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "the rate limiting",
		Action: "complete",
	}})
	for _, it := range got.Progress {
		if it.Done != strings.HasPrefix(it.Text, "Rate") {
			t.Errorf("%s is done: %v", it.Text, it.Done)
		}
	}
	got = s.state(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "refresh token",
		Action: "complete",
	}})
	if len(got.Candidates) != 2 || len(got.Notes) == 0 || len(got.Changed) != 0 {
		t.Errorf("got candidates %q, notes %q, changed %q; want both named and none completed", got.Candidates, got.Notes,
			got.Changed)
	}
	got = s.state(workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
		Task:   "bake a cake",
		Action: "complete",
	}})
	if len(got.Changed) != 0 || len(got.Notes) == 0 {
		t.Errorf("got changed %q, notes %q; want nothing completed and that said", got.Changed, got.Notes)
	}
}

func TestDecisionsAndSessionsOfTheStateComeBack(t *testing.T) {
	s := newStage(t)
	s.state(workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{
		Title: "Money is integers",
		Text:  "amounts are kept in cents", Rationale: "floats lose them", Status: "revisit",
	}})
	got := s.state(workstate.Request{Op: workstate.OpSession, Session: workstate.Session{
		Summary:   "Built the till",
		Completed: []string{"till"}, Next: []string{"receipts"},
	}})
	if len(got.Decisions) != 1 || len(got.Sessions) != 1 {
		t.Fatalf("got %d decisions, %d sessions", len(got.Decisions), len(got.Sessions))
	}
	d := got.Decisions[0]
	if d.Title != "Money is integers" || d.Text != "amounts are kept in cents" || d.Rationale != "floats lose them" ||
		d.Status != "Revisit" || d.By != "agent" {
		t.Errorf("got %+v", d)
	}
	if e := got.Sessions[0]; e.Summary != "Built the till" || !slices.Equal(e.Next, []string{"receipts"}) {
		t.Errorf("got %+v", e)
	}
	wants(t, "briefing", s.play(start("startup")).Context, "Money is integers: amounts are kept in cents",
		"Built the till")
}

func TestStateOfAnAgentThatReadTheWebIsNotInjected(t *testing.T) {
	s := newStage(t)
	s.play(prompt("p1", "look at that page please"),
		tool(mem.PostToolUse, "p1", "t1", "WebFetch", map[string]any{"url": "https://example.com"}, "text"))
	s.state(workstate.Request{Op: workstate.OpUpdate, Agent: "one", Update: workstate.Update{Phase: new("Phase Zebra")}})
	wantsNot(t, "briefing", s.play(in("two", start("startup"))...).Context, "Zebra")
	s.play(in("three", start("startup"), prompt("p1", "go on with the work then"))...)
	s.state(workstate.Request{Op: workstate.OpUpdate, Agent: "three", Update: workstate.Update{Phase: new("Phase Okapi")}})
	wants(t, "briefing", s.play(in("four", start("startup"))...).Context, "Okapi")
}

func TestBadChangesOfTheStateAreRefusedWhole(t *testing.T) {
	long := strings.Repeat("x", 6<<10)
	var many []string
	for range 20 {
		many = append(many, strings.Repeat("y", 4<<10))
	}
	for name, c := range map[string]struct {
		ask  workstate.Request
		want error
	}{
		"unknown op":    {workstate.Request{Op: "drop"}, filesync.ErrNoOp},
		"nothing given": {workstate.Request{Op: workstate.OpUpdate}, event.ErrNoText},
		"long field": {
			workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{Phase: &long}},
			filesync.ErrTooLong,
		},
		"long call": {
			workstate.Request{Op: workstate.OpUpdate, Update: workstate.Update{Active: &many}},
			filesync.ErrTooLong,
		},
		"no title": {
			workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{Text: "x"}},
			event.ErrNoText,
		},
		"odd status": {workstate.Request{Op: workstate.OpDecision, Decision: workstate.Decision{
			Title: "x", Text: "x",
			Status: "maybe",
		}}, filesync.ErrNoStatus},
		"odd action": {workstate.Request{Op: workstate.OpProgress, Progress: workstate.Progress{
			Task:   "x",
			Action: "remove",
		}}, filesync.ErrNoAction},
		"private only": {workstate.Request{
			Op:      workstate.OpSession,
			Session: workstate.Session{Summary: "<private>x</private>"},
		}, event.ErrNoText},
		"every project": {
			workstate.Request{Op: workstate.OpGet, ProjectRef: mem.ProjectRef{Project: "all"}},
			filesync.ErrNoProject,
		},
		"other project?": {
			workstate.Request{Op: workstate.OpGet, ProjectRef: mem.ProjectRef{Project: "nosuch"}},
			mem.ErrNotFound,
		},
	} {
		s := newStage(t)
		if c.ask.Dir == "" && c.ask.Project == "" {
			c.ask.Dir = "/home/dev/shop"
		}
		if _, err := s.Filesync.State(t.Context(), c.ask); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
		if got := s.state(workstate.Request{Op: workstate.OpGet}); got.Phase != "" || len(got.Active)+len(got.Decisions) > 0 {
			t.Errorf("%s left %+v", name, got)
		}
	}
}
