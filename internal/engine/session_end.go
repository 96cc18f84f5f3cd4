package engine

import (
	"cmp"
	"context"

	"remanence/internal/mem"
)

// sessionEnd closes a session and saves where it stood. A session nobody knew
// is closed all the same.
func (e *Engine) sessionEnd(ctx context.Context, m *moment) (mem.Reply, error) {
	m.batch.Session.Processing = new(false)
	m.batch.Session.Status, m.batch.Session.EndReason = mem.Completed, cmp.Or(m.Source, "other")
	end := mem.MindNotes{EndReason: m.batch.Session.EndReason}
	if m.mind.Trusted {
		var err error
		end.Files, err = e.changedFiles(ctx, m)
		e.without("changed files", err)
	}
	m.leave(end)
	if m.session.Prompts == 0 {
		return mem.Reply{}, nil
	}
	cp, err := e.checkpoint(ctx, m, "session-end")
	if err != nil {
		return mem.Reply{}, err
	}
	m.batch.Checkpoints = append(m.batch.Checkpoints, cp)
	if err := e.sessionSummary(ctx, m); err != nil {
		return mem.Reply{}, err
	}
	m.batch.Jobs = append(m.batch.Jobs, consolidateLater(m.Session, m.At.Add(consolidateLag)))
	e.takeLater(m, indexWords)
	return mem.Reply{}, nil
}
