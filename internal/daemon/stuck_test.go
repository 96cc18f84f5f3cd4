package daemon

import (
	"context"
	"errors"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/views"
)

func TestFailuresInARowEndWithTheFirstEventKept(t *testing.T) {
	fails := errors.New("no")
	m := &meter{next: handlerFunc(func() error { return fails })}
	for range 2 {
		_, _ = m.Handle(t.Context(), mem.Event{})
	}
	var h views.Health
	if m.read(&h); h.FailedInRow != 2 {
		t.Errorf("got %d in a row, want 2", h.FailedInRow)
	}
	fails = nil
	_, _ = m.Handle(t.Context(), mem.Event{})
	if m.read(&h); h.FailedInRow != 0 || h.HookErrors != 2 {
		t.Errorf("got %d in a row and %d in all, want none and 2", h.FailedInRow, h.HookErrors)
	}
}

// The hook spools an event for which it stopped waiting: it is stored later, and nothing failed.
func TestAnEventWhoseHookStoppedWaitingIsNoError(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	m := &meter{next: handlerFunc(func() error { stop(); return ctx.Err() })}
	if _, err := m.Handle(ctx, mem.Event{}); err == nil {
		t.Error("no error for the hook")
	}
	var h views.Health
	if m.read(&h); h.HookErrors != 0 || h.FailedInRow != 0 || h.HookTimeouts != 1 {
		t.Errorf("%d errors, %d in a row, %d timeouts, want one timeout alone", h.HookErrors, h.FailedInRow, h.HookTimeouts)
	}
}

// handlerFunc answers every event with silence and its error.
type handlerFunc func() error

func (f handlerFunc) Handle(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, f() }
