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
	hardStart = time.Second // SessionStart may have to start a daemon

	// reserve is the part of the hard limit that is kept for spool and reply after the
	// daemon's time is up.
	reserve = 45 * time.Millisecond
	// countTimeout limits counting a lost event after a timeout. While the event is read it is
	// part of the hard limit; later it may exceed it.
	countTimeout = 50 * time.Millisecond
)

// hardLimit is the longest time of a call of the kind, from its first statement.
func hardLimit(k mem.EventKind) time.Duration {
	if k == mem.SessionStart {
		return hardStart
	}
	return hard
}

// softLimit is the longest time for the handler.
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

// limit returns the handler's context: the soft limit, or less if reading took long.
func (r *call) limit(k mem.EventKind) (context.Context, context.CancelFunc) {
	left := r.hardLimit(k) - reserve - time.Since(r.start)
	return context.WithTimeout(context.Background(), min(softLimit(k)+r.Slack/2, left))
}

func (r *call) hardLimit(k mem.EventKind) time.Duration { return hardLimit(k) + r.Slack }

// expire ends the process at the hard limit. If the event is not acknowledged it is counted as
// lost, within countTimeout. It runs concurrently with the call and reads only fields that are
// safe for that.
func (r *call) expire(exit func(code int)) {
	defer exit(0)
	if r.stage.Load() == answering {
		return
	}
	counted := make(chan struct{})
	go func() {
		defer close(counted)
		defer func() { _ = recover() }()
		r.outcome.expire()
	}()
	select {
	case <-counted:
	case <-time.After(countTimeout):
	}
}

// recover handles a panic of the call: nothing is written. The panic's text may quote the
// payload, so only errors of the Go runtime are logged.
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
		r.outcome.drop(DroppedPanic)
	}
	r.outcome.line(mem.Event{}, note)
}
