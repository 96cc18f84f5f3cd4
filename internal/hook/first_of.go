package hook

import (
	"context"
	"errors"
	"time"

	"remanence/internal/mem"
)

var (
	errNotTaken = errors.New("no handler accepted the event")
	errPanic    = errors.New("handler panicked")
)

// spoolLimit is the time reserved for the spool, in addition to time that the daemon did not
// use. It is far more than an append takes, because under load the lock and the disk may delay
// it.
func spoolLimit(k mem.EventKind) time.Duration { return hardLimit(k) - softLimit(k) - replyReserve }

// replyReserve is the part of the hard limit that is kept for the reply.
const replyReserve = 5 * time.Millisecond

// FirstOf returns a handler that calls worker, the daemon's client. If worker does not
// acknowledge the event before ctx ends, it appends the event to spool and returns an empty
// reply. The event may then be delivered twice; its ID makes that harmless. Either handler may
// be nil. A worker that ignores ctx is abandoned and ends with the process. slack is
// Config.Slack.
func FirstOf(worker, spool mem.Handler, slack time.Duration) mem.Handler {
	return firstOf{worker, spool, slack}
}

type firstOf struct {
	worker, spool mem.Handler
	slack         time.Duration
}

func (f firstOf) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	errWorker := errNotTaken
	if f.worker != nil && ctx.Err() == nil {
		var r mem.Reply
		if r, errWorker = handleWithin(ctx, f.worker, e); errWorker == nil {
			return r, nil
		}
	}
	if f.spool == nil {
		return mem.Reply{}, errWorker
	}
	limit := spoolLimit(e.Kind) + f.slack/2
	if end, ok := ctx.Deadline(); ok {
		limit += max(0, time.Until(end))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	if _, err := handleWithin(ctx, f.spool, e); err != nil {
		return mem.Reply{}, errors.Join(errWorker, err)
	}
	return mem.Reply{}, nil
}

// handleWithin calls h in its own goroutine, which is abandoned when ctx ends. A panic becomes
// an error.
func handleWithin(ctx context.Context, h mem.Handler, e mem.Event) (mem.Reply, error) {
	type answer struct {
		reply mem.Reply
		err   error
	}
	got := make(chan answer, 1)
	go func() {
		a := answer{err: errPanic}
		defer func() {
			_ = recover()
			got <- a
		}()
		growStack(0)
		a.reply, a.err = h.Handle(ctx, e)
	}()
	select {
	case a := <-got:
		return a.reply, a.err
	case <-ctx.Done():
		return mem.Reply{}, ctx.Err()
	}
}

// growStack grows the goroutine's stack at once to the size that calling the daemon needs.
// Otherwise the stack grows in steps and is copied at each.
//
//go:noinline
func growStack(at int) byte {
	var room [5 << 10]byte
	return room[at]
}
