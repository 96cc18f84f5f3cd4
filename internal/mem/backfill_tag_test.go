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
