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

// Spool stores events while no daemon answers.
type Spool interface {
	// Empty reports whether no event is spooled. It must be cheap, because it is called before
	// every event.
	Empty() bool
	// Drain passes up to max events to keep, in the order of each session, and deletes those
	// for which keep returns nil. It returns the number of deleted events.
	Drain(ctx context.Context, max int, keep func(context.Context, []mem.Event) error) (int, error)
}

const (
	// DrainBatch is the number of spooled events handled at a time. More events than that are
	// a backlog.
	DrainBatch = 200
	// backlogBatch is the batch size for a backlog. It is small, so that draining can be
	// interrupted soon.
	backlogBatch = 50
	// backlogShare is the divisor of the time spent on a backlog while new events arrive.
	backlogShare = 4
	// orderWait is how long an event waits for earlier events in the spool.
	orderWait = 100 * time.Millisecond
	// giveUpAfter is the number of failures, while others succeed, after which an event is
	// given up.
	giveUpAfter = 5
)

// drainer passes spooled events to the handler, for one caller at a time.
type drainer struct {
	spool  Spool
	replay func(context.Context, []mem.Event) error // stores a whole batch; nil means one by one
	handle func(context.Context, mem.Event) error   // handles one event; used only without replay
	giveUp func(mem.Event, error) error             // nil means never
	log    *slog.Logger

	passed       atomic.Int64  // events handled, spooled or not
	arrived      atomic.Int64  // new events so far
	resting      atomic.Bool   // set after a failure, until the next retry
	behind       atomic.Bool   // there is a backlog; new events do not wait for it
	turn         chan struct{} // holds one token; guards the rest
	passedBefore int64         // value of passed at the last call of giveUpFailing
	arrivedThen  int64         // value of arrived at the end of the last call of workOff
	fails        map[string]int
}

// drain handles the events that were spooled before a new one, so that the order of a session
// is kept. It returns the error that stopped it; spooled events then remain, and the next
// attempt is in workOff. Events do not wait for a backlog: workOff handles it, newest session
// first.
func (d *drainer) drain(ctx context.Context) error {
	d.arrived.Add(1)
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
	if d.behind.Load() { // another caller found a backlog
		return nil
	}
	n, err := d.take(ctx, DrainBatch)
	d.behind.Store(n == DrainBatch && !d.spool.Empty())
	return err
}

// workOff handles spooled events, also after a failure, for at most the time until its next call. It takes only a share
// of that time if a new event has arrived since its last call.
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
	defer func() {
		d.behind.Store(d.behind.Load() && !d.spool.Empty())
		d.arrivedThen = d.arrived.Load()
	}()
	begun := time.Now()
	for !d.spool.Empty() {
		n, err := d.take(ctx, backlogBatch)
		if err != nil || n == 0 { // with none, another process drains
			return err
		}
		limit := every
		if d.arrived.Load() > d.arrivedThen {
			limit /= backlogShare
		}
		if time.Since(begun) > limit {
			d.behind.Store(true)
			return nil
		}
	}
	return nil
}

// take handles one batch. The caller holds the turn token.
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

// keep passes on one batch. If the batch fails, its events are tried one by one, so that a bad
// event does not block the others.
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
	if d.replay != nil { // a reply would store a receipt for text that nobody receives
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
	return d.giveUpFailing(failed)
}

type failure struct {
	event mem.Event
	err   error
}

// giveUpFailing gives up events that failed repeatedly while others succeeded. While all
// events fail, the cause lies elsewhere and none is given up.
func (d *drainer) giveUpFailing(failed []failure) error {
	othersPass := d.passed.Load() > d.passedBefore
	d.passedBefore = d.passed.Load()
	var left error
	for _, f := range failed {
		if othersPass {
			d.fails[f.event.ID]++
		}
		left = errors.Join(left, d.giveUpEvent(f))
	}
	return left
}

// giveUpEvent passes an event to giveUp. On an error the event stays spooled.
func (d *drainer) giveUpEvent(f failure) error {
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

// safely calls f; a panic becomes an error.
func safely(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}
