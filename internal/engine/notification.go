package engine

import (
	"cmp"
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// notification counts what the client reported to the person.
func (e *Engine) notification(_ context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	return mem.Reply{}, event.Changes{
		Session: mem.SessionChange{Notification: cmp.Or(ec.Source, ec.Text, "notification")},
	}, nil
}
