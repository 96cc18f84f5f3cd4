package sqlite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Purge implements mem.Store.
func (s *erasure) Purge(ctx context.Context, ids ...string) (mem.Purged, error) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return mem.Purged{}, fmt.Errorf("purge: %w", err)
	}
	defer unlock()
	if err := s.resume(ctx, patient); err != nil {
		return mem.Purged{}, fmt.Errorf("purge: %w", translate(err))
	}
	done, err := s.eraseRows(ctx, ids)
	if err != nil {
		return mem.Purged{}, fmt.Errorf("purge: %w", translate(err))
	}
	if err := s.finish(ctx, patient); err != nil {
		return done, fmt.Errorf("purge: %w", translate(err))
	}
	return done, nil
}

// eraseRows is the part of a purge that happens whole or not at all.
func (s *erasure) eraseRows(ctx context.Context, ids []string) (done mem.Purged, err error) {
	var gone map[int64]bool
	err = s.transact(ctx, func(w *writer) error {
		e := newEraser(w)
		if err := e.find(ctx, ids); err != nil {
			return err
		}
		if err := e.erase(ctx); err != nil {
			return err
		}
		done, gone = e.done, numbersOf(e.memories)
		return e.bury(ctx)
	})
	if err == nil {
		s.vectors.forget(gone)
	}
	return done, err
}

// errRehearsal takes back a purge that only had to show what it would do.
var errRehearsal = errors.New("nothing is to be erased")

// PreviewPurge implements mem.Store.
func (s *erasure) PreviewPurge(ctx context.Context, ids ...string) ([]mem.Memory, mem.Purged, error) {
	e, err := s.rehearse(ctx, ids, (*eraser).erase)
	if err != nil {
		return nil, mem.Purged{}, err
	}
	return e.doomed(), e.done, nil
}

// PurgeMemories implements mem.Store. To count, all that is stored would have to be read.
func (s *erasure) PurgeMemories(ctx context.Context, ids ...string) ([]mem.Memory, error) {
	e, err := s.rehearse(ctx, ids, (*eraser).doom)
	if err != nil {
		return nil, err
	}
	return e.doomed(), nil
}

// rehearse does a part of a purge, or all of it, and takes it back.
func (s *erasure) rehearse(ctx context.Context, ids []string, part func(*eraser, context.Context) error) (e *eraser,
	err error,
) {
	unlock, err := s.lock(ctx)
	if err != nil {
		return nil, fmt.Errorf("purge: %w", err)
	}
	defer unlock()
	err = s.transact(ctx, func(w *writer) error {
		e = newEraser(w)
		if err := e.find(ctx, ids); err != nil {
			return err
		}
		if err := part(e, ctx); err != nil {
			return err
		}
		return errRehearsal
	})
	if !errors.Is(err, errRehearsal) {
		return nil, fmt.Errorf("purge: %w", translate(err))
	}
	return e, nil
}

// How often the log is tried to be emptied, a second each: readers are short.
const (
	patient   = 8
	impatient = 1
)

// scrub takes the erased text out of the log, which still holds the pages as
// they were, and out of our own copies.
func (db *database) scrub(ctx context.Context, tries int) error {
	db.purges.Add(1)
	db.wait(ctx, time.Second)
	defer db.wait(ctx, db.busy)
	for i := range tries {
		var busy, pages, moved int
		if err := db.conn.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
			return err
		}
		if busy == 0 {
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

// globQuote makes a path that stands for itself in a pattern.
func globQuote(path string) string {
	pairs := []string{"*", "[*]", "?", "[?]", "[", "[[]"}
	if filepath.Separator != '\\' { // else it quotes nothing
		pairs = append(pairs, `\`, `\\`)
	}
	return strings.NewReplacer(pairs...).Replace(path)
}

// eraser is one purge in its transaction.
type eraser struct {
	*writer
	entry    *entry
	memories map[int64]mem.Memory // to be erased, by number
	sessions map[int64]bool       // to be erased whole
	whole    map[string]bool      // the same by the agent's id
	traces   traces               // of all memories, for the receipts that told them
	asked    traces               // what was asked and handed on in the sessions that are erased whole
	receipts map[int64]bool       // blanked or deleted
	buried   map[string]bool      // sessions of which something was erased, by the agent's id
	done     mem.Purged
}

func newEraser(w *writer) *eraser {
	return &eraser{
		writer: w, entry: &entry{writer: w, talk: talk{}}, memories: map[int64]mem.Memory{}, sessions: map[int64]bool{},
		receipts: map[int64]bool{},
		buried:   map[string]bool{}, whole: map[string]bool{},
	}
}

// find resolves the ids. Nothing has been written when one is not there.
func (e *eraser) find(ctx context.Context, ids []string) error {
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
		var agents string
		found, err := e.writer.find(ctx, "SELECT number, id FROM session WHERE id=? OR short=?", []any{id, id}, &n, &agents)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
		}
		e.sessions[n], e.whole[agents] = true, true
	}
	return nil
}

// add dooms the memories of a condition and returns how many there are.
func (e *eraser) add(ctx context.Context, condition string, args ...any) (int, error) {
	found, err := rows(ctx, e.conn, "SELECT "+memoryColumns+
		" FROM memory m LEFT JOIN session s ON s.number = m.session WHERE "+condition, args, scanRaw)
	if err != nil {
		return 0, err
	}
	for _, r := range found {
		if err := despite(r.unpack()); err != nil {
			return 0, err
		}
		e.memories[r.number] = r.Memory
		e.traces.add(r.Memory)
		e.buried[r.Session] = true
	}
	return len(found), nil
}

// doomed are the memories that go, oldest first.
func (e *eraser) doomed() (ms []mem.Memory) {
	for _, n := range slices.Sorted(maps.Keys(e.memories)) {
		ms = append(ms, e.memories[n])
	}
	return ms
}

// doom finds what goes with that which was named. In the sessions of those
// memories that includes blanking the rest.
func (e *eraser) doom(ctx context.Context) error {
	for n := range e.sessions {
		if _, err := e.add(ctx, "m.session=?", n); err != nil {
			return err
		}
	}
	if err := e.doomMerged(ctx); err != nil {
		return err
	}
	if err := e.dropProposals(ctx, e.traces.finder()); err != nil { // before their memories are taken to say the same
		return err
	}
	for _, m := range slices.Collect(maps.Values(e.memories)) { // those found meanwhile hold only what these say
		if err := e.blankSession(ctx, m); err != nil {
			return err
		}
	}
	return e.doomMerged(ctx)
}

func (e *eraser) erase(ctx context.Context) error {
	if err := e.doom(ctx); err != nil {
		return err
	}
	for n := range e.memories {
		if err := e.deleteMemory(ctx, n); err != nil {
			return err
		}
	}
	if err := e.entry.indexTalk(ctx); err != nil { // what was said next to it held its text
		return err
	}
	for n := range e.sessions {
		if err := e.traceSession(ctx, n); err != nil {
			return err
		}
		if err := e.deleteSession(ctx, n); err != nil {
			return err
		}
	}
	if err := e.dropProposals(ctx, slices.Concat(e.traces, e.asked).finder()); err != nil {
		return err
	}
	if err := e.blankElsewhere(ctx); err != nil {
		return err
	}
	e.done.Receipts += len(e.receipts)
	return nil
}

// doomMerged erases what was merged into any of the memories: it says the same.
func (e *eraser) doomMerged(ctx context.Context) error {
	for next := slices.Collect(maps.Keys(e.memories)); len(next) > 0; {
		n := next[0]
		next = next[1:]
		merged, err := rows(ctx, e.conn, "SELECT number FROM memory WHERE merged_into=? AND merged_into<>''",
			[]any{e.memories[n].ID}, one[int64])
		if err != nil {
			return err
		}
		for _, n := range merged {
			if _, known := e.memories[n]; known {
				continue
			}
			if _, err := e.add(ctx, "m.number=?", n); err != nil {
				return err
			}
			next = append(next, n)
		}
	}
	return nil
}

func (e *eraser) deleteMemory(ctx context.Context, n int64) error {
	if m := e.memories[n]; isTalk(m) {
		if _, err := e.exec(ctx, "DELETE FROM talk_fts WHERE rowid=?", n); err != nil {
			return err
		}
		var session any
		if err := e.get(ctx, "SELECT session FROM memory WHERE number=?", []any{n}, &session); err != nil {
			return err
		}
		e.entry.talk.touch(session, n)
	} else if _, err := e.exec(ctx, "DELETE FROM memory_fts WHERE rowid=?", n); err != nil {
		return err
	}
	e.done.Memories++
	_, err := e.exec(ctx, "DELETE FROM memory WHERE number=?", n)
	return err
}

// deleteSession removes a session with all that hangs on it. Of its events the
// ids stay, as does the order.
func (e *eraser) deleteSession(ctx context.Context, n int64) error {
	for table, count := range map[string]*int{
		"turn": &e.done.Turns, "receipt": &e.done.Receipts,
		"checkpoint": &e.done.Checkpoints,
	} {
		var rows int
		if err := e.get(ctx, "SELECT count(*) FROM "+table+" WHERE session=?", []any{n}, &rows); err != nil {
			return err
		}
		*count += rows
	}
	events, err := e.changed(ctx, blankEvent+" WHERE session=? AND payload<>''", n)
	if err != nil {
		return err
	}
	e.done.Events += events
	var id string
	if err := e.get(ctx, "SELECT id FROM session WHERE number=?", []any{n}, &id); err != nil {
		return err
	}
	e.buried[id] = true
	_, err = e.exec(ctx, "DELETE FROM session WHERE number=?", n)
	return err
}

// changed runs a statement and returns how many rows it changed.
func (e *eraser) changed(ctx context.Context, query string, args ...any) (int, error) {
	res, err := e.exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// holding returns the numbers of the rows whose text passes: the texts of a
// large session would be a hundred megabytes.
func (e *eraser) holding(ctx context.Context, query string, arg any, passes func(string) bool) ([]int64, error) {
	rs, err := e.conn.QueryContext(ctx, query, arg)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var held []int64
	for rs.Next() {
		var n int64
		var text string
		if err := rs.Scan(&n, &text); err != nil {
			return nil, err
		}
		if passes(text) {
			held = append(held, n)
		}
	}
	return held, rs.Err()
}
