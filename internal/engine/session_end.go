package engine

import (
	"context"

	"remanence/internal/mem"
)

// sessionEnd closes a session and saves where it stood. A session nobody knew
// is closed all the same.
func (e *Engine) sessionEnd(ctx context.Context, m *moment) (mem.Reply, error) {
	idle := false
	m.batch.Session.Processing = &idle
	m.batch.Session.Status, m.batch.Session.EndReason = mem.Completed, first(m.Source, "other")
	if m.session.Prompts == 0 {
		return mem.Reply{}, nil
	}
	cp, err := e.checkpoint(ctx, m, "session-end")
	if err != nil {
		return mem.Reply{}, err
	}
	m.batch.Checkpoints = append(m.batch.Checkpoints, cp)
	e.takeLater(m, indexWords)
	return mem.Reply{}, nil
}
