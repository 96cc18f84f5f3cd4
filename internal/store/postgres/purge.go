//go:build postgres || backends

package postgres

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Purge implements mem.Store. The tables are written anew without the erased rows. The server's write-ahead log, its
// replicas and its backups keep what they have until they are recycled or deleted.
func (s *Store) Purge(ctx context.Context, ids ...string) (done mem.Purged, err error) {
	if err := s.finishPurge(ctx); err != nil {
		return done, wrap("purge", err)
	}
	e, err := stored.Purge(ctx, s.erasing, ids)
	if err != nil {
		return done, wrap("purge", err)
	}
	return e.Done, wrap("purge", s.finishPurge(ctx))
}

// PreviewPurge implements mem.Store.
func (s *Store) PreviewPurge(ctx context.Context, ids ...string) ([]mem.Memory, mem.Purged, error) {
	ms, done, err := stored.PreviewPurge(ctx, s.erasing, ids)
	return ms, done, wrap("purge", err)
}

// PurgeMemories implements mem.Store.
func (s *Store) PurgeMemories(ctx context.Context, ids ...string) ([]mem.Memory, error) {
	ms, err := stored.PurgeMemories(ctx, s.erasing, ids)
	return ms, wrap("purge", err)
}

// erasing runs f in a transaction.
func (s *database) erasing(ctx context.Context, f func(stored.Eraser) error) error {
	return s.transact(ctx, func(tx *transaction) error { return f(newEntry(tx)) })
}

// PutTombstone writes a tombstone.
func (tx *transaction) PutTombstone(ctx context.Context, id string) error {
	n, err := tx.Next(ctx, "tombstone") // positions below those of events, so that these have no gaps
	if err != nil {
		return err
	}
	return tx.exec(ctx, query(`INSERT INTO event AS e (seq, id, key, prompt_id, kind, tool, tool_use_id, agent_id,
		dropped, payload, created_at) VALUES (?, ?, '', '', ?, '', '', '', true, '', ?)
		ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, created_at = greatest(e.created_at, excluded.created_at)`, -n, id,
		stored.Tombstone, stored.Stamp(tx.now)))
}

// ErasedUntil implements mem.Store.
func (s *Store) ErasedUntil(ctx context.Context, session string) (at time.Time, err error) {
	err = get(ctx, s.pool, query("SELECT coalesce(max(created_at), 0) FROM event WHERE id = ?",
		stored.TombstoneID(session)), timeAt(&at))
	return at, wrap("erased until", err)
}

// finishPurge writes the tables anew, without the erased rows, if a purge or a scrub left that to do. A row that an
// older transaction of the server still sees stays in them.
func (s *database) finishPurge(ctx context.Context) error {
	seq, found, err := first(ctx, s.pool, query("SELECT seq FROM event WHERE id = ?", stored.UnfinishedPurge), one[int64])
	if err != nil || !found {
		return err
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if _, err := conn.Exec(ctx, "SET statement_timeout = 0"); err != nil {
		return err
	}
	defer func() { _, _ = conn.Exec(context.WithoutCancel(ctx), "RESET statement_timeout") }()
	if err := dropNearIndexes(ctx, conn.Conn()); err != nil {
		return err
	}
	_, err = conn.Exec(unlimited(ctx), "VACUUM (FULL, ANALYZE) event, memory, turn, session, receipt, receipt_item, "+
		"checkpoint, job, vector, entity, mention, relation, change, dismissed, injected_key, project, project_root, "+
		"project_common")
	if err == nil { // no row of a new table counts as visible to all, so that counts would not be read from an index alone
		_, err = conn.Exec(unlimited(ctx), "VACUUM memory")
	}
	if err != nil {
		return err
	}
	if err := s.transact(ctx, func(tx *transaction) error {
		// What another daemon erased meanwhile has a tombstone with another position.
		return tx.exec(ctx, query("DELETE FROM event WHERE id = ? AND seq = ?", stored.UnfinishedPurge, seq))
	}); err != nil {
		return err
	}
	within, stop := context.WithTimeout(ctx, indexWait)
	defer stop()
	_ = s.indexVectors(within) // without it vectors are compared one by one, and the next start tries again
	return nil
}

// FindSessionToErase finds a session by its id or its short id.
func (tx *transaction) FindSessionToErase(ctx context.Context, ref string) (n int64, id string, found bool, err error) {
	found, err = tx.find(ctx, query("SELECT number, id FROM session WHERE id = ? OR short = ? LIMIT 1", ref, ref), &n,
		&id)
	return n, id, found, err
}

// MemoriesOfSession reads the memories of a session.
func (tx *transaction) MemoriesOfSession(ctx context.Context, session int64) ([]stored.MemoryRow, error) {
	return tx.memories(ctx, "m.session = ?", session)
}

// MergedInto reads the memories that were merged into others.
func (tx *transaction) MergedInto(ctx context.Context, ids []string) ([]stored.MemoryRow, error) {
	return tx.memories(ctx, "m.merged_into = ANY(?) AND m.merged_into <> ''", ids)
}

// MemoriesWithProposals reads the memories that have proposals.
func (tx *transaction) MemoriesWithProposals(ctx context.Context) ([]stored.MemoryRow, error) {
	return tx.memories(ctx, "m.proposed")
}

// MemoriesWithTrace reads the memories of a session that contain a trace.
func (tx *transaction) MemoriesWithTrace(ctx context.Context, session int64, f *stored.Finder) ([]stored.MemoryRow,
	error,
) {
	found, err := tx.matching(ctx, query(`SELECT number, '[' || to_json(words) || ',' || to_json(command) || ',' || doc ||
		']' FROM memory WHERE session = ?`, session), f.InDocument)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return tx.memories(ctx, "m.number = ANY(?)", found)
}

// UtterancesOfTurn reads the utterances of a turn.
func (tx *transaction) UtterancesOfTurn(ctx context.Context, session int64, promptID string) ([]stored.MemoryRow,
	error,
) {
	return tx.memories(ctx, "m.session = ? AND m.kind = 'utterance' AND m.prompt_id = ?", session, promptID)
}

// DeleteMemories deletes memories.
func (e *entry) DeleteMemories(ctx context.Context, memories map[int64]stored.MemoryRow) error {
	for n, m := range memories {
		if stored.IsUtterance(m.Memory) {
			e.Spans.Add(m.SessionNumber, n)
		}
	}
	return e.exec(ctx, query("DELETE FROM memory WHERE number = ANY(?)", slices.Collect(maps.Keys(memories))))
}

// DeleteSession deletes a session with all that belongs to it, and blanks its events.
func (tx *transaction) DeleteSession(ctx context.Context, n int64) (done mem.Purged, err error) {
	if err := tx.get(ctx, query(`SELECT (SELECT count(*) FROM turn WHERE session = ?),
		(SELECT count(*) FROM receipt WHERE session = ?), (SELECT count(*) FROM checkpoint WHERE session = ?)`, n, n, n),
		&done.Turns, &done.Receipts, &done.Checkpoints); err != nil {
		return done, err
	}
	if done.Events, err = tx.changed(ctx, query(blankEvent+"session = ? AND payload <> ''", n)); err != nil {
		return done, err
	}
	return done, tx.exec(ctx, query("DELETE FROM session WHERE number = ?", n))
}

// matching returns the numbers of the rows whose text passes. It keeps no texts: those of a large session are a
// hundred megabytes.
func (tx *transaction) matching(ctx context.Context, q *statement, passes func(string) bool) (found []int64,
	err error,
) {
	_, err = rows(ctx, tx.tx, q, func(r pgx.Rows) (none struct{}, err error) {
		var n int64
		var text string
		if err = r.Scan(&n, &text); err == nil && passes(text) {
			found = append(found, n)
		}
		return none, err
	})
	return found, err
}
