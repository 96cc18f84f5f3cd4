package engine_test

import (
	"testing"

	"remanence/internal/mem"
)

func TestSessionsWhoseIDsBeginAlikeAreNotMistakenForOneAnother(t *testing.T) {
	for _, earlier := range [][]string{{"ten-10"}, {"ten-10", "ten-11"}} { // one and several to mistake it for
		s := newStage(t)
		for _, id := range earlier {
			s.play(mem.Event{
				Kind: mem.UserPromptSubmit, Session: id, PromptID: "p",
				Text: "we never deploy on Friday, remember",
			})
		}
		s.play(mem.Event{Kind: mem.UserPromptSubmit, Session: "ten-1", PromptID: "p", Text: "and what about the till"})
		got, err := s.store.Session(t.Context(), "ten-1")
		if err != nil || got.ID != "ten-1" || got.Prompts != 1 || got.FirstPrompt != "and what about the till" {
			t.Errorf("after %v: got %q with %d prompts, first %q, %v; want a session of its own", earlier, got.ID, got.Prompts,
				got.FirstPrompt, err)
		}
	}
}
