package engine

import (
	"context"

	"remanence/internal/briefing"
	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// preCompact saves the current work before the client compacts its context. It answers nothing: any output becomes
// part of the summariser's instructions. The event does not mean that a compaction follows.
func (e *Engine) preCompact(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	ch, err := e.Continuity.PreCompact(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	cp := ch.Checkpoints[0]
	ch.Merge(e.Capture.TranscriptLater(ec, capture.KeyArchive), ec.StateFileNotes(workstate.Notes{
		Compaction: cp.Trigger, Derived: event.LinesOf(briefing.StateItems(cp.State)),
	}))
	return mem.Reply{}, ch, nil
}
