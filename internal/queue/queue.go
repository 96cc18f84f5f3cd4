// Package queue runs the jobs of a store: it leases a job, runs it, and marks it finished or
// failed. A failed job is retried with backoff and given up after [MaxAttempts]. The package
// does not know the kinds of jobs; [Config.Do] runs them. Start reading at [Queue.Run].
package queue

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

const (
	// MaxAttempts is the number of attempts after which a job is given up.
	MaxAttempts = 8

	defaultEvery = time.Second
	defaultLease = 2 * time.Minute
	defaultBatch = 1
	maxError     = 500 // characters of an error that are stored
)

// Store is the part of mem.Store that a queue uses.
type Store interface {
	Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error)
	Lease(ctx context.Context, kinds mem.JobKinds, now time.Time, lease time.Duration, n int) ([]mem.Job, error)
}

// Config configures a [Queue].
type Config struct {
	Store Store
	// Do runs a job and returns the batch that it writes. Its context ends with the job's
	// lease. The batch and the end of the job are written together or not at all, so an
	// interrupted job is repeated as a whole.
	Do    func(ctx context.Context, j mem.Job) (mem.Batch, error)
	Kinds mem.JobKinds     // the jobs that this queue runs; the zero value means all
	Now   func() time.Time // nil means time.Now
	Log   *slog.Logger     // nil means no log
	Every time.Duration    // longest time between two polls of the store; 0 means a second
	Lease time.Duration    // longest time for one job; 0 means two minutes
	// Batch is the number of jobs leased at a time; 0 means 1. They run one after another.
	// After a crash they wait until all their leases end.
	Batch int
}

// Queue runs jobs. New makes one.
type Queue struct {
	cfg                Config
	wake               chan struct{}
	done, failed, dead atomic.Int64
	running            atomic.Bool
}

// Counters count job attempts since the start.
type Counters struct {
	Done   int64 `json:"done"`
	Failed int64 `json:"failed"` // failed attempts, including the last ones
	Dead   int64 `json:"dead"`   // jobs that were given up
}

// New returns a queue. Call Run to start it.
func New(cfg Config) *Queue {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Every <= 0 {
		cfg.Every = defaultEvery
	}
	if cfg.Lease <= 0 {
		cfg.Lease = defaultLease
	}
	if cfg.Batch <= 0 {
		cfg.Batch = defaultBatch
	}
	return &Queue{cfg: cfg, wake: make(chan struct{}, 1)}
}

// Wake makes Run poll the store at once. It never blocks.
func (q *Queue) Wake() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// Counters returns the counts so far.
func (q *Queue) Counters() Counters {
	return Counters{Done: q.done.Load(), Failed: q.failed.Load(), Dead: q.dead.Load()}
}

// Running reports whether a job is being run.
func (q *Queue) Running() bool { return q.running.Load() }

// Run runs jobs until ctx ends, and returns when the current job has ended. A job that ctx
// interrupts does not count as failed; its lease is ended.
func (q *Queue) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-q.wake:
		case <-timer.C:
		}
		q.workOff(ctx)
		timer.Reset(q.cfg.Every)
	}
}

// backlogShare is the divisor of the time that is spent on jobs while more of them wait: 4
// means a quarter.
const backlogShare = 4

// workOff runs the waiting jobs. It pauses between two batches, so that a long backlog uses
// only a share of a processor.
func (q *Queue) workOff(ctx context.Context) {
	for {
		begun := time.Now()
		if !q.round(ctx) {
			return
		}
		// A long job may only have waited itself, so the pause is at most Every.
		rest := time.NewTimer(min((backlogShare-1)*time.Since(begun), q.cfg.Every))
		select {
		case <-ctx.Done():
		case <-rest.C:
		}
		rest.Stop()
	}
}

// round leases one batch of jobs and runs them. more reports whether others may wait.
func (q *Queue) round(ctx context.Context) (more bool) {
	// The lease of the last one must outlive the work of those before it.
	lease := q.cfg.Lease * time.Duration(q.cfg.Batch)
	jobs, err := q.cfg.Store.Lease(ctx, q.cfg.Kinds, q.cfg.Now(), lease, q.cfg.Batch)
	if err != nil {
		if ctx.Err() == nil {
			q.cfg.Log.Error("lease jobs", "error", err)
		}
		return false
	}
	for _, j := range jobs {
		if ctx.Err() != nil {
			return false
		}
		q.run(ctx, j)
	}
	return len(jobs) == q.cfg.Batch && ctx.Err() == nil
}

// run runs one job and writes its result.
func (q *Queue) run(ctx context.Context, j mem.Job) {
	q.running.Store(true)
	defer q.running.Store(false)
	err := q.attempt(ctx, j)
	if err == nil {
		q.done.Add(1)
		return
	}
	if ctx.Err() != nil {
		q.handBack(ctx, j)
		return
	}
	q.failed.Add(1)
	failed := fail(j, err, q.cfg.Now())
	q.cfg.Log.Warn("job failed", "job", j.ID, "kind", j.Kind, "attempt", failed.Attempts, "dead", failed.Dead, "error",
		err)
	if _, err := q.cfg.Store.Apply(ctx, mem.Batch{FailedJobs: []mem.Job{failed}}); err != nil {
		q.cfg.Log.Error("note a failed job", "job", j.ID, "error", err)
		return
	}
	if failed.Dead {
		q.dead.Add(1)
	}
}

// handBack ends the lease of an interrupted job, so that it can run again at once. If that
// fails, the lease expires.
func (q *Queue) handBack(ctx context.Context, j mem.Job) {
	q.cfg.Log.Info("job cut off", "job", j.ID, "kind", j.Kind)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if _, err := q.cfg.Store.Apply(within, mem.Batch{FailedJobs: []mem.Job{{ID: j.ID, Error: j.Error}}}); err != nil {
		q.cfg.Log.Warn("hand back a job", "job", j.ID, "error", err)
	}
}

func (q *Queue) attempt(ctx context.Context, j mem.Job) error {
	within, cancel := context.WithTimeout(ctx, q.cfg.Lease)
	defer cancel()
	batch, err := q.do(within, j)
	if err != nil {
		return err
	}
	batch.FinishedJobs = append(batch.FinishedJobs, j.ID)
	results, err := q.cfg.Store.Apply(ctx, batch)
	if err != nil {
		return fmt.Errorf("write: %w", err)
	}
	// A duplicate batch writes nothing, not even the job's end.
	if len(results) == 1 && results[0].Duplicate {
		_, err = q.cfg.Store.Apply(ctx, mem.Batch{FinishedJobs: batch.FinishedJobs})
	}
	return err
}

// do runs the job; a panic becomes an error.
func (q *Queue) do(ctx context.Context, j mem.Job) (b mem.Batch, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if q.cfg.Do == nil {
		return b, errors.New("no function does jobs")
	}
	return q.cfg.Do(ctx, j)
}

// fail returns j after a failure at now.
func fail(j mem.Job, err error, now time.Time) mem.Job {
	j.Error = chars.Clip(err.Error(), maxError)
	j.Dead = j.Attempts >= MaxAttempts
	j.NotBefore = now.Add(max(Backoff(j.Attempts), retryAfter(err)))
	return j
}

// retryAfter returns the delay that a server requested.
func retryAfter(err error) time.Duration {
	var later mem.RetryLater
	errors.As(err, &later)
	return later.Wait
}

// Backoff is the delay after the n-th failed attempt, from one second to an hour.
func Backoff(n int) time.Duration {
	steps := [...]time.Duration{
		time.Second, 4 * time.Second, 15 * time.Second, time.Minute, 4 * time.Minute, 15 * time.Minute, time.Hour,
	}
	return steps[min(max(n, 1), len(steps))-1]
}
