//go:build postgres || backends

package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// textTables are the tables with texts of the person. All others contain only ids, keys and directories.
func textTables() []stored.TextTable {
	table := stored.NewTextTable
	return append(stored.TextTables(),
		table("memories", "memory", "number", "id", "doc", stored.DerivedWords, "key", "note"),
		table("events", "event", "seq", "id", "payload", "tool", "prompt_id", "tool_use_id", "agent_id"),
		table("prompts", "turn", "number", "''", "doc", "prompt_id"),
		table("sessions", "session", "number", "short", "doc", "agent", "model"),
		table("changes", "change", "number", "''", "doc"),
	)
}

// Scrub implements mem.Store.
func (s *Store) Scrub(ctx context.Context, fix bool, may stored.May, clean stored.Clean) (mem.ScanResponse, error) {
	done, err := stored.Scrub(ctx, scrubber{s.database}, textTables(), fix, may, clean)
	if err == nil && fix {
		err = s.finishPurge(ctx)
	}
	if err != nil {
		return mem.ScanResponse{}, wrap("scrub", err)
	}
	return done, nil
}

// scrubber implements stored.Scrubber.
type scrubber struct{ *database }

// Records reads the next records of a table. Rows without a number are few: they are read at once.
func (s scrubber) Records(ctx context.Context, t stored.TextTable, after string, _ stored.May) (
	[]stored.TextRecord, error,
) {
	q := query(recordsOf(t) + " WHERE true")
	switch {
	case isNumbered(t) && after != "":
		q.and(t.Key+" > ?::text::bigint", after)
	case after != "":
		return nil, nil
	}
	if isNumbered(t) {
		q.add(" ORDER BY "+t.Key+" LIMIT ?", stored.ScrubStep)
	}
	return rows(ctx, s.pool, q, scanRecord(t))
}

// isNumbered reports whether the key of a table is a number, and not a text.
func isNumbered(t stored.TextTable) bool { return t.Key == "number" || t.Key == "seq" }

// withKey is the condition that selects the record with a key.
func withKey(t stored.TextTable, key string) *statement {
	if isNumbered(t) {
		return query(" WHERE "+t.Key+" = ?::text::bigint", key)
	}
	return query(" WHERE ("+t.Key+")::text = ?", key)
}

// recordsOf is the statement that reads the records of a table, without a condition.
func recordsOf(t stored.TextTable) string {
	return "SELECT (" + t.Key + ")::text, " + t.ID + ", " + strings.Join(t.Columns, ", ") + " FROM " + t.Table
}

func scanRecord(t stored.TextTable) func(pgx.Rows) (stored.TextRecord, error) {
	return func(r pgx.Rows) (stored.TextRecord, error) {
		rec, fields := t.Empty()
		err := r.Scan(fields...)
		return *rec, err
	}
}

// CleanRecords cleans records in one transaction.
func (s scrubber) CleanRecords(ctx context.Context, t stored.TextTable, keys []string, clean stored.Clean) error {
	return s.transact(ctx, func(tx *transaction) error {
		e := newEntry(tx)
		if err := tx.PutTombstone(ctx, stored.UnfinishedPurge); err != nil {
			return err
		}
		for _, key := range keys {
			if err := e.rewrite(ctx, t, key, clean); err != nil {
				return fmt.Errorf("record %s: %w", key, err)
			}
		}
		return e.IndexUtterances(ctx)
	})
}

// rewrite cleans one record. It reads it again, as it may have changed meanwhile.
func (e *entry) rewrite(ctx context.Context, t stored.TextTable, key string, clean stored.Clean) error {
	rec, found, err := first(ctx, e.tx, query(recordsOf(t)).append(withKey(t, key)), scanRecord(t))
	if err != nil || !found {
		return err
	}
	fresh, kinds, err := t.Cleaned(rec, clean)
	if err != nil || len(kinds) == 0 {
		return err
	}
	set := query("UPDATE " + t.Table + " SET ")
	for i, column := range t.Columns {
		if i > 0 {
			set.add(", ")
		}
		set.add(column+" = ?", fresh.Texts[i])
	}
	set.append(withKey(t, key))
	if err := e.saving(ctx, func() error { return e.exec(ctx, set) }); isTaken(err) {
		// Of two names that differ only in what was removed, one stays.
		return e.exec(ctx, query("DELETE FROM "+t.Table).append(withKey(t, key)))
	} else if err != nil {
		return err
	}
	if t.Table != "memory" {
		return nil
	}
	m, _, err := e.oneMemory(ctx, "m.number = ?::text::bigint", key)
	if err != nil {
		return err
	}
	m.Outdated = m.Outdated || m.Kind.HasEntities()
	save := e.saveMemory
	if m.Broken {
		save = e.clearDerived
	}
	if err := save(ctx, m); err != nil {
		return err
	}
	return e.exec(ctx, query("DELETE FROM vector WHERE memory = ?", m.Number))
}

// clearDerived empties what is derived from a document that cannot be decoded: it may contain the secret, and cannot
// be derived anew.
func (e *entry) clearDerived(ctx context.Context, r stored.MemoryRow) error {
	if stored.IsUtterance(r.Memory) {
		e.Spans.Add(r.SessionNumber, r.Number) // its neighbours are indexed with its text
	}
	return e.exec(ctx, query(`UPDATE memory SET command = '', files = '{}', dirs = '{}', exts = '{}', tags = '{}',
		words = '', search = '', length = 0 WHERE number = ?`, r.Number))
}

// saving runs f so that the transaction goes on if it fails.
func (e *entry) saving(ctx context.Context, f func() error) error {
	outer := e.tx
	return pgx.BeginFunc(ctx, outer, func(inner pgx.Tx) error {
		e.tx = inner
		defer func() { e.tx = outer }()
		return f()
	})
}

// isTaken reports whether another row has the value of a unique column.
func isTaken(err error) bool { return codeOf(err) == "23505" }
