package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// recordTable is a table of an export. Tables that are derived from these, and work that waits, are not exported.
type recordTable struct {
	name   string
	number string            // its numbered key, "" if it has none
	id     string            // the column with the id made of the number
	prefix string            // of the id
	refs   map[string]string // columns that hold a number -> the table of that row
	named  []string          // columns that hold ids of memories or runs, alone or inside JSON
	same   []string          // columns by which a row is known
	which  string            // condition of the rows of a project (?1) since a time (?2)
	work   bool              // only of a copy of the whole store
}

const (
	ofMemory  = "number IN (SELECT number FROM memory WHERE (?1 = '' OR project = ?1) AND updated >= ?2)"
	inSession = `session IN (SELECT s.number FROM session s WHERE (?1 = '' OR s.project = ?1) AND s.last_event >= ?2
		OR s.number IN (SELECT m.session FROM memory m WHERE (?1 = '' OR m.project = ?1) AND m.updated >= ?2))`
	inMemory  = "memory IN (SELECT number FROM memory WHERE (?1 = '' OR project = ?1) AND updated >= ?2)"
	inProject = "(?1 = '' OR project = ?1) AND at >= ?2 AND (session IS NULL OR " + inSession + ")"
)

// recordTables lists the tables in an order in which rows follow those that they refer to.
func recordTables() []recordTable {
	session, memory := map[string]string{"session": "session"}, map[string]string{"memory": "memory"}
	doc, other, mention := []string{"doc"}, []string{"other"}, map[string]string{"entity": "entity", "memory": "memory"}
	const ofProject = "(?1 = '' OR key = ?1) AND ?2 = ?2"
	return []recordTable{
		{name: "project", same: []string{"key"}, which: ofProject},
		{name: "project_common", same: []string{"common"}, which: ofProject},
		{name: "project_root", same: []string{"root", "key"}, which: ofProject},
		{name: "project_alias", same: []string{"key"}, which: "(?1 = '' OR known = ?1) AND ?2 = ?2"},
		{
			name: "session", number: "number", id: "short", prefix: "s_", same: []string{"id"},
			which: strings.Replace(inSession, "session", "number", 1),
		},
		{name: "told", refs: session, named: []string{"mark"}, same: []string{"session", "mark"}, which: inSession},
		{name: "turn", number: "number", refs: session, same: []string{"session", "prompt_id"}, which: inSession},
		{
			name: "event", number: "seq", refs: session, same: []string{"id"},
			which: "(" + inSession + " OR session IS NULL AND ?1 = '' AND created_at >= ?2)",
		},
		{
			name: "memory", number: "number", id: "id", prefix: "m_", refs: session,
			same: []string{"session", "project", "key", "created"}, which: ofMemory,
		},
		{
			name: "checkpoint", number: "number", id: "id", prefix: "c_", refs: session, named: doc,
			same: []string{"session", "project", "at", "trigger"}, which: inProject,
		},
		{name: "receipt", number: "number", refs: session, named: doc, same: []string{"id", "at"}, which: inProject},
		{
			name: "relation", refs: map[string]string{"from_memory": "memory", "to_memory": "memory"},
			same: []string{"from_memory", "to_memory", "kind"}, which: "from_" + inMemory + " AND to_" + inMemory,
		},
		{
			name: "entity", number: "number", id: "id", prefix: "n_", same: []string{"project", "kind", "name"},
			which: "number IN (SELECT entity FROM mention WHERE " + inMemory + ")",
		},
		{name: "mention", refs: mention, same: []string{"entity", "memory"}, which: inMemory},
		{
			name: "run", number: "number", id: "id", prefix: "k_", refs: session, same: []string{"kind", "project", "at"},
			which: inProject,
		},
		{
			name: "change", number: "number", refs: map[string]string{"run": "run", "memory": "memory"},
			named: []string{"other", "was", "became"}, same: []string{"run", "memory", "rule", "other"},
			which: inMemory + " AND run IN (SELECT number FROM run WHERE " + inProject + ")",
		},
		{name: "dismissed", refs: memory, named: other, same: []string{"rule", "memory", "other"}, which: inMemory},
		{name: "job", number: "number", refs: session, same: []string{"id"}, work: true},
		{name: "pause", same: []string{"target"}, work: true},
		{name: "silence", same: []string{"target"}, work: true},
		{name: "spent", same: []string{"day"}, work: true},
		{name: "vector", refs: map[string]string{"memory": "memory"}, same: []string{"memory"}, work: true},
		{name: sequences, same: []string{"name"}, work: true},
	}
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
		for _, column := range slices.Sorted(maps.Keys(t.refs)) {
			columnsOf += fmt.Sprintf(", (SELECT id FROM %s WHERE number = t.%s) AS %s", t.refs[column], column, column)
		}
		found, err := tx.QueryContext(ctx, "SELECT "+columnsOf+" FROM "+t.name+" t WHERE "+
			cmp.Or(t.which, "?1 = ?1 AND ?2 = ?2")+" ORDER BY t."+cmp.Or(t.number, t.same[0]), q.Project, since)
		if err != nil {
			return wrap("read "+t.name, err)
		}
		for err == nil && found.Next() {
			var row map[string]any
			if row, err = columns(found); err == nil { // the id stands after the number of the same name, and replaces it
				err = each(t.record(row))
			}
		}
		if err = errors.Join(err, found.Err(), found.Close()); err != nil { //nolint:sqlclosecheck // before the next table
			return wrap("read "+t.name, err)
		}
	}
	return nil
}

// record is a row of the table as a record. Bytes were read as text. Nobody works on a job of a copy.
func (t recordTable) record(row map[string]any) mem.Record {
	switch t.name {
	case "vector":
		data, _ := row["data"].(string)
		row["data"] = []byte(data)
	case "job":
		row["leased"] = int64(0)
	case sequences:
		return mem.Record{Table: counters, Row: map[string]any{"name": row["name"], "n": row["seq"]}}
	}
	return mem.Record{Table: t.name, Row: row}
}

// AddRecords writes rows of another store.
func (s *maintenance) AddRecords(ctx context.Context, records []mem.Record) error {
	return wrap("add records", s.change(ctx, func(w *writer) error {
		p := recordWriter{entry: newEntry(w)}
		tables := map[string]recordTable{}
		for _, t := range recordTables() {
			tables[t.name] = t
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
func (p *recordWriter) count(ctx context.Context, row map[string]any) error {
	if _, err := p.conn.ExecContext(ctx, "DELETE FROM "+sequences+" WHERE name=?", row["name"]); err != nil {
		return err
	}
	_, err := p.conn.ExecContext(ctx, "INSERT INTO "+sequences+" (name, seq) VALUES (?,?)", row["name"], row["n"])
	return err
}

// add writes one row of another store.
func (p *recordWriter) add(ctx context.Context, t recordTable, row map[string]any) error {
	for column, table := range t.refs {
		if err := p.resolve(ctx, row, column, table); err != nil {
			return err
		}
	}
	if err := p.insert(ctx, t, row); err != nil || t.name != "receipt" {
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

// recordWriter writes the records of an import.
type recordWriter struct {
	*entry
	tables  map[string]recordTable
	renamed map[string]string   // ids of the file -> other ones here
	ends    map[int64][2]string // what memories supersede and are merged into, in ids of the file
	counts  mem.RecordCounts
	ids     *regexp.Regexp // of memories, runs and checkpoints in a JSON text
}

// PutRecords writes the rows that next returns until io.EOF: all, or after an error none. A row that is there already
// stays as it is. A row keeps its id unless another row has it.
func (s *maintenance) PutRecords(ctx context.Context, next func() (mem.Record, error)) (mem.RecordCounts, error) {
	var counts mem.RecordCounts
	err := s.change(ctx, func(w *writer) error {
		p := recordWriter{
			entry: newEntry(w), ids: regexp.MustCompile(`\b[mkc]_[0-9a-z]+\b`),
			tables: map[string]recordTable{}, renamed: map[string]string{},
			ends:   map[int64][2]string{},
			counts: mem.RecordCounts{Taken: map[string]int{}, Known: map[string]int{}},
		}
		for _, t := range recordTables() {
			p.tables[t.name] = t
		}
		for {
			r, err := next()
			if errors.Is(err, io.EOF) {
				if counts, err = p.counts, p.follow(ctx); err != nil {
					return err
				}
				_, err = w.reindex(ctx, func(_ memoryRow, err error) error { return err })
				return err
			}
			if err == nil {
				err = p.put(ctx, r)
			}
			if err != nil {
				return err
			}
		}
	})
	return counts, wrap("put records", err)
}

// follow has the memories that were taken name others by their new ids.
func (p *recordWriter) follow(ctx context.Context) error {
	for n, ids := range p.ends {
		if _, err := p.conn.ExecContext(ctx, "UPDATE memory SET supersedes=?, merged_into=? WHERE number=?",
			p.now(ids[0]), p.now(ids[1]), n); err != nil {
			return wrap("memory", err)
		}
	}
	return nil
}

// now is what an id of the file is here.
func (p *recordWriter) now(id string) string { return cmp.Or(p.renamed[id], id) }

// put writes one row unless it is there.
func (p *recordWriter) put(ctx context.Context, r mem.Record) error {
	t, ok := p.tables[r.Table]
	if !ok {
		return fmt.Errorf("%q is no table of an export", r.Table)
	}
	row := maps.Clone(r.Row)
	for column, table := range t.refs {
		if err := p.resolve(ctx, row, column, table); err != nil {
			return err
		}
	}
	for _, column := range t.named {
		if s, ok := row[column].(string); ok {
			row[column] = p.ids.ReplaceAllStringFunc(s, p.now)
		}
	}
	f := &filter{}
	for _, column := range t.same {
		f.and(quoted(column)+" IS ?", row[column])
	}
	var id string
	known, err := p.find(ctx, stmt("SELECT "+cmp.Or(t.id, "''")+" FROM "+t.name).where(f), &id)
	if err != nil {
		return err
	}
	old, _ := row[t.id].(string)
	if known {
		p.renamed[old] = id
		p.counts.Known[t.name]++
		return nil
	}
	if err := p.number(ctx, t, row, old); err != nil {
		return err
	}
	if err := p.insert(ctx, t, row); err != nil {
		return err
	}
	p.counts.Taken[t.name]++
	switch t.name {
	case "receipt":
		return p.items(ctx, row)
	case "memory":
		if row["status"] == string(mem.Active) {
			p.counts.Memories = append(p.counts.Memories, row["id"].(string))
		}
		supersedes, _ := row["supersedes"].(string)
		into, _ := row["merged_into"].(string)
		if supersedes+into != "" {
			p.ends[row["number"].(int64)] = [2]string{supersedes, into}
		}
	}
	return nil
}

// resolve replaces the id in a column by the number of its row.
func (p *recordWriter) resolve(ctx context.Context, row map[string]any, column, table string) error {
	id, ok := row[column].(string)
	if !ok {
		return nil
	}
	id = p.now(id)
	var n int64
	found, err := p.find(ctx, stmt("SELECT number FROM "+table+" WHERE id=?", id), &n)
	if err == nil && !found {
		err = fmt.Errorf("%s %s is not among the rows before it", table, chars.Clip(id, 60))
	}
	row[column] = n
	return err
}

// number gives a row a number, and the id made of it: its own unless that is taken.
func (p *recordWriter) number(ctx context.Context, t recordTable, row map[string]any, old string) error {
	if t.number == "" {
		return nil
	}
	n, ok := row[t.number].(int64)
	if !ok || n < 1 || t.id != "" && old != chars.ShortID(t.prefix, n) {
		return fmt.Errorf("a %s has no number that belongs to its id", t.name)
	}
	taken, err := p.find(ctx, stmt("SELECT 1 FROM "+t.name+" WHERE "+t.number+"=?", n), new(int))
	if err != nil || !taken {
		return err
	}
	if n, err = p.Next(ctx, t.name); err != nil {
		return err
	}
	if row[t.number] = n; t.id != "" {
		id := chars.ShortID(t.prefix, n)
		row[t.id], p.renamed[old] = id, id
		if doc, ok := row["doc"].(string); ok {
			row["doc"] = strings.Replace(doc, `"`+old+`"`, `"`+id+`"`, 1)
		}
	}
	return nil
}

func (p *recordWriter) insert(ctx context.Context, t recordTable, row map[string]any) error {
	names, values := []string{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(row)) {
		names, values = append(names, quoted(name)), append(values, row[name])
	}
	_, err := p.conn.ExecContext(ctx, "INSERT INTO "+t.name+" ("+strings.Join(names, ",")+") VALUES (?"+
		strings.Repeat(",?", len(names)-1)+")", values...)
	return wrap(t.name, err)
}

// items writes which memories a receipt names.
func (p *recordWriter) items(ctx context.Context, row map[string]any) error {
	var r mem.Receipt
	doc, _ := row["doc"].(string)
	if err := json.Unmarshal([]byte(doc), &r); err != nil {
		return fmt.Errorf("a receipt cannot be read: %w", err)
	}
	return p.putItems(ctx, row["number"].(int64), r)
}
