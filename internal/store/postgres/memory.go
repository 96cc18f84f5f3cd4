//go:build postgres || backends

package postgres

import (
	"context"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// memories reads the memories that meet a condition.
func (tx *transaction) memories(ctx context.Context, condition string, args ...any) ([]stored.MemoryRow, error) {
	return rows(ctx, tx.tx, query("SELECT "+memoryColumns+" FROM memory m WHERE "+condition, args...), scanStored)
}

// oneMemory finds a memory that is to be written again.
func (tx *transaction) oneMemory(ctx context.Context, condition string, args ...any) (r stored.MemoryRow, found bool,
	err error,
) {
	all, err := tx.memories(ctx, condition+" LIMIT 1", args...)
	if len(all) == 0 {
		return r, false, err
	}
	return all[0], true, err
}

// FindMemory finds a memory by its id.
func (tx *transaction) FindMemory(ctx context.Context, id string) (stored.MemoryRow, bool, error) {
	return tx.oneMemory(ctx, "m.id = ?", id)
}

// FindMemoryByKey finds a memory of the session, or without one of the project, by its key.
func (tx *transaction) FindMemoryByKey(ctx context.Context, session any, project, key string) (stored.MemoryRow, bool,
	error,
) {
	same, args := sameText("m.key", key)
	if session == nil {
		return tx.oneMemory(ctx, "m.session IS NULL AND m.project = ? AND "+same, append([]any{project}, args...)...)
	}
	return tx.oneMemory(ctx, "m.session = ? AND "+same, append([]any{session}, args...)...)
}

// MemoriesOfTurn reads the memories of a turn of the session of the event.
func (e *entry) MemoriesOfTurn(ctx context.Context, promptID string) ([]stored.MemoryRow, error) {
	return e.memories(ctx, "m.session = ? AND m.prompt_id = ?", e.Session.Number, promptID)
}

// InsertMemory writes a new memory.
func (e *entry) InsertMemory(ctx context.Context, r stored.MemoryRow) error {
	return e.saveMemory(ctx, r)
}

// UpdateMemory writes a changed memory. The vector of a text that changes is deleted.
func (e *entry) UpdateMemory(ctx context.Context, old stored.MemoryRow, now mem.Memory) error {
	row := old
	row.Memory, row.Outdated = now, old.Outdated || old.OutdatesLinks(now)
	if stored.IsUtterance(old.Memory) && !stored.IsUtterance(now) {
		e.Spans.Add(old.SessionNumber, old.Number)
	}
	if err := e.saveMemory(ctx, row); err != nil {
		return err
	}
	if !old.Broken && !stored.VectorChanged(old.Memory, now) {
		return nil
	}
	return e.exec(ctx, query("DELETE FROM vector WHERE memory = ?", old.Number))
}
