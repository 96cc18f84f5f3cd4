package mem_test

import (
	"slices"
	"testing"
	"time"

	"remanence/internal/mem"
)

func TestAMemoryThatALiveSessionMadeTooIsNotOfABackfill(t *testing.T) {
	past, live := []string{"stated", mem.BackfillTag}, []string{"stated"}
	for _, tt := range []struct{ stored, next, want []string }{
		{past, past, past}, {past, live, live}, {live, past, live}, {live, live, live},
	} {
		got, ok := mem.Memory{Tags: tt.stored}.Repeated(mem.Memory{Tags: tt.next}, time.Time{})
		if !ok || !slices.Equal(got.Tags, tt.want) {
			t.Errorf("%q repeated with %q: tags %q, want %q", tt.stored, tt.next, got.Tags, tt.want)
		}
	}
}

func TestOfTwoMergedMemoriesOneWasNotBackfilled(t *testing.T) {
	past, live := mem.Memory{Tags: []string{mem.BackfillTag}}, mem.Memory{}
	for _, tt := range []struct {
		m, other mem.Memory
		want     int
	}{{past, past, 1}, {past, live, 0}, {live, past, 0}} {
		if got := tt.m.WithoutBackfillTag(tt.other).Tags; len(got) != tt.want {
			t.Errorf("%q beside %q: tags %q", tt.m.Tags, tt.other.Tags, got)
		}
	}
	if len(past.Tags) != 1 {
		t.Error("the tags of a memory were changed in place")
	}
}
