//go:build unix

package worker_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/worker"
)

// log notes the ids of handled events.
type log struct {
	mu  sync.Mutex
	ids []string
}

func (l *log) handle(e mem.Event) (mem.Reply, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ids = append(l.ids, e.ID)
	return mem.Reply{}, nil
}

func (l *log) seen() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ids)
}

func TestSpooledEventsAreHandledBeforeTheNextOne(t *testing.T) {
	var l log
	s := &spool{}
	w := start(t, worker.Config{Spool: s, Every: time.Hour, Handler: handler(l.handle)})
	c := w.client(t)
	s.add("e1", "e2")
	if _, err := c.Handle(t.Context(), mem.Event{ID: "e3"}); err != nil {
		t.Fatal(err)
	}
	if got, want := l.seen(), []string{"e1", "e2", "e3"}; !slices.Equal(got, want) {
		t.Errorf("handled %v, want %v", got, want)
	}
}

func TestSpoolIsTakenInWithoutAnyEvent(t *testing.T) {
	var l log
	s := &spool{}
	start(t, worker.Config{Spool: s, Handler: handler(l.handle)})
	s.add("e1")
	await(t, func() bool { return slices.Equal(l.seen(), []string{"e1"}) })
}

// The worker does not end for want of work while a job waits that no request made.
func TestAJobThatComesOfTheSpoolIsCounted(t *testing.T) {
	jobs, s := &store{}, &spool{}
	jobs.waiting.Store(1)
	w := start(t, worker.Config{
		Store: jobs, Spool: s, Every: time.Millisecond,
		Replay: func(context.Context, []mem.Event) error {
			jobs.waiting.Store(2)
			return nil
		},
	})
	c := w.client(t)
	counted := func(n int) func() bool {
		return func() bool {
			h, err := c.Health(t.Context())
			return err == nil && h.QueueDepth == n
		}
	}
	await(t, counted(1))
	jobs.waiting.Store(0)
	await(t, counted(0))
	s.add("e1")
	await(t, counted(2))
}

func TestBacklogIsReplayedInBoundedBatches(t *testing.T) {
	s := &spool{}
	for i := range 1000 {
		s.add(fmt.Sprint("e", i))
	}
	sizes := make(chan int, 1000)
	start(t, worker.Config{Spool: s, Replay: func(_ context.Context, events []mem.Event) error {
		sizes <- len(events)
		return nil
	}})
	await(t, s.Empty)
	for len(sizes) > 0 {
		if n := <-sizes; n > worker.DrainBatch {
			t.Errorf("batch of %d, want at most %d", n, worker.DrainBatch)
		}
	}
}

func TestEventIsAnsweredThoughTheSpoolFails(t *testing.T) {
	s := &spool{}
	s.add("e1")
	w := start(t, worker.Config{Spool: s, Handler: handler(func(e mem.Event) (mem.Reply, error) {
		if e.ID == "e1" {
			return mem.Reply{}, mem.ErrLocked
		}
		return mem.Reply{Context: "fine"}, nil
	})})
	got, err := w.client(t).Handle(t.Context(), mem.Event{ID: "e2"})
	if err != nil || got.Context != "fine" {
		t.Errorf("got %+v, %v, want the answer", got, err)
	}
	if s.Empty() {
		t.Error("the event that failed is lost")
	}
}

func TestEventThatCanNeverBeKeptIsPutAside(t *testing.T) {
	var l log
	s := &spool{}
	s.add("e1", "poison", "e2")
	aside := make(chan string, 10)
	start(t, worker.Config{
		Spool: s,
		Replay: func(_ context.Context, events []mem.Event) error {
			for _, e := range events {
				if e.ID == "poison" {
					panic("cannot")
				}
				if _, err := l.handle(e); err != nil {
					return err
				}
			}
			return nil
		},
		Handler: handler(func(e mem.Event) (mem.Reply, error) {
			t.Errorf("%s was answered, which nobody hears", e.ID)
			return mem.Reply{}, nil
		}),
		GiveUp: func(e mem.Event, _ error) error { aside <- e.ID; return nil },
	})
	await(t, s.Empty)
	if len(aside) != 1 || <-aside != "poison" {
		t.Errorf("poison is not what was put aside, or not all; %d more", len(aside))
	}
	for _, id := range []string{"e1", "e2"} {
		if !slices.Contains(l.seen(), id) {
			t.Errorf("%s is lost", id)
		}
	}
}

func TestNothingIsPutAsideWhileTheStoreIsDown(t *testing.T) {
	var l log
	s := &spool{}
	s.add("e1", "e2")
	var mu sync.Mutex
	tries := 0
	start(t, worker.Config{
		Spool: s,
		Handler: handler(func(e mem.Event) (mem.Reply, error) {
			mu.Lock()
			defer mu.Unlock()
			if tries++; tries <= 40 {
				return mem.Reply{}, mem.ErrLocked
			}
			return l.handle(e)
		}),
		GiveUp: func(e mem.Event, _ error) error { t.Errorf("%s was put aside", e.ID); return nil },
	})
	await(t, s.Empty)
	if got, want := l.seen(), []string{"e1", "e2"}; !slices.Equal(got, want) {
		t.Errorf("handled %v, want %v", got, want)
	}
}

func TestABacklogKeepsNoEventWaiting(t *testing.T) {
	s := &spool{}
	for i := range 2000 {
		s.add(fmt.Sprint("e", i))
	}
	block, begun := make(chan struct{}), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
	w := start(t, worker.Config{
		Spool:   s,
		Handler: handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{Context: "fine"}, nil }),
		Replay: func(ctx context.Context, _ []mem.Event) error {
			begin()
			select {
			case <-block:
			case <-ctx.Done():
			}
			return ctx.Err()
		},
	})
	ctx, stop := context.WithTimeout(t.Context(), atMost)
	defer stop()
	select {
	case <-begun: // else the event itself would begin with a batch
	case <-ctx.Done():
		t.Fatal("the backlog is not begun")
	}
	got, err := w.client(t).Handle(ctx, mem.Event{ID: "live"})
	if err != nil || got.Context != "fine" {
		t.Errorf("got %+v, %v, want the answer while the backlog stands still", got, err)
	}
	if s.Empty() {
		t.Error("the backlog is gone: nothing was proved")
	}
	close(block)
	await(t, s.Empty)
}

// An event takes in a whole batch of what was spooled before it, but none of a backlog.
func TestABacklogIsNoEventsBusiness(t *testing.T) {
	s := &spool{}
	for i := range 2000 {
		s.add(fmt.Sprint("e", i))
	}
	batches := make(chan int, 1000)
	w := start(t, worker.Config{
		Spool: s, Every: 40 * time.Millisecond,
		Handler: handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
		Replay: func(_ context.Context, events []mem.Event) error {
			batches <- len(events)
			time.Sleep(20 * time.Millisecond)
			return nil
		},
	})
	await(t, func() bool { return len(batches) > 0 })
	c := w.client(t)
	for i := 0; !s.Empty(); i++ {
		if _, err := c.Handle(t.Context(), mem.Event{ID: fmt.Sprint("live", i)}); err != nil {
			t.Fatal(err)
		}
	}
	close(batches)
	for n := range batches {
		if n >= worker.DrainBatch {
			t.Errorf("an event had to wait for a batch of %d", n)
		}
	}
}
