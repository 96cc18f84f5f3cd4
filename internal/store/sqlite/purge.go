package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Purge implements mem.Store.
func (s *erasure) Purge(ctx context.Context, ids ...string) (done mem.Purged, err error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return done, wrap("purge", err)
	}
	defer unlock()
	if err := s.finishPurge(ctx, purgeTries); err != nil {
		return done, wrap("purge", err)
	}
	if done, err = s.eraseRows(ctx, ids); err != nil {
		return mem.Purged{}, wrap("purge", err)
	}
	return done, wrap("purge", s.removeTraces(ctx, purgeTries))
}

// eraseRows is the part of a purge that happens in one transaction. The caller holds the lock.
func (s *erasure) eraseRows(ctx context.Context, ids []string) (mem.Purged, error) {
	e, err := stored.Purge(ctx, func(ctx context.Context, f func(stored.Eraser) error) error {
		return s.transact(ctx, func(w *writer) error { return f(newEntry(w)) })
	}, ids)
	if err == nil {
		s.vectors.drop(numbersOf(e.Memories))
	}
	return e.Done, err
}

// PreviewPurge implements mem.Store.
func (s *erasure) PreviewPurge(ctx context.Context, ids ...string) ([]mem.Memory, mem.Purged, error) {
	ms, done, err := stored.PreviewPurge(ctx, s.erasing, ids)
	return ms, done, wrap("purge", err)
}

// PurgeMemories implements mem.Store.
func (s *erasure) PurgeMemories(ctx context.Context, ids ...string) ([]mem.Memory, error) {
	ms, err := stored.PurgeMemories(ctx, s.erasing, ids)
	return ms, wrap("purge", err)
}

// erasing runs f in a transaction.
func (s *erasure) erasing(ctx context.Context, f func(stored.Eraser) error) error {
	return s.change(ctx, func(w *writer) error { return f(newEntry(w)) })
}

// How often to try to empty the log, a second each. Reading takes less as a rule.
const (
	purgeTries = 8
	openTries  = 1
)

// emptyLogAndCopies removes erased text from the log, which still contains the
// pages from before, and deletes the copies of the database.
func (db *database) emptyLogAndCopies(ctx context.Context, tries int) error {
	db.purges.Add(1)
	db.setBusyTimeout(ctx, time.Second)
	defer db.setBusyTimeout(ctx, db.busy)
	for i := range tries {
		emptied, err := emptyLog(ctx, db.conn)
		if err != nil {
			return err
		}
		if emptied {
			break
		}
		if i == tries-1 {
			return fmt.Errorf("empty the log: %w", mem.ErrLocked)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
	return dropCopies(db.path)
}

// globQuote quotes a path for use in a pattern.
func globQuote(path string) string {
	pairs := []string{"*", "[*]", "?", "[?]", "[", "[[]"}
	if filepath.Separator != '\\' { // on Windows it quotes nothing
		pairs = append(pairs, `\`, `\\`)
	}
	return strings.NewReplacer(pairs...).Replace(path)
}

// FindSessionToErase finds a session by its id or its short id.
func (w *writer) FindSessionToErase(ctx context.Context, ref string) (n int64, id string, found bool, err error) {
	found, err = w.find(ctx, stmt("SELECT number, id FROM session WHERE id=? OR short=?", ref, ref), &n, &id)
	return n, id, found, err
}

// MemoriesOfSession reads the memories of a session.
func (w *writer) MemoriesOfSession(ctx context.Context, session int64) ([]stored.MemoryRow, error) {
	return w.memories(ctx, "m.session=?", session)
}

// MergedInto reads the memories that were merged into others.
func (w *writer) MergedInto(ctx context.Context, ids []string) ([]stored.MemoryRow, error) {
	return w.memories(ctx, "m.merged_into IN "+listed+" AND m.merged_into<>''", array(ids))
}

// hasProposals is the condition of memories with proposals. Within a string of the JSON document the quotes would be
// escaped.
const hasProposals = `instr(m.standing, '"proposals":[') > 0`

// MemoriesWithProposals reads the memories that have proposals.
func (w *writer) MemoriesWithProposals(ctx context.Context) ([]stored.MemoryRow, error) {
	return w.memories(ctx, hasProposals)
}

// MemoriesWithTrace reads the memories of a session that contain a trace.
func (w *writer) MemoriesWithTrace(ctx context.Context, session int64, f *stored.Finder) ([]stored.MemoryRow, error) {
	found, err := w.matching(ctx, stmt(`SELECT number, title || char(10) || body || char(10) || facts || char(10) ||
		summary || char(10) || command || char(10) || words || char(10) || standing FROM memory WHERE session=?`, session),
		f.In)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return w.memories(ctx, "m.number IN "+listed, array(found))
}

// UtterancesOfTurn reads the utterances of a turn.
func (w *writer) UtterancesOfTurn(ctx context.Context, session int64, promptID string) ([]stored.MemoryRow, error) {
	return w.memories(ctx, "m.session=? AND m.kind='utterance' AND m.prompt_id=?", session, promptID)
}

// DeleteMemories deletes memories and their index rows.
func (e *entry) DeleteMemories(ctx context.Context, memories map[int64]stored.MemoryRow) error {
	for n, m := range memories {
		index := "memory_fts"
		if stored.IsUtterance(m.Memory) {
			index = "talk_fts"
			e.Spans.Add(m.SessionNumber, n)
		}
		if _, err := e.exec(ctx, "DELETE FROM "+index+" WHERE rowid=?", n); err != nil {
			return err
		}
		if _, err := e.exec(ctx, "DELETE FROM memory WHERE number=?", n); err != nil {
			return err
		}
	}
	return nil
}

// DeleteSession deletes a session with all that belongs to it, and blanks its events.
func (w *writer) DeleteSession(ctx context.Context, n int64) (done mem.Purged, err error) {
	if err := w.get(ctx, stmt(`SELECT (SELECT count(*) FROM turn WHERE session=?1),
		(SELECT count(*) FROM receipt WHERE session=?1), (SELECT count(*) FROM checkpoint WHERE session=?1)`, n),
		&done.Turns, &done.Receipts, &done.Checkpoints); err != nil {
		return done, err
	}
	if done.Events, err = w.changed(ctx, blankEvent+" WHERE session=? AND payload<>''", n); err != nil {
		return done, err
	}
	_, err = w.exec(ctx, "DELETE FROM session WHERE number=?", n)
	return done, err
}

// matching returns the numbers of the rows whose text passes. It keeps no texts:
// those of a large session are a hundred megabytes.
func (w *writer) matching(ctx context.Context, s statement, passes func(string) bool) (found []int64, err error) {
	_, err = rows(ctx, w.conn, s, func(r *sql.Rows) (none struct{}, err error) {
		var n int64
		var text string
		if err := r.Scan(&n, &text); err != nil {
			return none, err
		}
		if passes(text) {
			found = append(found, n)
		}
		return none, nil
	})
	return found, err
}
