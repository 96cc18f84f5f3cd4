package worker

import (
	"time"

	"remanence/internal/mem"
	"remanence/internal/queue"
)

// SlowLease is the longest time for one job of a slow kind.
const SlowLease = 12 * time.Minute

// startDelay is how long jobs from before the start wait, so that requests come first.
const startDelay = time.Second

// lanes returns the job queues. Each slow kind has its own, so that it delays no other.
func (w *worker) lanes() []*queue.Queue {
	usual := queue.Config{Store: w.cfg.Store, Do: w.cfg.Do, Log: w.cfg.Log}
	usual.Kinds.Except = w.cfg.Slow
	out := []*queue.Queue{queue.New(usual)}
	for _, kind := range w.cfg.Slow {
		slow := usual
		slow.Kinds, slow.Lease = mem.JobKinds{Only: []string{kind}}, SlowLease
		out = append(out, queue.New(slow))
	}
	return out
}
