package sqlite

import (
	"context"
	"time"

	"remanence/internal/store/stored"
)

// PutTombstone writes a tombstone.
func (w *writer) PutTombstone(ctx context.Context, id string) error {
	_, err := w.exec(ctx, `INSERT INTO event (id, key, session, prompt_id, kind, tool, tool_use_id, agent_id, agent_type,
		ok, exit_code, duration_ms, payload, created_at) VALUES (?,'',NULL,'',?,'','','','',1,NULL,0,'',?)
		ON CONFLICT (id) DO UPDATE SET created_at=max(created_at, excluded.created_at)`, id, string(stored.Tombstone),
		stored.Stamp(w.now))
	return err
}

// removeTraces removes erased text from the log and the copies. The caller is the leader.
func (db *database) removeTraces(ctx context.Context, tries int) error {
	if err := db.emptyLogAndCopies(ctx, tries); err != nil {
		return err
	}
	return db.transact(ctx, func(w *writer) error {
		_, err := w.exec(ctx, "DELETE FROM event WHERE id=?", stored.UnfinishedPurge)
		return err
	})
}

// finishPurge finishes an earlier purge that was interrupted. The caller is the leader.
func (db *database) finishPurge(ctx context.Context, tries int) error {
	var n int
	err := stmt("SELECT count(*) FROM event WHERE id=?", stored.UnfinishedPurge).scan(ctx, db.conn, &n)
	if err != nil || n == 0 {
		return err
	}
	return db.removeTraces(ctx, tries)
}

// ErasedUntil implements mem.Store.
func (s *erasure) ErasedUntil(ctx context.Context, session string) (at time.Time, err error) {
	at, _, err = first(ctx, s.read, stmt("SELECT coalesce(max(created_at), 0) FROM event WHERE id=?",
		stored.TombstoneID(session)), into(func(at *time.Time) []any { return []any{timeAt(at)} }))
	return at, wrap("erased until", err)
}
