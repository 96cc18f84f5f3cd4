package hook

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"time"

	"remanence/internal/mem"
)

const (
	hard      = 300 * time.Millisecond
	hardStart = time.Second // SessionStart: a worker may have to be started

	// reserve is what is left of the hard limit for the spool and the answer
	// when the worker's time is up.
	reserve = 45 * time.Millisecond
	// lastWords bounds the counting of an event that nobody has once its time is
	// up. It is part of the hard limit while the event is read, and may come after
	// it where worker and spool need all of that.
	lastWords = 50 * time.Millisecond
)

// hardLimit is how long a call of the kind may take from its first statement on.
func hardLimit(k mem.EventKind) time.Duration {
	if k == mem.SessionStart {
		return hardStart
	}
	return hard
}

// softLimit is how long the handler may take to answer.
func softLimit(k mem.EventKind) time.Duration {
	switch k {
	case mem.SessionStart:
		return 900 * time.Millisecond
	case mem.UserPromptSubmit:
		return 250 * time.Millisecond
	case mem.PostToolUse, mem.PostToolUseFailure, mem.SubagentStart:
		return 100 * time.Millisecond
	default:
		return 25 * time.Millisecond
	}
}

// limit is the handler's context: the soft limit, or less if reading has eaten into it.
func (r *call) limit(k mem.EventKind) (context.Context, context.CancelFunc) {
	left := r.hardLimit(k) - reserve - time.Since(r.begun)
	return context.WithTimeout(context.Background(), min(softLimit(k)+r.Slack/2, left))
}

func (r *call) hardLimit(k mem.EventKind) time.Duration { return hardLimit(k) + r.Slack }

// expire ends the process, whatever it is doing. An event that nobody has
// acknowledged by then is counted, if that is quickly done. It comes beside the
// call, so of that it reads only what two may.
func (r *call) expire(exit func(code int)) {
	defer exit(0)
	if r.stage.Load() == answering {
		return
	}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		defer func() { _ = recover() }()
		r.told.last()
	}()
	select {
	case <-counted:
	case <-time.After(lastWords):
	}
}

// recover turns a panic into silence. Its text may quote the payload, so only
// what the Go runtime itself says is logged.
func (r *call) recover() {
	p := recover()
	if p == nil {
		return
	}
	defer func() { _ = recover() }() // counting and logging may be what panicked
	note := "panic"
	if err, ok := p.(runtime.Error); ok && !strings.Contains(err.Error(), "interface conversion") {
		note = fmt.Sprintf("panic: %v", err)
	}
	if r.stage.Load() != answering {
		r.told.drop(DroppedPanic)
	}
	r.told.line(mem.Event{}, note)
}
