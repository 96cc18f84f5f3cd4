package engine

import (
	"cmp"
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// notification counts what the client told the person.
func (e *Engine) notification(_ context.Context, m *event.Context) (mem.Reply, error) {
	m.Batch.Session.Notification = cmp.Or(m.Source, m.Text, "notification")
	return mem.Reply{}, nil
}
