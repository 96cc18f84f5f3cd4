package engine_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/test/tier"
)

// jumpy plays events between which the clock jumps up to a year to either side.
func (s *stage) jumpy(r *rand.Rand, events ...mem.Event) mem.Reply {
	s.t.Helper()
	home := s.clock
	var last mem.Reply
	for _, e := range events {
		s.clock = home.Add(time.Duration(r.Int64N(int64(730*day))) - 365*day)
		last = s.play(e)
	}
	return last
}

// What came later is later, whatever the clock says.
func TestAJumpingClockDoesNotChangeTheOrderOfASession(t *testing.T) {
	r := tier.Rand(t)
	for range tier.Runs(20, 500) {
		s := newStage(t)
		s.jumpy(
			r, start("startup"),
			prompt("p1", "make the printer faster"), edited("p1", "t1", "/home/dev/shop/printer.go", "slow", "fast"),
			stop("p1", "The printer is faster now."),
			prompt("p2", "mend the scanner"), failed("p2", "t2", "go test ./scanner",
				"Exit code 1\nscanner_test.go:4: no signal"), ran("p2", "t3", "go test ./scanner", "ok"), stop("p2",
				"The scanner reads again."),
			prompt("p3", "count the drawers"), mem.Event{Kind: mem.PreCompact, Source: "auto"},
		)
		injected := s.jumpy(r, start("compact")).Context
		if !strings.Contains(injected, "count the drawers") {
			t.Errorf("after the compaction the last request is not injected:\n%s", injected)
		}
		turns, err := s.store.Turns(t.Context(), "one", 10)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, turn := range turns {
			got = append(got, turn.PromptID)
		}
		if want := "p3 p2 p1"; strings.Join(got, " ") != want {
			t.Errorf("turns %v, want %s, newest first", got, want)
		}
		events, err := s.store.Events(t.Context(), mem.EventQuery{Kinds: []mem.EventKind{mem.UserPromptSubmit}})
		if err != nil || len(events) != 3 || events[0].PromptID != "p3" || events[2].PromptID != "p1" {
			t.Errorf("prompts %+v, %v, want them newest first", events, err)
		}
	}
}
