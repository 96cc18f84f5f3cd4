package engine

import (
	"context"

	"remanence/internal/mem"
)

// notification counts what the client told the person.
func (e *Engine) notification(_ context.Context, m *moment) (mem.Reply, error) {
	m.batch.Session.Notification = first(m.Source, m.Text, "notification")
	return mem.Reply{}, nil
}
