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

func TestABacklogTakesAShareOfTheTimeWhileEventsArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every, batch = 200 * time.Millisecond, 5 * time.Millisecond
		d := &drainer{
			spool: endless{}, log: slog.New(slog.DiscardHandler), turn: make(chan struct{}, 1), fails: map[string]int{},
			replay: func(context.Context, []mem.Event) error { time.Sleep(batch); return nil },
		}
		d.behind.Store(true)
		for _, c := range []struct {
			name    string
			arrives bool
			want    time.Duration
		}{{"without events", false, every}, {"with one", true, every / backlogShare}, {"again without", false, every}} {
			if c.arrives {
				if err := d.drain(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			begun := time.Now()
			if err := d.workOff(t.Context(), every); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); took < c.want || took > c.want+batch || !d.behind.Load() {
				t.Errorf("%s: it was worked on for %v of %v, known to be behind: %v; want %v, and a batch at most, "+
					"and that it is", c.name, took, every, d.behind.Load(), c.want)
			}
		}
	})
}
