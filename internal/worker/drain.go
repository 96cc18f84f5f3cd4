package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"remanence/internal/mem"
)

// Spool holds events that were kept while no worker answered.
type Spool interface {
	// Empty is cheap: it is asked before every event.
	Empty() bool
	// Drain hands over up to max events in the order of each session, and
	// deletes those that keep returned nil for. It returns how many those were.
	Drain(ctx context.Context, max int, keep func(context.Context, []mem.Event) error) (int, error)
}

const (
	// DrainBatch is how many spooled events are handed over at a time.
	DrainBatch = 200
	// giveUpAfter is how many times an event may fail while others pass.
	giveUpAfter = 5
)

// drainer moves the spool's events to the handler, one caller at a time.
type drainer struct {
	spool  Spool
	replay func(context.Context, []mem.Event) error // a whole batch, cheaply; nil means one by one
	handle func(context.Context, mem.Event) error
	giveUp func(mem.Event, error) error // nil means never
	log    *slog.Logger

	passed  atomic.Int64  // events handled, also those that were never spooled
	resting atomic.Bool   // after a failure, until the next retry
	turn    chan struct{} // holds one token; guards the rest
	judged  int64         // passed at the last judgement
	fails   map[string]int
}

// drain empties the spool, or returns what stopped it. An error means that
// events are still there; until retry is called no more are tried.
func (d *drainer) drain(ctx context.Context) error {
	if d.spool == nil || d.resting.Load() || d.spool.Empty() {
		return nil
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	for !d.spool.Empty() {
		n, err := d.spool.Drain(ctx, DrainBatch, d.keep)
		if n > 0 {
			d.log.Info("spool drained", "events", n)
		}
		if err != nil {
			d.resting.Store(ctx.Err() == nil)
			return fmt.Errorf("drain spool: %w", err)
		}
		if n == 0 { // another process drains
			return nil
		}
	}
	return nil
}

// retry drains also after a failure.
func (d *drainer) retry(ctx context.Context) error {
	d.resting.Store(false)
	return d.drain(ctx)
}

// keep hands over one batch. If it fails as a whole it is tried event by event,
// so that one event that can never be kept does not hold up all others.
func (d *drainer) keep(ctx context.Context, events []mem.Event) error {
	if d.replay != nil {
		err := safely(func() error { return d.replay(ctx, events) })
		if err == nil {
			d.passed.Add(int64(len(events)))
		}
		if err == nil || ctx.Err() != nil {
			return err
		}
		d.log.Warn("replay of a batch failed", "events", len(events), "error", err)
	}
	var failed []failure
	for _, e := range events {
		err := safely(func() error { return d.handle(ctx, e) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, failure{e, err})
			continue
		}
		d.passed.Add(1)
	}
	return d.judge(failed)
}

type failure struct {
	event mem.Event
	err   error
}

// judge gives up the events that failed often while others passed. While
// nothing passes the fault is not theirs.
func (d *drainer) judge(failed []failure) error {
	othersPass := d.passed.Load() > d.judged
	d.judged = d.passed.Load()
	var left error
	for _, f := range failed {
		if othersPass {
			d.fails[f.event.ID]++
		}
		if err := d.dismiss(f); err != nil {
			left = errors.Join(left, err)
		}
	}
	return left
}

// dismiss hands a hopeless event to giveUp. It returns an error if the event must stay.
func (d *drainer) dismiss(f failure) error {
	if d.giveUp == nil || d.fails[f.event.ID] < giveUpAfter {
		return f.err
	}
	if err := d.giveUp(f.event, f.err); err != nil {
		return err
	}
	d.log.Error("spooled event given up", "event", f.event.ID, "kind", f.event.Kind, "error", f.err)
	delete(d.fails, f.event.ID)
	return nil
}

// safely runs f; a panic is its error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
