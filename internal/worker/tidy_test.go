//go:build unix

package worker_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/worker"
)

func TestWhatCanWaitIsDoneWhenItIsQuietAndAsOftenAsItAsks(t *testing.T) {
	var calls atomic.Int64
	w := start(t, worker.Config{
		Every: 10 * time.Millisecond,
		Maintain: func(context.Context) time.Duration {
			if calls.Add(1) < 3 {
				return 0
			}
			return time.Hour
		},
	})
	await(t, func() bool { return calls.Load() == 3 })
	time.Sleep(200 * time.Millisecond)
	if n := calls.Load(); n != 3 {
		t.Errorf("called %d times, want 3 and then none for an hour", n)
	}
	w.cancel()
	w.wait(t)
}

func TestWhatCanWaitKeepsNoEventWaiting(t *testing.T) {
	var calls atomic.Int64
	entered, leave := make(chan struct{}), make(chan struct{})
	w := start(t, worker.Config{
		Every: 10 * time.Millisecond,
		Handler: handler(func(mem.Event) (mem.Reply, error) {
			close(entered)
			<-leave
			return mem.Reply{}, nil
		}),
		Maintain: func(context.Context) time.Duration { calls.Add(1); return 0 },
	})
	c := w.client(t)
	await(t, func() bool { return calls.Load() > 0 })
	answered := make(chan error, 1)
	go func() {
		_, err := c.Handle(context.Background(), mem.Event{ID: "e_1"})
		answered <- err
	}()
	<-entered
	before := calls.Load()
	time.Sleep(150 * time.Millisecond)
	if n := calls.Load() - before; n > 1 { // one may have been on its way
		t.Errorf("called %d times while an event was answered", n)
	}
	close(leave)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	w.cancel()
	w.wait(t)
}

func TestMemoryIsGivenBackOnceAfterALongSilence(t *testing.T) {
	var calls atomic.Int64
	w := start(t, worker.Config{
		Every:     2 * time.Millisecond,
		Handler:   handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
		AfterBusy: func(context.Context) { calls.Add(1) },
	})
	await(t, func() bool { return calls.Load() == 1 })
	time.Sleep(300 * time.Millisecond)
	if n := calls.Load(); n != 1 {
		t.Errorf("called %d times in one silence, want once", n)
	}
	if _, err := w.client(t).Handle(t.Context(), mem.Event{ID: "e_1"}); err != nil {
		t.Fatal(err)
	}
	await(t, func() bool { return calls.Load() == 2 })
	w.cancel()
	w.wait(t)
}

func TestWhatTidyingReadIsGivenBackToo(t *testing.T) {
	var tidied, rested atomic.Int64 // the latter: how often it was tidied before
	w := start(t, worker.Config{
		Every:   2 * time.Millisecond,
		Handler: handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
		Maintain: func(context.Context) time.Duration {
			if tidied.Add(1) < 3 {
				return 20 * time.Millisecond
			}
			return time.Hour
		},
		AfterBusy: func(context.Context) { rested.Store(tidied.Load()) },
	})
	await(t, func() bool { return rested.Load() == 3 })
	w.cancel()
	w.wait(t)
}

// What came before a long order is no silence: a request that waits behind it has
// brought what takes the memory.
func TestNoMemoryIsGivenBackWhileARequestWaits(t *testing.T) {
	var calls atomic.Int64
	entered, leave := make(chan struct{}), make(chan struct{})
	w := start(t, worker.Config{
		Every: 10 * time.Millisecond,
		Handler: handler(func(e mem.Event) (mem.Reply, error) {
			if e.ID == "e_long" {
				close(entered)
				<-leave
			}
			return mem.Reply{}, nil
		}),
		AfterBusy: func(context.Context) { calls.Add(1) },
	})
	c := w.client(t)
	await(t, func() bool { return calls.Load() == 1 })
	answered := make(chan error, 1)
	go func() {
		_, err := c.Handle(context.Background(), mem.Event{ID: "e_long"})
		answered <- err
	}()
	<-entered
	if _, err := c.Handle(t.Context(), mem.Event{ID: "e_short"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if n := calls.Load(); n != 1 {
		t.Errorf("called %d times, want once, before the requests", n)
	}
	close(leave)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	await(t, func() bool { return calls.Load() == 2 })
	w.cancel()
	w.wait(t)
}

// What a request and a job leave to do is done after both.
func TestNoMemoryIsGivenBackDuringAJob(t *testing.T) {
	st := sqlitetest.Open(t, nil)
	if _, err := st.Apply(t.Context(), mem.Batch{Jobs: []mem.Job{{Kind: "long"}}}); err != nil {
		t.Fatal(err)
	}
	begun, leave := make(chan struct{}), make(chan struct{})
	var calls atomic.Int64
	w := start(t, worker.Config{
		Every: 5 * time.Millisecond, Store: st,
		Handler: handler(func(mem.Event) (mem.Reply, error) { return mem.Reply{}, nil }),
		Do: func(context.Context, mem.Job) (mem.Batch, error) {
			close(begun)
			<-leave
			return mem.Batch{}, nil
		},
		AfterBusy: func(context.Context) { calls.Add(1) },
	})
	<-begun
	before := calls.Load()
	if _, err := w.client(t).Handle(t.Context(), mem.Event{ID: "e_1"}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if n := calls.Load(); n != before {
		t.Errorf("called %d times during the job", n-before)
	}
	close(leave)
	await(t, func() bool { return calls.Load() > before })
	w.cancel()
	w.wait(t)
}
