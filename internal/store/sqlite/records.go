package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// recordTable is a table of an export. Tables that are derived from these, and work that waits, are not exported.
type recordTable struct {
	stored.RecordTable
	which string // condition of the rows of a project (?1) since a time (?2)
	work  bool   // only of a copy of the whole store
}

const (
	ofMemory  = "number IN (SELECT number FROM memory WHERE (?1 = '' OR project = ?1) AND updated >= ?2)"
	inSession = `session IN (SELECT s.number FROM session s WHERE (?1 = '' OR s.project = ?1) AND s.last_event >= ?2
		OR s.number IN (SELECT m.session FROM memory m WHERE (?1 = '' OR m.project = ?1) AND m.updated >= ?2))`
	inMemory  = "memory IN (SELECT number FROM memory WHERE (?1 = '' OR project = ?1) AND updated >= ?2)"
	inProject = "(?1 = '' OR project = ?1) AND at >= ?2 AND (session IS NULL OR " + inSession + ")"
)

// recordTables lists the tables in an order in which rows follow those that they refer to.
func recordTables() (out []recordTable) {
	const ofProject = "(?1 = '' OR key = ?1) AND ?2 = ?2"
	which := map[string]string{
		"project": ofProject, "project_common": ofProject, "project_root": ofProject,
		"project_alias": "(?1 = '' OR known = ?1) AND ?2 = ?2",
		"session":       strings.Replace(inSession, "session", "number", 1),
		"told":          inSession,
		"turn":          inSession,
		"event":         "(" + inSession + " OR session IS NULL AND ?1 = '' AND created_at >= ?2)",
		"memory":        ofMemory,
		"checkpoint":    inProject,
		"receipt":       inProject,
		"relation":      "from_" + inMemory + " AND to_" + inMemory,
		"entity":        "number IN (SELECT entity FROM mention WHERE " + inMemory + ")",
		"mention":       inMemory,
		"run":           inProject,
		"change":        inMemory + " AND run IN (SELECT number FROM run WHERE " + inProject + ")",
		"dismissed":     inMemory,
	}
	for _, t := range stored.RecordTables() {
		out = append(out, recordTable{RecordTable: t, which: which[t.Name]})
	}
	for _, t := range []stored.RecordTable{
		{Name: "job", Number: "number", Refs: map[string]string{"session": "session"}, Same: []string{"id"}},
		{Name: "pause", Same: []string{"target"}},
		{Name: "silence", Same: []string{"target"}},
		{Name: "spent", Same: []string{"day"}},
		{Name: "vector", Refs: map[string]string{"memory": "memory"}, Same: []string{"memory"}},
		{Name: sequences, Same: []string{"name"}},
	} {
		out = append(out, recordTable{RecordTable: t, work: true})
	}
	return out
}

// sequences is SQLite's table of the last numbers of tables. Their records are those of a table counter.
const sequences, counters = "sqlite_sequence", "counter"

// Records calls each with the rows that q selects, as they are at one moment.
func (s *maintenance) Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return wrap("read records", err)
	}
	defer func() { _ = tx.Rollback() }()
	since := int64(math.MinInt64)
	if !q.Since.IsZero() {
		since = stored.Stamp(q.Since)
	}
	for _, t := range recordTables() {
		if t.work && !q.Work {
			continue
		}
		columnsOf := "t.*"
		for _, column := range slices.Sorted(maps.Keys(t.Refs)) {
			columnsOf += fmt.Sprintf(", (SELECT id FROM %s WHERE number = t.%s) AS %s", t.Refs[column], column, column)
		}
		found, err := tx.QueryContext(ctx, "SELECT "+columnsOf+" FROM "+t.Name+" t WHERE "+
			cmp.Or(t.which, "?1 = ?1 AND ?2 = ?2")+" ORDER BY t."+cmp.Or(t.Number, t.Same[0]), q.Project, since)
		if err != nil {
			return wrap("read "+t.Name, err)
		}
		for err == nil && found.Next() {
			var row map[string]any
			if row, err = columns(found); err == nil { // the id stands after the number of the same name, and replaces it
				err = each(t.record(row))
			}
		}
		if err = errors.Join(err, found.Err(), found.Close()); err != nil { //nolint:sqlclosecheck // before the next table
			return wrap("read "+t.Name, err)
		}
	}
	return nil
}

// record is a row of the table as a record. Bytes were read as text. Nobody works on a job of a copy.
func (t recordTable) record(row map[string]any) mem.Record {
	switch t.Name {
	case "vector":
		data, _ := row["data"].(string)
		row["data"] = []byte(data)
	case "job":
		row["leased"] = int64(0)
	case sequences:
		return mem.Record{Table: counters, Row: map[string]any{"name": row["name"], "n": row["seq"]}}
	}
	return mem.Record{Table: t.Name, Row: row}
}

// AddRecords writes rows of another store.
func (s *maintenance) AddRecords(ctx context.Context, records []mem.Record) error {
	return wrap("add records", s.change(ctx, func(w *writer) error {
		p := recordWriter{newEntry(w)}
		tables := map[string]recordTable{}
		for _, t := range recordTables() {
			tables[t.Name] = t
		}
		for _, r := range records {
			t, known := tables[r.Table]
			err := fmt.Errorf("%q is no table of a store", r.Table)
			switch {
			case r.Table == counters:
				err = p.count(ctx, r.Row)
			case known:
				err = p.add(ctx, t, maps.Clone(r.Row))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// count writes the last number of a table, which the rows that were written raised already.
func (p recordWriter) count(ctx context.Context, row map[string]any) error {
	if _, err := p.conn.ExecContext(ctx, "DELETE FROM "+sequences+" WHERE name=?", row["name"]); err != nil {
		return err
	}
	_, err := p.conn.ExecContext(ctx, "INSERT INTO "+sequences+" (name, seq) VALUES (?,?)", row["name"], row["n"])
	return err
}

// add writes one row of another store.
func (p recordWriter) add(ctx context.Context, t recordTable, row map[string]any) error {
	for column, table := range t.Refs {
		id, ok := row[column].(string)
		if !ok {
			continue
		}
		if found, err := p.Resolve(ctx, row, column, table, id); err != nil || !found {
			return cmp.Or(err, fmt.Errorf("%s %s is not among the rows before it", table, chars.Clip(id, 60)))
		}
	}
	if err := p.insert(ctx, t.RecordTable, row); err != nil || t.Name != "receipt" {
		return err
	}
	if doc, _ := row["doc"].(string); !json.Valid([]byte(doc)) {
		return nil // what a damaged receipt names is unknown
	}
	return p.items(ctx, row)
}

// FinishRecords makes the search indexes of rows that AddRecords wrote.
func (s *maintenance) FinishRecords(ctx context.Context) error {
	_, err := s.Reindex(ctx)
	return err
}

// recordWriter writes the records of an import. It implements stored.ImportWriter.
type recordWriter struct{ *entry }

// PutRecords writes the rows that next returns until io.EOF: all, or after an error none. A row that is there already
// stays as it is. A row keeps its id unless another row has it.
func (s *maintenance) PutRecords(ctx context.Context, next func() (mem.Record, error)) (counts mem.RecordCounts,
	err error,
) {
	err = s.change(ctx, func(w *writer) error {
		if counts, err = stored.Import(ctx, recordWriter{newEntry(w)}, next); err != nil {
			return err
		}
		_, err := w.reindex(ctx, func(_ memoryRow, err error) error { return err })
		return err
	})
	return counts, wrap("put records", err)
}

// Resolve replaces the id in a column by the number of its row.
func (p recordWriter) Resolve(ctx context.Context, row map[string]any, column, table, id string) (bool, error) {
	var n int64
	found, err := p.find(ctx, stmt("SELECT number FROM "+table+" WHERE id=?", id), &n)
	row[column] = n
	return found, err
}

// FindSame returns the id of the row that has the same values in the columns by which it is known.
func (p recordWriter) FindSame(ctx context.Context, t stored.RecordTable, row map[string]any) (id string, found bool,
	err error,
) {
	f := &filter{}
	for _, column := range t.Same {
		f.and(quoted(column)+" IS ?", row[column])
	}
	found, err = p.find(ctx, stmt("SELECT "+cmp.Or(t.ID, "''")+" FROM "+t.Name).where(f), &id)
	return id, found, err
}

// HasNumber reports whether a row has a number.
func (p recordWriter) HasNumber(ctx context.Context, t stored.RecordTable, n int64) (bool, error) {
	return p.find(ctx, stmt("SELECT 1 FROM "+t.Name+" WHERE "+t.Number+"=?", n), new(int))
}

// InsertRecord writes a row, and which memories it names if it is a receipt.
func (p recordWriter) InsertRecord(ctx context.Context, t stored.RecordTable, row map[string]any) error {
	if err := p.insert(ctx, t, row); err != nil || t.Name != "receipt" {
		return err
	}
	return p.items(ctx, row)
}

// Redirect sets what a memory supersedes and into what it was merged.
func (p recordWriter) Redirect(ctx context.Context, id, supersedes, mergedInto string) error {
	_, err := p.conn.ExecContext(ctx, "UPDATE memory SET supersedes=?, merged_into=? WHERE id=?", supersedes, mergedInto,
		id)
	return wrap("memory", err)
}

func (p recordWriter) insert(ctx context.Context, t stored.RecordTable, row map[string]any) error {
	names, values := []string{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(row)) {
		names, values = append(names, quoted(name)), append(values, row[name])
	}
	_, err := p.conn.ExecContext(ctx, "INSERT INTO "+t.Name+" ("+strings.Join(names, ",")+") VALUES (?"+
		strings.Repeat(",?", len(names)-1)+")", values...)
	return wrap(t.Name, err)
}

// items writes which memories a receipt names.
func (p recordWriter) items(ctx context.Context, row map[string]any) error {
	var r mem.Receipt
	doc, _ := row["doc"].(string)
	if err := json.Unmarshal([]byte(doc), &r); err != nil {
		return fmt.Errorf("a receipt cannot be read: %w", err)
	}
	return p.putItems(ctx, row["number"].(int64), r)
}
