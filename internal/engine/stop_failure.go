package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// stopFailure ends a turn that an error of the model's service ended. The current work is saved, because the
// session may not continue.
func (e *Engine) stopFailure(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	cp, err := e.Continuity.Checkpoint(ctx, ec, "stop-failure")
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch := event.Changes{
		Session: mem.SessionChange{Processing: new(false)}, Checkpoints: []mem.Checkpoint{cp},
	}
	ch.Merge(e.Continuity.MeasureLater(ec))
	return mem.Reply{}, ch, nil
}
