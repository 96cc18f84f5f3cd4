package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// stop ends a turn: what the assistant said is digested. It never answers:
// context from here would start another turn of the model.
func (e *Engine) stop(ctx context.Context, m *event.Context) (mem.Reply, error) {
	if !m.Person() {
		return mem.Reply{}, nil
	}
	cited, err := e.Capture.Citations(ctx, m.SessionInfo, m.At, mem.ArchivedUtterance{PromptID: m.PromptID, Text: m.Text})
	e.Event.LogDegraded("uses", err)
	ch := event.Changes{Session: mem.SessionChange{Processing: new(false)}}
	ch.Merge(e.Capture.TranscriptLater(*m, capture.KeyArchive), e.Continuity.MeasureLater(*m),
		e.Filesync.NoteTurn(ctx, *m),
		cited)
	if m.StopActive && m.Text == "" {
		m.Take(ch)
		return mem.Reply{}, nil
	}
	kept, err := e.Capture.TurnEnd(ctx, *m)
	if err != nil {
		return mem.Reply{}, err
	}
	ch.Merge(kept, e.Digest.RefineLater(*m), capture.DigestLater(*m))
	m.Take(ch)
	return mem.Reply{}, nil
}

// stopFailure ends a turn that an error of the model's service cut off. What
// was in hand is saved: nobody says whether it goes on.
func (e *Engine) stopFailure(ctx context.Context, m *event.Context) (mem.Reply, error) {
	cp, err := e.Continuity.Checkpoint(ctx, *m, "stop-failure")
	if err != nil {
		return mem.Reply{}, err
	}
	ch := event.Changes{
		Session: mem.SessionChange{Processing: new(false)}, Checkpoints: []mem.Checkpoint{cp},
	}
	ch.Merge(e.Continuity.MeasureLater(*m))
	m.Take(ch)
	return mem.Reply{}, nil
}
