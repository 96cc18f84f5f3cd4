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

// handlerFunc answers every event with silence and its error.
type handlerFunc func() error

func (f handlerFunc) Handle(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, f() }
