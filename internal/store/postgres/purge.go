//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	err = s.transact(ctx, func(tx *transaction) error {
		e := newEraser(tx)
		if err := e.findIDs(ctx, ids); err != nil {
			return err
		}
		if err := e.erase(ctx); err != nil {
			return err
		}
		done = e.Done
		return e.putTombstones(ctx)
	})
	if err != nil {
		return mem.Purged{}, wrap("purge", err)
	}
	return done, wrap("purge", s.finishPurge(ctx))
}

// PreviewPurge implements mem.Store.
func (s *Store) PreviewPurge(ctx context.Context, ids ...string) ([]mem.Memory, mem.Purged, error) {
	e, err := s.preview(ctx, ids, (*eraser).erase)
	return e.Marked(), e.Done, err
}

// PurgeMemories implements mem.Store. It does not count, because that reads all rows.
func (s *Store) PurgeMemories(ctx context.Context, ids ...string) ([]mem.Memory, error) {
	e, err := s.preview(ctx, ids, (*eraser).mark)
	return e.Marked(), err
}

// preview does part of a purge, or all of it, and rolls it back.
func (s *database) preview(ctx context.Context, ids []string, part func(*eraser, context.Context) error) (
	done stored.Erasure, err error,
) {
	err = s.transact(ctx, func(tx *transaction) error {
		e := newEraser(tx)
		if err := e.findIDs(ctx, ids); err != nil {
			return err
		}
		if err := part(e, ctx); err != nil {
			return err
		}
		done = e.Erasure
		return stored.ErrPreview
	})
	if errors.Is(err, stored.ErrPreview) {
		return done, nil
	}
	return stored.Erasure{}, wrap("purge", err)
}

func (tx *transaction) putTombstone(ctx context.Context, id string) error {
	n, err := tx.Next(ctx, "tombstone") // positions below those of events, so that these have no gaps
	if err != nil {
		return err
	}
	return tx.exec(ctx, query(`INSERT INTO event AS e (seq, id, key, prompt_id, kind, tool, tool_use_id, agent_id,
		dropped, payload, created_at) VALUES (?, ?, '', '', ?, '', '', '', true, '', ?)
		ON CONFLICT (id) DO UPDATE SET seq = excluded.seq, created_at = greatest(e.created_at, excluded.created_at)`, -n, id,
		stored.Tombstone, stored.Stamp(tx.now)))
}

// putTombstones writes the tombstones of a purge.
func (e *eraser) putTombstones(ctx context.Context) error {
	return stored.Each(ctx, "tombstone", e.Tombstones(), e.putTombstone)
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
	_, err = conn.Exec(ctx, "VACUUM (FULL, ANALYZE) event, memory, turn, session, receipt, receipt_item, checkpoint, "+
		"job, vector, entity, mention, relation, change, dismissed, injected_key, project, project_root, project_common")
	if err != nil {
		return err
	}
	return s.transact(ctx, func(tx *transaction) error {
		// What another daemon erased meanwhile has a tombstone with another position.
		return tx.exec(ctx, query("DELETE FROM event WHERE id = ? AND seq = ?", stored.UnfinishedPurge, seq))
	})
}

// eraser is one purge in its transaction.
type eraser struct {
	*entry
	stored.Erasure
}

func newEraser(tx *transaction) *eraser { return &eraser{newEntry(tx), stored.NewErasure()} }

// findIDs resolves the ids. It fails before anything is written if one does not exist.
func (e *eraser) findIDs(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if strings.HasPrefix(id, "m_") {
			found, err := e.add(ctx, "m.id = ?", id)
			if err != nil {
				return err
			}
			if found > 0 {
				continue
			}
		}
		var n int64
		var agentID string
		found, err := e.find(ctx, query("SELECT number, id FROM session WHERE id = ? OR short = ? LIMIT 1", id, id), &n,
			&agentID)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
		}
		e.AddSession(n, agentID)
	}
	return nil
}

// add marks the memories that meet a condition and returns their number.
func (e *eraser) add(ctx context.Context, condition string, args ...any) (int, error) {
	found, err := e.transaction.memories(ctx, condition, args...)
	for _, r := range found {
		e.Add(r)
	}
	return len(found), err
}

// mark marks what must be erased with the memories and sessions that were named, and blanks the rest of the memories'
// sessions.
func (e *eraser) mark(ctx context.Context) error {
	if _, err := e.add(ctx, "m.session = ANY(?)", slices.Collect(maps.Keys(e.Sessions))); err != nil {
		return err
	}
	if err := e.markMerged(ctx); err != nil {
		return err
	}
	// Before memories are marked because they contain the same text.
	if err := e.dropProposals(ctx, e.Traces.Finder()); err != nil {
		return err
	}
	// Memories that are marked meanwhile contain no more than these.
	for _, m := range slices.Collect(maps.Values(e.Memories)) {
		if err := e.blankSession(ctx, m); err != nil {
			return err
		}
	}
	return e.markMerged(ctx)
}

func (e *eraser) erase(ctx context.Context) error {
	if err := e.mark(ctx); err != nil {
		return err
	}
	for n, m := range e.Memories {
		if stored.IsUtterance(m.Memory) {
			e.Spans.Add(m.SessionNumber, n)
		}
	}
	numbers := slices.Collect(maps.Keys(e.Memories))
	deleted, err := e.changed(ctx, query("DELETE FROM memory WHERE number = ANY(?)", numbers))
	if err != nil {
		return err
	}
	e.Done.Memories = deleted
	if err := e.IndexUtterances(ctx); err != nil { // neighbours were indexed with its text
		return err
	}
	for n := range e.Sessions {
		if err := e.addSessionTraces(ctx, n); err != nil {
			return err
		}
		if err := e.deleteSession(ctx, n); err != nil {
			return err
		}
	}
	if err := e.dropProposals(ctx, e.AllTraces()); err != nil {
		return err
	}
	if err := e.blankOtherSessions(ctx); err != nil {
		return err
	}
	e.Done.Receipts += len(e.Receipts)
	return nil
}

// markMerged marks the memories that were merged into marked ones, and into those.
func (e *eraser) markMerged(ctx context.Context) error {
	for before := -1; before != len(e.Memories); {
		before = len(e.Memories)
		var ids []string
		for _, m := range e.Memories {
			ids = append(ids, m.ID)
		}
		if _, err := e.add(ctx, "m.merged_into = ANY(?) AND m.merged_into <> '' AND m.number <> ALL(?)", ids,
			slices.Collect(maps.Keys(e.Memories))); err != nil {
			return err
		}
	}
	return nil
}

// dropProposals erases the proposals that came from an erased session or contain a trace. Their memories stay: another
// author wrote them.
func (e *eraser) dropProposals(ctx context.Context, f *stored.Finder) error {
	found, err := e.transaction.memories(ctx, "m.proposed")
	if err != nil {
		return err
	}
	for _, r := range found {
		now, changed := e.WithoutProposals(r, f)
		if !changed {
			continue
		}
		if err := e.UpdateMemory(ctx, r, now); err != nil {
			return err
		}
	}
	return nil
}

// deleteSession deletes a session with all that belongs to it. Its events keep their ids and their order.
func (e *eraser) deleteSession(ctx context.Context, n int64) error {
	for table, count := range map[string]*int{
		"turn": &e.Done.Turns, "receipt": &e.Done.Receipts, "checkpoint": &e.Done.Checkpoints,
	} {
		var rows int
		if err := e.get(ctx, query("SELECT count(*) FROM "+table+" WHERE session = ?", n), &rows); err != nil {
			return err
		}
		*count += rows
	}
	events, err := e.changed(ctx, query(blankEvent+"session = ? AND payload <> ''", n))
	if err != nil {
		return err
	}
	e.Done.Events += events
	return e.exec(ctx, query("DELETE FROM session WHERE number = ?", n))
}

// matching returns the numbers of the rows whose text passes. It keeps no texts: those of a large session are a
// hundred megabytes.
func (e *eraser) matching(ctx context.Context, q *statement, passes func(string) bool) (found []int64, err error) {
	_, err = rows(ctx, e.tx, q, func(r pgx.Rows) (none struct{}, err error) {
		var n int64
		var text string
		if err = r.Scan(&n, &text); err == nil && passes(text) {
			found = append(found, n)
		}
		return none, err
	})
	return found, err
}
