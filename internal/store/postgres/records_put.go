//go:build postgres || backends

package postgres

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

var _ mem.RecordStore = (*Store)(nil)

// PutRecords implements mem.RecordStore. The lock of the schema is held: other machines write afterwards.
func (s *Store) PutRecords(ctx context.Context, next func() (mem.Record, error)) (counts mem.RecordCounts, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		// The source may take long for each row.
		if err := tx.exec(ctx, query("SET LOCAL idle_in_transaction_session_timeout = 0")); err != nil {
			return err
		}
		w := recordWriter{entry: newEntry(tx), sessions: map[string]int64{}}
		if counts, err = stored.Import(ctx, &recordImport{recordWriter: &w}, next); err != nil {
			return err
		}
		return w.IndexUtterances(ctx)
	})
	return counts, wrap("put records", err)
}

// recordImport writes the records of an import. It implements stored.ImportWriter. Rows refer to others by ids.
type recordImport struct {
	*recordWriter
	last [2]string // table and id of the row that was found last: rows that follow often refer to it too
}

// Resolve sets the id in a column, and reports whether a row has it.
func (p *recordImport) Resolve(ctx context.Context, row map[string]any, column, table, id string) (bool, error) {
	row[column] = id
	if p.last == [2]string{table, id} {
		return true, nil
	}
	found, err := p.find(ctx, query("SELECT 1 FROM "+table+" WHERE id = ?", id), new(int))
	if found {
		p.last = [2]string{table, id}
	}
	return found, err
}

// FindSame returns the id of the row that has the same values in the columns by which it is known.
func (p *recordImport) FindSame(ctx context.Context, t stored.RecordTable, row map[string]any) (id string, found bool,
	err error,
) {
	if t.Name == "change" {
		found, err = p.hasChange(ctx, row)
		return "", found, err
	}
	column := t.ID
	if column == "" {
		column = "''"
	}
	q := query("SELECT " + column + " FROM " + tableOf(t.Name) + " WHERE true")
	for _, name := range t.Same {
		value := row[name]
		text, isText := value.(string)
		to := t.Refs[name]
		if other := columns[name]; other != "" {
			name = other
		}
		name = pgx.Identifier{name}.Sanitize()
		switch {
		case value == nil:
			q.and(name + " IS NULL")
		case to != "":
			q.and(name+" = (SELECT number FROM "+to+" WHERE id = ?)", value)
		case isText && slices.Contains(hashed, t.Name+"."+strings.Trim(name, `"`)):
			same, args := sameText(name, text)
			q.and(same, args...)
		default:
			q.and(name+" = ?", value)
		}
	}
	found, err = p.find(ctx, q.add(" LIMIT 1"), &id)
	return id, found, err
}

// hashed are the columns of which the index has the hash.
var hashed = []string{"project_common.common", "project_root.root", "memory.key", "entity.name"}

// hasChange reports whether a run has a change. Its document identifies each of the changes of a memory.
func (p *recordImport) hasChange(ctx context.Context, row map[string]any) (bool, error) {
	docs, err := rows(ctx, p.tx, query("SELECT doc FROM change WHERE run = (SELECT number FROM run WHERE id = ?) "+
		"AND memory = (SELECT number FROM memory WHERE id = ?)", row["run"], row["memory"]), one[string])
	if err != nil {
		return false, err
	}
	for _, doc := range docs {
		c, err := stored.Decode[mem.Step]("change", doc)
		if err != nil {
			return false, err
		}
		if c.Rule == row["rule"] && c.Other == row["other"] {
			return true, nil
		}
	}
	return false, nil
}

// HasNumber reports whether a row has a number.
func (p *recordImport) HasNumber(ctx context.Context, t stored.RecordTable, n int64) (bool, error) {
	return p.find(ctx, query("SELECT 1 FROM "+tableOf(t.Name)+" WHERE "+t.Number+" = ?", n), new(int))
}

// InsertRecord writes a row with what is derived from it alone. No later row gets its number.
func (p *recordImport) InsertRecord(ctx context.Context, t stored.RecordTable, row map[string]any) error {
	if err := p.add(ctx, mem.Record{Table: t.Name, Row: row}); err != nil {
		return err
	}
	if t.Number != "" {
		p.put(query("INSERT INTO counter (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET "+
			"n = greatest(counter.n, excluded.n)", t.Name, row[t.Number]))
	}
	return p.send(ctx)
}

// Redirect sets what a memory supersedes and into what it was merged.
func (p *recordImport) Redirect(ctx context.Context, id, supersedes, mergedInto string) error {
	m, found, err := p.FindMemory(ctx, id)
	if err != nil || !found {
		return err
	}
	m.Supersedes, m.MergedInto = supersedes, mergedInto
	return p.saveMemory(ctx, m)
}
