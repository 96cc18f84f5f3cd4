package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// stop ends a turn: the assistant's answer is digested. It never answers, because injected context would start
// another turn of the model.
func (e *Engine) stop(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if !ec.Person() {
		return mem.Reply{}, event.Changes{}, nil
	}
	cited, err := e.Capture.Citations(ctx, ec.SessionInfo, ec.At,
		mem.ArchivedUtterance{PromptID: ec.PromptID, Text: ec.Text})
	e.Event.LogDegraded("uses", err)
	ch := event.Changes{Session: mem.SessionChange{Processing: new(false)}}
	ch.Merge(e.Capture.TranscriptLater(ec, capture.KeyArchive), e.Continuity.MeasureLater(ec),
		e.Filesync.NoteTurn(ctx, ec),
		cited)
	if ec.StopActive && ec.Text == "" {
		return mem.Reply{}, ch, nil
	}
	kept, err := e.Capture.TurnEnd(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch.Merge(kept, e.Digest.RefineLater(ec), capture.DigestLater(ec))
	return mem.Reply{}, ch, nil
}
