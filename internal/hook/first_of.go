package hook

import (
	"context"
	"errors"
	"time"

	"remanence/internal/mem"
)

var (
	errNobody = errors.New("nobody took the event")
	errPanic  = errors.New("handler panicked")
)

// spoolLimit is the spool's own time, however long the worker was waited for:
// what the kind's limits leave. What the worker did not need comes on top. It is
// far more than an append takes, but under load the lock and the disk may let it
// wait.
func spoolLimit(k mem.EventKind) time.Duration { return hardLimit(k) - softLimit(k) - lastMoment }

// lastMoment is what is left of the hard limit for the answer.
const lastMoment = 5 * time.Millisecond

// FirstOf asks worker, and if that does not acknowledge the event within the
// time of ctx, gives it to spool: the event may then be kept twice, which its ID
// makes harmless, and the answer is silence. Either may be nil. A worker's
// handler that neither answers nor heeds ctx is left behind; it ends with the
// process. Slack is the call's.
func FirstOf(worker, spool mem.Handler, slack time.Duration) mem.Handler {
	return firstOf{worker, spool, slack}
}

type firstOf struct {
	worker, spool mem.Handler
	slack         time.Duration
}

func (f firstOf) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	errWorker := errNobody
	if f.worker != nil && ctx.Err() == nil {
		var r mem.Reply
		if r, errWorker = within(ctx, f.worker, e); errWorker == nil {
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
	if _, err := within(ctx, f.spool, e); err != nil {
		return mem.Reply{}, errors.Join(errWorker, err)
	}
	return mem.Reply{}, nil
}

// within asks h in a goroutine of its own, so that it can be left behind when
// ctx ends. A panic there is an error here.
func within(ctx context.Context, h mem.Handler, e mem.Event) (mem.Reply, error) {
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
		deepen(0)
		a.reply, a.err = h.Handle(ctx, e)
	}()
	select {
	case a := <-got:
		return a.reply, a.err
	case <-ctx.Done():
		return mem.Reply{}, ctx.Err()
	}
}

// deepen has the stack of a handler grow to what asking the worker takes. By itself
// it does so in steps, the last of them deep within, where all that is on it moves.
//
//go:noinline
func deepen(at int) byte {
	var room [5 << 10]byte
	return room[at]
}
