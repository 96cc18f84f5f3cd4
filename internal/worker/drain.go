package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

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
	// DrainBatch is how many spooled events are handed over at a time. What is
	// more than that is a backlog.
	DrainBatch = 200
	// backlogBatch is the same for a backlog: small, so that it can stop soon.
	backlogBatch = 50
	// backlogShare is the part of the time that goes into a backlog, as its divisor.
	backlogShare = 4
	// orderWait is how long an event waits for what was spooled before it.
	orderWait = 100 * time.Millisecond
	// giveUpAfter is how many times an event may fail while others pass.
	giveUpAfter = 5
)

// drainer moves the spool's events to the handler, one caller at a time.
type drainer struct {
	spool  Spool
	replay func(context.Context, []mem.Event) error // a whole batch, cheaply; nil means one by one
	handle func(context.Context, mem.Event) error   // one; asked only without replay
	giveUp func(mem.Event, error) error             // nil means never
	log    *slog.Logger

	passed  atomic.Int64  // events handled, also those that were never spooled
	resting atomic.Bool   // after a failure, until the next retry
	behind  atomic.Bool   // there is a backlog, which events do not wait for
	turn    chan struct{} // holds one token; guards the rest
	judged  int64         // passed at the last judgement
	fails   map[string]int
}

// drain takes in what was spooled before an event, so that its session's order
// is kept, or returns what stopped it. An error means that events are still
// there; until the next workOff no more are tried. A backlog keeps no event
// waiting: it is left to workOff, which takes the newest session first.
func (d *drainer) drain(ctx context.Context) error {
	if d.spool == nil || d.resting.Load() || d.behind.Load() || d.spool.Empty() {
		return nil
	}
	patience := time.NewTimer(orderWait)
	defer patience.Stop()
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-patience.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
	if d.behind.Load() { // as it turned out meanwhile
		return nil
	}
	n, err := d.take(ctx, DrainBatch)
	d.behind.Store(n == DrainBatch && !d.spool.Empty())
	return err
}

// workOff takes in what is spooled, also after a failure, for no longer than a
// share of the time until it is called again.
func (d *drainer) workOff(ctx context.Context, every time.Duration) error {
	d.resting.Store(false)
	if d.spool == nil {
		return nil
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { d.behind.Store(d.behind.Load() && !d.spool.Empty()) }()
	begun := time.Now()
	for !d.spool.Empty() {
		n, err := d.take(ctx, backlogBatch)
		if err != nil || n == 0 { // with none, another process drains
			return err
		}
		if time.Since(begun) > every/backlogShare {
			d.behind.Store(true)
			return nil
		}
	}
	return nil
}

// take hands over one batch. The caller has the turn.
func (d *drainer) take(ctx context.Context, max int) (int, error) {
	n, err := d.spool.Drain(ctx, max, d.keep)
	if n > 0 {
		d.log.Info("spool drained", "events", n)
	}
	if err != nil {
		d.resting.Store(ctx.Err() == nil)
		return n, fmt.Errorf("drain spool: %w", err)
	}
	return n, nil
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
	one := d.handle
	if d.replay != nil { // to be answered would leave a receipt for what nobody hears
		one = func(ctx context.Context, e mem.Event) error { return d.replay(ctx, []mem.Event{e}) }
	}
	var failed []failure
	for _, e := range events {
		err := safely(func() error { return one(ctx, e) })
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
		left = errors.Join(left, d.dismiss(f))
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
