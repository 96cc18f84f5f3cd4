package worker

import (
	"context"
	"time"

	"remanence/internal/mem"
	"remanence/internal/queue"
)

// SlowLease is the longest time for one job of a slow kind.
const SlowLease = 12 * time.Minute

// startDelay is how long jobs from before the start wait, so that requests come first.
const startDelay = time.Second

// lanes returns the job queues. Slow kinds have their own, so that they delay only one
// another.
func (w *worker) lanes() []*queue.Queue {
	able, ok := w.cfg.Store.(mem.LaneLeaser)
	usual := queue.Config{Store: w.cfg.Store, Do: w.cfg.Do, Log: w.cfg.Log}
	if len(w.cfg.Slow) == 0 || !ok {
		return []*queue.Queue{queue.New(usual)}
	}
	slow := usual
	usual.Store = lane{w.cfg.Store, able, w.cfg.Slow, true}
	slow.Store, slow.Lease = lane{w.cfg.Store, able, w.cfg.Slow, false}, SlowLease
	return []*queue.Queue{queue.New(usual), queue.New(slow)}
}

// lane is a queue.Store that is restricted to some kinds of jobs, or to all others.
type lane struct {
	queue.Store
	able   mem.LaneLeaser
	kinds  []string
	others bool
}

// Lease implements queue.Store.
func (l lane) Lease(ctx context.Context, now time.Time, lease time.Duration, n int) ([]mem.Job, error) {
	return l.able.LeaseOf(ctx, l.kinds, l.others, now, lease, n)
}
