package engine

import (
	"cmp"
	"context"

	"remanence/internal/mem"
)

// notification counts what the client told the person.
func (e *Engine) notification(_ context.Context, m *moment) (mem.Reply, error) {
	m.batch.Session.Notification = cmp.Or(m.Source, m.Text, "notification")
	return mem.Reply{}, nil
}
