package sqlite

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// entry is one batch while it is written. It implements stored.Writer.
type entry struct {
	*writer
	stored.Entry
}

func newEntry(w *writer) *entry {
	e := &entry{writer: w}
	e.Entry = stored.NewEntry(w.now, e)
	return e
}

func (w *writer) apply(ctx context.Context, b mem.Batch) (mem.Result, error) {
	return newEntry(w).Apply(ctx, b)
}
