package engine_test

import (
	"math"
	"slices"
	"testing"

	"remanence/internal/mem"
)

// What is kept at one moment, as all that one answer teaches is, stands in the
// order in which it was kept, and the anchor among it.
func TestATimelineHoldsItsAnchorAmongWhatWasKeptAtTheSameMoment(t *testing.T) {
	s := newStage(t)
	var b mem.Batch
	for _, title := range []string{"one", "two", "three", "four", "five", "six", "seven"} {
		b.Memories = append(b.Memories, mem.Memory{Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: title, Created: s.clock, Trust: mem.TrustUser})
	}
	if _, err := s.store.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		anchor string
		around int
		want   []string
	}{
		{"m_5", 1, []string{"four", "five", "six"}},
		{"m_1", 2, []string{"one", "two", "three"}},
		{"m_7", 2, []string{"five", "six", "seven"}},
		{"m_4", math.MaxInt, []string{"one", "two", "three", "four", "five", "six", "seven"}},
		{"", 3, []string{"five", "six", "seven"}},
	} {
		got, err := s.Timeline(t.Context(), mem.TimelineAsk{Place: shop, Anchor: c.anchor, Around: c.around})
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, m := range got.Entries {
			titles = append(titles, m.Title)
		}
		if !slices.Equal(titles, c.want) {
			t.Errorf("%d around %q: got %q, want %q", c.around, c.anchor, titles, c.want)
		}
	}
}
