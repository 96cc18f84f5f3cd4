package engine

import (
	"context"
	"slices"

	"remanence/internal/capture"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// Backfill reads in the sessions of an agent's transcripts, or stops or undoes that.
func (e *Engine) Backfill(ctx context.Context, req capture.BackfillRequest) (event.Backfill, error) {
	if !req.Stop && !req.Undo {
		return e.Capture.Backfill(ctx, req)
	}
	out, err := e.Capture.StopBackfill(ctx)
	if err != nil || !req.Undo {
		return out, err
	}
	p, err := e.Event.Place(ctx, mem.ProjectRef{Project: req.Project})
	if err != nil {
		return out, err
	}
	ids, err := e.Capture.BackfilledMemories(ctx, p.Key)
	if err != nil {
		return out, err
	}
	for part := range slices.Chunk(ids, curate.MaxFound) {
		got, err := e.Curate.Mark(ctx, curate.MarkRequest{
			ProjectRef: mem.ProjectRef{Project: "all"}, Verb: curate.ProposeForget, IDs: part,
		})
		if err != nil {
			return out, err
		}
		out.Hidden += len(got.Memories)
	}
	return out, nil
}
