package sqlite

import (
	"context"
	"database/sql"

	"remanence/internal/store/stored"
)

// memories reads the memories that meet a condition, with the fields that can be decoded.
func (w *writer) memories(ctx context.Context, condition string, args ...any) ([]stored.MemoryRow, error) {
	return rows(ctx, w, stmt(selectMemories+" WHERE "+condition, args...), func(r *sql.Rows) (stored.MemoryRow, error) {
		row, err := scanRow(r)
		row.Broken = err != nil
		return row.MemoryRow, ignoreUnreadable(err)
	})
}

// oneMemory finds a memory that is to be written again.
func (w *writer) oneMemory(ctx context.Context, condition string, args ...any) (r stored.MemoryRow, found bool,
	err error,
) {
	all, err := w.memories(ctx, condition+" LIMIT 1", args...)
	if len(all) == 0 {
		return r, false, err
	}
	return all[0], true, err
}

// FindMemory finds a memory by its id.
func (w *writer) FindMemory(ctx context.Context, id string) (stored.MemoryRow, bool, error) {
	return w.oneMemory(ctx, "m.id=?", id)
}

// FindMemoryByKey finds a memory of the session, or without one of the project, by its key.
func (w *writer) FindMemoryByKey(ctx context.Context, session any, project, key string) (stored.MemoryRow, bool,
	error,
) {
	if session == nil {
		return w.oneMemory(ctx, "m.session IS NULL AND m.key=? AND +m.project=?", key, project)
	}
	return w.oneMemory(ctx, "m.session=? AND m.key=?", session, key)
}

// MemoriesOfTurn reads the memories of a turn of the session of the event.
func (e *entry) MemoriesOfTurn(ctx context.Context, promptID string) ([]stored.MemoryRow, error) {
	return e.memories(ctx, "m.session=? AND m.prompt_id=?", e.Session.Number, promptID)
}
