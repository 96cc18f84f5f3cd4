package engine_test

import (
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// TestATagMakesNothingOurs: state files, the fields of a state and an agent's own
// list are kept in step with something outside, memories that only have their tags are not.
func TestATagMakesNothingOurs(t *testing.T) {
	s, d := minded(t)
	s.play(in("one", start("startup"), prompt("p1", "set up the payment service"))...)
	s.writes()
	add := func(text string, kind mem.Kind, agent string, tags ...string) string {
		t.Helper()
		return s.remember(curate.AddRequest{Text: text, Kind: kind, Agent: agent, Tags: tags}).ID
	}
	note := add("we name every export after its day", mem.Convention, "", "state-file", "project-state")
	field := add("Phase: okapi", mem.Fact, "", "project-state")
	item := add("call the bank about the limits", mem.Todo, "one", "todo")

	d.Stamp, d.Indexed, d.Parts = "v2", false, nil
	s.clock = s.clock.Add(time.Minute)
	s.play(in("one", prompt("p2", "hello to you there again"), tool(mem.PostToolUse, "p2", "t1", "TodoWrite",
		map[string]any{"todos": []any{}}, nil))...)
	s.writes()
	for _, id := range []string{note, field} {
		if m := s.memory(id); m.Status != mem.Active {
			t.Errorf("%q is %s when the state files changed", m.Title, m.Status)
		}
	}
	if m := s.memory(item); m.Resolved {
		t.Errorf("%q is done because the agent's own list is empty", m.Title)
	}
	s.Engine.StateFiles = nil
	s.Engine.Reconnect()
	wantsNot(t, "state", s.state(workstate.Request{Op: workstate.OpGet}).Phase, "okapi")
	wants(t, "briefing", s.play(in("two", start("startup"))...).Context, "we name every export after its day")
}
