package engine

import (
	"context"

	"remanence/internal/mem"
)

// Purge erases memories and sessions and says what it cannot reach.
func (e *Engine) Purge(ctx context.Context, ask mem.IDs) (mem.Erased, error) {
	if err := e.Curate.MayErase(ctx, ask); err != nil {
		return mem.Erased{}, err
	}
	words, err := e.Filesync.EraseNotes(ctx, ask.IDs)
	if err != nil {
		return mem.Erased{}, err
	}
	projects, words, err := e.Continuity.HandedOn(ctx, ask.IDs, words)
	if err == nil {
		err = e.Continuity.EraseHandoffs(projects, words)
	}
	if err != nil {
		return mem.Erased{}, err
	}
	p, err := e.Erase.Erase(ctx, ask.IDs)
	if err == nil { // a tail may have been written meanwhile
		err = e.Continuity.EraseHandoffs(projects, words)
	}
	if err != nil {
		return mem.Erased{}, err
	}
	return mem.Erased{Purged: p, Unreached: append(e.Erase.Unreached(), e.Filesync.StillIn(words)...)}, nil
}
