package engine

import (
	"cmp"
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// sessionEnd closes a session and saves where it stood. A session nobody knew
// is closed all the same.
func (e *Engine) sessionEnd(ctx context.Context, m *event.Context) (mem.Reply, error) {
	m.Batch.Session.Processing = new(false)
	m.Batch.Session.Status, m.Batch.Session.EndReason = mem.Completed, cmp.Or(m.Source, "other")
	m.Take(e.Filesync.NoteSessionEnd(ctx, *m, m.Batch.Session.EndReason))
	if m.SessionInfo.Prompts == 0 {
		return mem.Reply{}, nil
	}
	cp, err := e.Continuity.Checkpoint(ctx, *m, "session-end")
	if err != nil {
		return mem.Reply{}, err
	}
	m.Batch.Checkpoints = append(m.Batch.Checkpoints, cp)
	summary, err := e.Capture.SessionSummary(ctx, *m)
	if err != nil {
		return mem.Reply{}, err
	}
	m.Take(summary)
	m.Batch.Jobs = append(m.Batch.Jobs, event.ConsolidateLater(m.Session, m.At.Add(event.ConsolidateLag)))
	m.Take(e.Capture.TranscriptLater(*m, capture.KeyIndex))
	return mem.Reply{}, nil
}
