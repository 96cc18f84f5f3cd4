package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
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

// eraseRows is the part of a purge that happens in one transaction.
func (s *erasure) eraseRows(ctx context.Context, ids []string) (done mem.Purged, err error) {
	var erased map[int64]bool
	err = s.transact(ctx, func(w *writer) error {
		e := newEraser(w)
		if err := e.findIDs(ctx, ids); err != nil {
			return err
		}
		if err := e.erase(ctx); err != nil {
			return err
		}
		done, erased = e.Done, numbersOf(e.Memories)
		return e.putTombstones(ctx)
	})
	if err == nil {
		s.vectors.drop(erased)
	}
	return done, err
}

// PreviewPurge implements mem.Store.
func (s *erasure) PreviewPurge(ctx context.Context, ids ...string) ([]mem.Memory, mem.Purged, error) {
	e, err := s.preview(ctx, ids, (*eraser).erase)
	return e.Marked(), e.Done, err
}

// PurgeMemories implements mem.Store. It does not count, because that reads all rows.
func (s *erasure) PurgeMemories(ctx context.Context, ids ...string) ([]mem.Memory, error) {
	e, err := s.preview(ctx, ids, (*eraser).mark)
	return e.Marked(), err
}

// preview does part of a purge, or all of it, and rolls it back.
func (s *erasure) preview(ctx context.Context, ids []string, part func(*eraser, context.Context) error) (
	done stored.Erasure, err error,
) {
	err = s.change(ctx, func(w *writer) error {
		e := newEraser(w)
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

// eraser is one purge in its transaction.
type eraser struct {
	*entry
	stored.Erasure
}

func newEraser(w *writer) *eraser { return &eraser{newEntry(w), stored.NewErasure()} }

// findIDs resolves the ids. It fails before anything is written if one does not exist.
func (e *eraser) findIDs(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if strings.HasPrefix(id, "m_") {
			found, err := e.add(ctx, "m.id=?", id)
			if err != nil {
				return err
			}
			if found > 0 {
				continue
			}
		}
		var n int64
		var agentID string
		found, err := e.find(ctx, stmt("SELECT number, id FROM session WHERE id=? OR short=?", id, id), &n, &agentID)
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
	found, err := e.memories(ctx, condition, args...)
	for _, r := range found {
		e.Add(r)
	}
	return len(found), err
}

// addEach marks the memories with the given numbers.
func (e *eraser) addEach(ctx context.Context, numbers []int64) error {
	for _, n := range numbers {
		if _, err := e.add(ctx, "m.number=?", n); err != nil {
			return err
		}
	}
	return nil
}

// mark marks what must be erased with the memories and sessions that were named,
// and blanks the rest of the memories' sessions.
func (e *eraser) mark(ctx context.Context) error {
	for n := range e.Sessions {
		if _, err := e.add(ctx, "m.session=?", n); err != nil {
			return err
		}
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
	for _, m := range e.Memories {
		if err := e.deleteMemory(ctx, m); err != nil {
			return err
		}
	}
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

// markMerged marks the memories that were merged into marked ones.
func (e *eraser) markMerged(ctx context.Context) error {
	for next := slices.Collect(maps.Keys(e.Memories)); len(next) > 0; next = next[1:] {
		merged, err := rows(ctx, e.conn, stmt("SELECT number FROM memory WHERE merged_into=? AND merged_into<>''",
			e.Memories[next[0]].ID), one[int64])
		if err != nil {
			return err
		}
		merged = slices.DeleteFunc(merged, func(n int64) bool { _, known := e.Memories[n]; return known })
		if err := e.addEach(ctx, merged); err != nil {
			return err
		}
		next = append(next, merged...)
	}
	return nil
}

func (e *eraser) deleteMemory(ctx context.Context, m stored.MemoryRow) error {
	index := "memory_fts"
	if stored.IsUtterance(m.Memory) {
		index = "talk_fts"
		e.Spans.Add(m.SessionNumber, m.Number)
	}
	if _, err := e.exec(ctx, "DELETE FROM "+index+" WHERE rowid=?", m.Number); err != nil {
		return err
	}
	e.Done.Memories++
	_, err := e.exec(ctx, "DELETE FROM memory WHERE number=?", m.Number)
	return err
}

// deleteSession deletes a session with all that belongs to it. Its events keep
// their ids and their order.
func (e *eraser) deleteSession(ctx context.Context, n int64) error {
	for table, count := range map[string]*int{
		"turn": &e.Done.Turns, "receipt": &e.Done.Receipts, "checkpoint": &e.Done.Checkpoints,
	} {
		var rows int
		if err := e.get(ctx, stmt("SELECT count(*) FROM "+table+" WHERE session=?", n), &rows); err != nil {
			return err
		}
		*count += rows
	}
	events, err := e.changed(ctx, blankEvent+" WHERE session=? AND payload<>''", n)
	if err != nil {
		return err
	}
	e.Done.Events += events
	_, err = e.exec(ctx, "DELETE FROM session WHERE number=?", n)
	return err
}

// matching returns the numbers of the rows whose text passes. It keeps no texts:
// those of a large session are a hundred megabytes.
func (e *eraser) matching(ctx context.Context, s statement, passes func(string) bool) (found []int64, err error) {
	_, err = rows(ctx, e.conn, s, func(r *sql.Rows) (none struct{}, err error) {
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
