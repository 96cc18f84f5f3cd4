package daemon

import (
	"context"
	"testing"

	"remanence/internal/mem"
)

func TestTheNewestHooksAreTimedInOrder(t *testing.T) {
	m := &meter{next: silent{}}
	for i := range 600 {
		if _, err := m.Handle(t.Context(), mem.Event{SpentUS: int64(i+1) * 1000}); err != nil {
			t.Fatal(err)
		}
	}
	got := m.Series()
	if len(got) != 512 || got[0] < 89 || got[0] > 95 || got[511] < 600 {
		t.Errorf("%d times from %v to %v, want 512 from about 89 to 600", len(got), got[0], got[len(got)-1])
	}
}

type silent struct{}

func (silent) Handle(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }
