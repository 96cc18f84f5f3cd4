package worker

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"remanence/internal/mem"
)

// endless is a spool that is never empty.
type endless struct{}

func (endless) Empty() bool { return false }

func (endless) Drain(ctx context.Context, max int, keep func(context.Context, []mem.Event) error) (int, error) {
	return max, keep(ctx, make([]mem.Event, max))
}

func TestABacklogTakesAShareOfTheTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every, batch = 200 * time.Millisecond, 5 * time.Millisecond
		d := &drainer{
			spool: endless{}, log: slog.New(slog.DiscardHandler), turn: make(chan struct{}, 1), fails: map[string]int{},
			replay: func(context.Context, []mem.Event) error { time.Sleep(batch); return nil },
		}
		begun := time.Now()
		if err := d.workOff(t.Context(), every); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < every/backlogShare || took > every/backlogShare+batch || !d.behind.Load() {
			t.Errorf("it was worked on for %v of %v, known to be behind: %v; want a quarter, and a batch at most, "+
				"and that it is",
				took, every, d.behind.Load())
		}
	})
}
