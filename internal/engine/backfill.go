package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/capture"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// Backfill reads in the sessions of an agent's transcripts, or stops or undoes that. It returns ErrNotPerson if an
// agent asks to undo it.
func (e *Engine) Backfill(ctx context.Context, req capture.BackfillRequest) (event.Backfill, error) {
	switch {
	case (req.Stop || req.Undo) && (req.DryRun || req.Limit > 0 || !req.Since.IsZero()):
		return event.Backfill{}, capture.ErrNoSelection
	case req.Undo && req.Agent != "":
		return event.Backfill{}, fmt.Errorf("undo a backfill: %w", curate.ErrNotPerson)
	case !req.Stop && !req.Undo:
		return e.Capture.Backfill(ctx, req)
	}
	out, err := e.Capture.StopBackfill(ctx)
	if err != nil || !req.Undo {
		return out, err
	}
	p, err := e.Event.Place(ctx, mem.ProjectRef{Project: req.Project})
	if errors.Is(err, mem.ErrNotFound) {
		err = fmt.Errorf("%q: %w", req.Project, capture.ErrNoTranscripts)
	}
	if err != nil {
		return out, err
	}
	made, err := e.Capture.BackfilledMemories(ctx, p.Key)
	if err != nil {
		return out, err
	}
	superseded, err := e.Capture.SupersededOnlyBy(ctx, made)
	if err != nil {
		return out, err
	}
	// First what an interruption would leave superseded by hidden memories.
	if _, err := e.mark(ctx, curate.ProposeRestore, superseded); err != nil {
		return out, err
	}
	ids := make([]string, 0, len(made))
	for _, mm := range made {
		ids = append(ids, mm.ID)
	}
	out.Hidden, err = e.mark(ctx, curate.ProposeForget, ids)
	return out, err
}

// mark marks memories for the person, and counts them.
func (e *Engine) mark(ctx context.Context, verb string, ids []string) (marked int, err error) {
	for part := range slices.Chunk(ids, curate.MaxFound) {
		got, err := e.Curate.Mark(ctx, curate.MarkRequest{
			ProjectRef: mem.ProjectRef{Project: "all"}, Verb: verb, IDs: part,
		})
		if err != nil {
			return marked, err
		}
		marked += len(got.Memories)
	}
	return marked, nil
}
