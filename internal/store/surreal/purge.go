//go:build surreal || backends

package surreal

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
)

// Purge implements mem.Store. The records are gone from every answer of the server; its files keep what was in them
// until its storage engine compacts them, which no client can ask for.
func (s *Store) Purge(ctx context.Context, ids ...string) (mem.Purged, error) {
	e, err := stored.Purge(ctx, s.erasing, ids)
	return e.Done, wrap("purge", err)
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

// PutTombstone writes a tombstone. There is none of an unfinished purge: nothing remains to be done after one.
func (tx *transaction) PutTombstone(ctx context.Context, id string) error {
	if id == stored.UnfinishedPurge {
		return nil
	}
	was, found, err := first(ctx, tx, query("SELECT seq, created_at FROM event WHERE ref = ?", id), whole)
	if err != nil {
		return err
	}
	seq := was.Number("seq")
	if !found {
		n, err := tx.Next(ctx, "tombstone")
		if err != nil {
			return err
		}
		seq = -n // below the positions of events, so that these have no gaps
	}
	return tx.exec(ctx, put("event", seq, map[string]any{
		"seq": seq, "ref": id, "key": "", "session": 0, "prompt_id": "", "kind": stored.Tombstone, "tool": "",
		"tool_use_id": "", "agent_id": "", "agent_type": "", "ok": true, "dropped": true, "payload": "",
		"created_at": max(was.Number("created_at"), stored.Stamp(tx.now)),
	}))
}

// ErasedUntil implements mem.Store.
func (s *Store) ErasedUntil(ctx context.Context, session string) (time.Time, error) {
	r, _, err := first(ctx, s, query("SELECT created_at FROM event WHERE ref = ?", stored.TombstoneID(session)), whole)
	return r.Time("created_at"), wrap("erased until", err)
}

// FindSessionToErase finds a session by its id or its short id.
func (tx *transaction) FindSessionToErase(ctx context.Context, ref string) (n int64, id string, found bool, err error) {
	r, found, err := first(ctx, tx, query("SELECT number, sid FROM session WHERE sid = ? OR short = ?", ref, ref),
		whole)
	return r.Number("number"), r.Text("sid"), found, err
}

// MemoriesOfSession reads the memories of a session.
func (tx *transaction) MemoriesOfSession(ctx context.Context, session int64) ([]stored.MemoryRow, error) {
	return tx.memories(ctx, "session = ?", session)
}

// MergedInto reads the memories that were merged into others.
func (tx *transaction) MergedInto(ctx context.Context, ids []string) ([]stored.MemoryRow, error) {
	return tx.memories(ctx, "merged_into IN ? AND merged_into != ''", texts(ids))
}

// MemoriesWithProposals reads the memories that have proposals.
func (tx *transaction) MemoriesWithProposals(ctx context.Context) ([]stored.MemoryRow, error) {
	return tx.memories(ctx, "proposed = true")
}

// MemoriesWithTrace reads the memories of a session that contain a trace.
func (tx *transaction) MemoriesWithTrace(ctx context.Context, session int64, f *stored.Finder) ([]stored.MemoryRow,
	error,
) {
	found, err := tx.matching(ctx, "memory", "number", query("session = ?", session), func(r row) bool {
		// The words and the command are texts too, and no documents.
		return f.InDocument(r.Text("doc")) || f.In(r.Text("words")) || f.In(r.Text("command"))
	}, "words", "command", "doc")
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return rows(ctx, tx, selectRecords(form.MemoryFields, "memory", found), form.StoredMemory)
}

// UtterancesOfTurn reads the utterances of a turn.
func (tx *transaction) UtterancesOfTurn(ctx context.Context, session int64, promptID string) ([]stored.MemoryRow,
	error,
) {
	return tx.memories(ctx, "session = ? AND kind = 'utterance' AND prompt_id = ?", session, promptID)
}

// DeleteMemories deletes memories with all that refers to them.
func (e *entry) DeleteMemories(ctx context.Context, memories map[int64]stored.MemoryRow) error {
	numbers := append([]int64{}, slices.Collect(maps.Keys(memories))...)
	for n, m := range memories {
		e.wrote(stored.MemoryID(n))
		if stored.IsUtterance(m.Memory) {
			e.Spans.Add(m.SessionNumber, n)
		}
	}
	mentions, err := among(ctx, e, numbers, func(part []int64) *statement {
		return query("SELECT entity FROM mention WHERE memory IN ? GROUP BY entity", part)
	})
	if err != nil {
		return err
	}
	for _, which := range []string{
		"memory WHERE number", "vector WHERE memory", "mention WHERE memory", "change WHERE memory",
		"dismissed WHERE memory", "relation WHERE from_memory", "relation WHERE to_memory",
	} {
		if err := e.exec(ctx, query("DELETE "+which+" IN ? RETURN NONE", numbers)); err != nil {
			return err
		}
	}
	return e.dropUnmentioned(ctx, numbersIn(mentions, "entity"))
}

// DeleteSession deletes a session with all that belongs to it, and blanks its events.
func (tx *transaction) DeleteSession(ctx context.Context, n int64) (done mem.Purged, err error) {
	for table, count := range map[string]*int{
		"turn": &done.Turns, "receipt": &done.Receipts, "checkpoint": &done.Checkpoints,
	} {
		if *count, err = countOf(ctx, tx, table, query("session = ?", n)); err != nil {
			return done, err
		}
	}
	if done.Events, err = tx.blankEvents(ctx, query("session = ?", n)); err != nil {
		return done, err
	}
	for _, table := range []string{"turn", "receipt", "checkpoint", "injected_key", "job"} {
		if err := tx.exec(ctx, query("DELETE "+table+" WHERE session = ? RETURN NONE", n)); err != nil {
			return done, err
		}
	}
	for _, table := range []string{"event", "run"} {
		if err := tx.exec(ctx, query("UPDATE "+table+" SET session = 0 WHERE session = ? RETURN NONE", n)); err != nil {
			return done, err
		}
	}
	return done, tx.exec(ctx, query("DELETE type::record('session', ?) RETURN NONE", n))
}

// readStep is how many records with texts are read at a time.
const readStep = 200

// matching returns the keys of the records of a table that meet a condition and pass. It keeps no texts: those of a
// large session are a hundred megabytes.
func (tx *transaction) matching(ctx context.Context, table, key string, where *statement, passes func(row) bool,
	fields ...string,
) (found []int64, err error) {
	all, err := rows(ctx, tx, query("SELECT "+key+" FROM "+table+" WHERE ").Append(where), number(key))
	if err != nil {
		return nil, err
	}
	slices.Sort(all)
	for part := range slices.Chunk(all, readStep) {
		texts, err := tx.run(ctx, selectRecords(strings.Join(append(fields, key), ", "), table, part))
		if err != nil {
			return nil, err
		}
		for _, r := range texts {
			if passes(r) {
				found = append(found, r.Number(key))
			}
		}
	}
	return found, nil
}
