package worker

import (
	"time"

	"remanence/internal/queue"
)

// SlowLease is the longest time for one job of a slow kind.
const SlowLease = 12 * time.Minute

// startDelay is how long jobs from before the start wait, so that requests come first.
const startDelay = time.Second

// lanes returns the job queues. Slow kinds have their own, so that they delay only one
// another.
func (w *worker) lanes() []*queue.Queue {
	usual := queue.Config{Store: w.cfg.Store, Do: w.cfg.Do, Log: w.cfg.Log}
	if len(w.cfg.Slow) == 0 {
		return []*queue.Queue{queue.New(usual)}
	}
	slow := usual
	usual.Kinds.Except = w.cfg.Slow
	slow.Kinds.Only, slow.Lease = w.cfg.Slow, SlowLease
	return []*queue.Queue{queue.New(usual), queue.New(slow)}
}
