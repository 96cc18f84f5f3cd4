package engine_test

import (
	"testing"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func TestAUseLeadsFromTheSessionThatLearnedToTheOneThatUsed(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "why is the queue slow?"),
		stop("p1", "The cause was `pool.go`: it never closed the file, because `Close` returned early."), ended())
	s.play(in("two", start("startup"), prompt("q1", "and the export?"),
		stop("q1", "As m_1 says, `pool.go` keeps the file open."))...)
	learned := s.words("one")
	if len(learned) == 0 {
		t.Fatal("nothing was learned")
	}
	id := learned[0].ID
	for _, turn := range []string{
		event.TurnName("two", "q1"), event.TurnName("two", "q2"), event.TurnName("one", "p1"), event.TurnName("gone", "x"),
	} {
		must(s.store.Apply(t.Context(), mem.Batch{Edits: []mem.Edit{{ID: id, Used: 1, UsedIn: mem.Use{Turn: turn}}}}))
	}
	got := must(s.Views.SessionUses(t.Context(), views.SessionUsesRequest{}))
	if len(got.Sessions) != 2 || got.Sessions[0].ID != "one" || got.Sessions[1].ID != "two" {
		t.Fatalf("sessions %+v, want one before two", got.Sessions)
	}
	if one := got.Sessions[0]; one.Learned != len(learned) || one.Short == "" || one.Title == "why is the queue slow?" {
		t.Errorf("session one is %+v, want %d learned and its result as title", one, len(learned))
	}
	if want := (views.SessionUse{
		From: "one", To: "two", Memory: id, Kind: learned[0].Kind, Title: learned[0].Title, How: mem.Cited,
	}); len(got.Uses) != 1 || got.Uses[0] != want {
		t.Errorf("uses %+v, want only %+v", got.Uses, want)
	}
	if only := must(s.Views.SessionUses(t.Context(), views.SessionUsesRequest{Limit: 1})); len(only.Sessions) != 1 ||
		len(only.Uses) != 0 {
		t.Errorf("the newest session alone: %+v", only)
	}
	all := must(s.Views.SessionUses(t.Context(), views.SessionUsesRequest{Limit: 2, Offset: -1}))
	if len(all.Sessions) != 2 || all.Next != 2 {
		t.Errorf("from before the first: %d sessions, next %d; want 2 and 2", len(all.Sessions), all.Next)
	}
}

func TestAProjectWithoutSessionsHasNoUses(t *testing.T) {
	got := must(newStage(t).Views.SessionUses(t.Context(), views.SessionUsesRequest{}))
	if got.Sessions == nil || got.Uses == nil || len(got.Sessions)+len(got.Uses) != 0 {
		t.Errorf("got %+v, want empty lists", got)
	}
}
