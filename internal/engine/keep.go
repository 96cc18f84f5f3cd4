package engine

import (
	"context"

	"remanence/internal/event"
)

// Purge erases memories and sessions and reports what it cannot reach.
func (e *Engine) Purge(ctx context.Context, ask event.IDs) (event.PurgeResponse, error) {
	if err := e.Curate.MayErase(ctx, ask); err != nil {
		return event.PurgeResponse{}, err
	}
	words, err := e.Filesync.EraseNotes(ctx, ask.IDs)
	if err != nil {
		return event.PurgeResponse{}, err
	}
	projects, words, err := e.Continuity.HandoffsToErase(ctx, ask.IDs, words)
	if err == nil {
		err = e.Continuity.EraseHandoffs(projects, words)
	}
	if err != nil {
		return event.PurgeResponse{}, err
	}
	p, err := e.Erase.Erase(ctx, ask.IDs)
	if err == nil { // a tail may have been written meanwhile
		err = e.Continuity.EraseHandoffs(projects, words)
	}
	if err != nil {
		return event.PurgeResponse{}, err
	}
	return event.PurgeResponse{Purged: p, Unreached: append(e.Erase.NotReached(), e.Filesync.FilesHolding(words)...)}, nil
}
