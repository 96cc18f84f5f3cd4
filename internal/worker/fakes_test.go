//go:build unix

package worker_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"remanence/internal/mem"
)

// handler is a mem.Handler made of a function.
type handler func(mem.Event) (mem.Reply, error)

func (h handler) Handle(_ context.Context, e mem.Event) (mem.Reply, error) { return h(e) }

// store has a number of jobs waiting, a minute old.
type store struct{ waiting atomic.Int64 }

func (s *store) Waiting(context.Context) (mem.Waiting, error) {
	return mem.Waiting{Jobs: int(s.waiting.Load()), OldestJob: time.Now().Add(-time.Minute)}, nil
}

func (s *store) Lease(context.Context, mem.JobKinds, time.Time, time.Duration, int) ([]mem.Job, error) {
	if n := s.waiting.Load(); n > 0 {
		return []mem.Job{{ID: fmt.Sprint("j_", n)}}, nil
	}
	return nil, nil
}

func (s *store) Apply(_ context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	for _, b := range batches {
		s.waiting.Add(-int64(len(b.FinishedJobs)))
	}
	return make([]mem.Result, len(batches)), nil
}

// spool keeps events in memory.
type spool struct {
	mu     sync.Mutex
	events []mem.Event
}

func (s *spool) add(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.events = append(s.events, mem.Event{ID: id})
	}
}

func (s *spool) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = nil
}

func (s *spool) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events) == 0
}

func (s *spool) Drain(ctx context.Context, max int, keep func(context.Context, []mem.Event) error) (int, error) {
	s.mu.Lock()
	batch := s.events[:min(max, len(s.events))]
	s.mu.Unlock()
	if err := keep(ctx, batch); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = s.events[min(len(batch), len(s.events)):]
	return len(batch), nil
}

// lasting is a setting that stays as it is.
func lasting(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// changing is a setting that the test changes while the worker runs; 0 is the usual patience.
func changing(d *atomic.Int64) func() time.Duration {
	return func() time.Duration { return time.Duration(d.Load()) }
}
