package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

const requestsNote = "The last turn left no note"

// note keeps a note as the agent of the first session does through MCP.
func (s *stage) note(text string) curate.AddResponse {
	s.t.Helper()
	return s.remember(curate.AddRequest{Text: text, Agent: "one", Origin: mem.FromMCP, IfNew: true})
}

func TestANoteIsRequestedOnceAfterATurnThatLeftNone(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	first := s.play(prompt("p2", "now the logout path, too"))
	wants(t, "next prompt", first.Context, requestsNote)
	if n := strings.Count(first.Context, requestsNote); n != 1 {
		t.Errorf("requested %d times with one prompt", n)
	}
	wantsNot(t, "a prompt of another session", s.play(in("two", prompt("q1", "how do logins work here?"))...).Context,
		requestsNote)
	s.play(stop("p2", "Looked at it, nothing to change."))
	wantsNot(t, "after a turn without a change", s.play(prompt("p3", "and the cookie?")).Context, requestsNote)
}

func TestNoNoteIsRequestedWhereThereIsOneOrNoneIsWanted(t *testing.T) {
	t.Run("kept in the turn", func(t *testing.T) {
		s := newStage(t)
		events := bugHunt()
		s.play(events[:len(events)-1]...)
		s.note("sessions are locked by one mutex each, since a global lock raced with the store")
		s.play(events[len(events)-1])
		wantsNot(t, "next prompt", s.play(prompt("p2", "now the logout path, too")).Context, requestsNote)
	})
	t.Run("switched off", func(t *testing.T) {
		s := newStage(t)
		s.settings.NoteRequests = false
		s.play(bugHunt()...)
		wantsNot(t, "next prompt", s.play(prompt("p2", "now the logout path, too")).Context, requestsNote)
	})
	t.Run("injections are off", func(t *testing.T) {
		s := newStage(t)
		s.settings = s.settings.WithoutInjection()
		s.play(bugHunt()...)
		wantsNot(t, "next prompt", s.play(prompt("p2", "now the logout path, too")).Context, requestsNote)
	})
	t.Run("the client takes no injections", func(t *testing.T) {
		s := newStage(t)
		s.play(bugHunt()...)
		next := prompt("p2", "now the logout path, too")
		next.InjectionOff = true
		wantsNot(t, "next prompt", s.play(next).Context, requestsNote)
	})
	t.Run("an old note was changed", func(t *testing.T) {
		s := newStage(t)
		kept := s.note("sessions are locked by one mutex each, since a global lock raced with the store")
		s.play(bugHunt()...)
		importance := 0.9
		edits := []mem.Edit{{ID: kept.ID, Importance: &importance}}
		if _, err := s.store.Apply(t.Context(), mem.Batch{Edits: edits}); err != nil {
			t.Fatal(err)
		}
		wants(t, "next prompt", s.play(prompt("p2", "now the logout path, too")).Context, requestsNote)
	})
	t.Run("never followed", func(t *testing.T) {
		s := newStage(t)
		s.play(start("startup"))
		requests := 0
		for i := range 6 {
			id := fmt.Sprint("p", i)
			got := s.play(prompt(id, fmt.Sprintf("change part %d of the exporter", i)))
			requests += strings.Count(got.Context, requestsNote)
			s.play(edited(id, "e"+id, fmt.Sprintf("/home/dev/shop/part%d.go", i), "old()", "new()"),
				stop(id, fmt.Sprintf("I decided to write part%d.go with `NewPart%d`, because the old one leaks its file handle.",
					i, i)))
		}
		if requests != 3 {
			t.Errorf("got %d requests, want 3", requests)
		}
	})
}

func TestNotesAreRequestedWithoutAStateLine(t *testing.T) {
	s := newStage(t)
	s.settings.StateLineRule, s.settings.StateLineTokens = event.StateLineNever, 0
	s.play(bugHunt()...)
	wants(t, "next prompt", s.play(prompt("p2", "now the logout path, too")).Context, requestsNote)
}

// A request counts as followed once there is a later note.
func TestRequestsGoOnAfterANote(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	turn := func(i int) bool {
		id := fmt.Sprint("p", i)
		got := s.play(prompt(id, fmt.Sprintf("change part %d of the exporter", i)))
		s.play(edited(id, "e"+id, fmt.Sprintf("/home/dev/shop/part%d.go", i), "old()", "new()"))
		return strings.Contains(got.Context, requestsNote)
	}
	end := func(i int) {
		s.play(stop(fmt.Sprint("p", i),
			fmt.Sprintf("I decided to write part%d.go with `NewPart%d`, because the old one leaks its file handle.", i, i)))
	}
	var requested []int
	for i := range 12 {
		if turn(i) {
			requested = append(requested, i)
		}
		if i == 3 || i == 8 {
			s.note(fmt.Sprintf("part%d.go of the exporter closes its file handle itself", i))
		}
		end(i)
	}
	if want := []int{1, 2, 3, 5, 6, 7, 10, 11}; !slices.Equal(requested, want) {
		t.Errorf("requested at prompts %v, want %v", requested, want)
	}
}

func TestAStatementThatTheAgentNotedIsKeptOnce(t *testing.T) {
	const fix = "The root cause was a login race: two requests took the session lock in another order."
	for _, when := range []string{"before the turn ends", "with the next prompt"} {
		s := newStage(t)
		events := bugHunt()
		if when == "before the turn ends" {
			s.play(events[:len(events)-1]...)
			s.note(fix)
			s.play(events[len(events)-1])
		} else {
			s.play(events...)
			s.play(prompt("p2", "now the logout path, too"))
			s.note(fix)
			s.play(stop("p2", "Looked at it, nothing to change."))
		}
		found := 0
		for _, title := range s.titles() {
			if strings.HasPrefix(title, fix) { // the summary, which names it, apart
				found++
			}
		}
		if found != 1 {
			t.Errorf("noted %s: %d memories of the race, want 1: %q", when, found, s.titles())
		}
	}
}
