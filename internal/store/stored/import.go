package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// RecordTable is a table of an export.
type RecordTable struct {
	Name   string
	Number string            // its numbered key, "" if it has none
	ID     string            // the column with the id made of the number
	Prefix string            // of the id
	Refs   map[string]string // columns that refer to a row -> the table of that row
	Named  []string          // columns that hold ids of memories or runs, alone or inside JSON
	Same   []string          // columns by which a row is known
}

// RecordTables lists the tables of an export in an order in which rows follow those that they refer to.
func RecordTables() []RecordTable {
	session, memory := map[string]string{"session": "session"}, map[string]string{"memory": "memory"}
	doc, other, mention := []string{"doc"}, []string{"other"}, map[string]string{"entity": "entity", "memory": "memory"}
	return []RecordTable{
		{Name: "project", Same: []string{"key"}},
		{Name: "project_common", Same: []string{"common"}},
		{Name: "project_root", Same: []string{"root", "key"}},
		{Name: "project_alias", Same: []string{"key"}},
		{Name: "session", Number: "number", ID: "short", Prefix: "s_", Same: []string{"id"}},
		{Name: "told", Refs: session, Named: []string{"mark"}, Same: []string{"session", "mark"}},
		{Name: "turn", Number: "number", Refs: session, Same: []string{"session", "prompt_id"}},
		{Name: "event", Number: "seq", Refs: session, Same: []string{"id"}},
		{
			Name: "memory", Number: "number", ID: "id", Prefix: "m_", Refs: session,
			Same: []string{"session", "project", "key", "created"},
		},
		{
			Name: "checkpoint", Number: "number", ID: "id", Prefix: "c_", Refs: session, Named: doc,
			Same: []string{"session", "project", "at", "trigger"},
		},
		{Name: "receipt", Number: "number", Refs: session, Named: doc, Same: []string{"id", "at"}},
		{
			Name: "relation", Refs: map[string]string{"from_memory": "memory", "to_memory": "memory"},
			Same: []string{"from_memory", "to_memory", "kind"},
		},
		{Name: "entity", Number: "number", ID: "id", Prefix: "n_", Same: []string{"project", "kind", "name"}},
		{Name: "mention", Refs: mention, Same: []string{"entity", "memory"}},
		{Name: "run", Number: "number", ID: "id", Prefix: "k_", Refs: session, Same: []string{"kind", "project", "at"}},
		{
			Name: "change", Number: "number", Refs: map[string]string{"run": "run", "memory": "memory"},
			Named: []string{"other", "was", "became"}, Same: []string{"run", "memory", "rule", "other"},
		},
		{Name: "dismissed", Refs: memory, Named: other, Same: []string{"rule", "memory", "other"}},
	}
}

// ImportWriter runs the statements of an import, in the dialect of its database and in one transaction.
type ImportWriter interface {
	// Resolve makes a column of a row refer to the row of a table with an id, and reports whether there is one.
	Resolve(ctx context.Context, row map[string]any, column, table, id string) (found bool, err error)
	// FindSame returns the id of the row that has the same values in the columns by which it is known.
	FindSame(ctx context.Context, t RecordTable, row map[string]any) (id string, found bool, err error)
	// HasNumber reports whether a row has a number.
	HasNumber(ctx context.Context, t RecordTable, n int64) (bool, error)
	// Next returns the number of a new row of a table.
	Next(ctx context.Context, table string) (int64, error)
	// InsertRecord writes a row that is not there, with what is derived from it alone.
	InsertRecord(ctx context.Context, t RecordTable, row map[string]any) error
	// Redirect sets what a memory supersedes and into what it was merged.
	Redirect(ctx context.Context, id, supersedes, mergedInto string) error
}

// importer takes over rows.
type importer struct {
	write   ImportWriter
	tables  map[string]RecordTable
	renamed map[string]string    // ids of the file -> other ones here
	ends    map[string][2]string // what memories supersede and are merged into, in ids of the file
	counts  mem.RecordCounts
	ids     *regexp.Regexp // of memories, runs and checkpoints in a JSON text
}

// Import writes the rows that next returns until io.EOF, as mem.RecordStore promises of PutRecords. After an error the
// transaction must be rolled back.
func Import(ctx context.Context, w ImportWriter, next func() (mem.Record, error)) (mem.RecordCounts, error) {
	p := importer{
		write: w, tables: map[string]RecordTable{}, renamed: map[string]string{}, ends: map[string][2]string{},
		counts: mem.RecordCounts{Taken: map[string]int{}, Known: map[string]int{}},
		ids:    regexp.MustCompile(`\b[mkc]_[0-9a-z]+\b`),
	}
	for _, t := range RecordTables() {
		p.tables[t.Name] = t
	}
	for {
		r, err := next()
		if errors.Is(err, io.EOF) {
			return p.counts, p.follow(ctx)
		}
		if err == nil {
			err = p.put(ctx, r)
		}
		if err != nil {
			return mem.RecordCounts{}, err
		}
	}
}

// follow has the memories that were taken name others by their new ids.
func (p *importer) follow(ctx context.Context) error {
	for id, ids := range p.ends {
		now := [2]string{p.now(ids[0]), p.now(ids[1])}
		if now == ids {
			continue
		}
		if err := p.write.Redirect(ctx, id, now[0], now[1]); err != nil {
			return err
		}
	}
	return nil
}

// now is what an id of the file is here.
func (p *importer) now(id string) string { return cmp.Or(p.renamed[id], id) }

// put writes one row unless it is there.
func (p *importer) put(ctx context.Context, r mem.Record) error {
	t, ok := p.tables[r.Table]
	if !ok {
		return fmt.Errorf("%q is no table of an export", r.Table)
	}
	row := maps.Clone(r.Row)
	for column, table := range t.Refs {
		id, ok := row[column].(string)
		if !ok {
			continue
		}
		found, err := p.write.Resolve(ctx, row, column, table, p.now(id))
		if err == nil && !found {
			err = fmt.Errorf("%s %s is not among the rows before it", table, chars.Clip(p.now(id), 60))
		}
		if err != nil {
			return err
		}
	}
	for _, column := range t.Named {
		if s, ok := row[column].(string); ok {
			row[column] = p.ids.ReplaceAllStringFunc(s, p.now)
		}
	}
	id, known, err := p.write.FindSame(ctx, t, row)
	if err != nil {
		return err
	}
	old, _ := row[t.ID].(string)
	if known {
		p.renamed[old] = id
		p.counts.Known[t.Name]++
		return nil
	}
	if err := p.number(ctx, t, row, old); err != nil {
		return err
	}
	if err := p.write.InsertRecord(ctx, t, row); err != nil {
		return err
	}
	p.counts.Taken[t.Name]++
	if t.Name == "memory" {
		p.tookMemory(row)
	}
	return nil
}

// tookMemory remembers a memory that was taken, and which ones it names.
func (p *importer) tookMemory(row map[string]any) {
	id, _ := row["id"].(string)
	if row["status"] == string(mem.Active) {
		p.counts.Memories = append(p.counts.Memories, id)
	}
	supersedes, _ := row["supersedes"].(string)
	into, _ := row["merged_into"].(string)
	if supersedes+into != "" {
		p.ends[id] = [2]string{supersedes, into}
	}
}

// number gives a row a number, and the id made of it: its own unless that is taken.
func (p *importer) number(ctx context.Context, t RecordTable, row map[string]any, old string) error {
	if t.Number == "" {
		return nil
	}
	n, ok := row[t.Number].(int64)
	if !ok || n < 1 || t.ID != "" && old != chars.ShortID(t.Prefix, n) {
		return fmt.Errorf("a %s has no number that belongs to its id", t.Name)
	}
	taken, err := p.write.HasNumber(ctx, t, n)
	if err != nil || !taken {
		return err
	}
	if n, err = p.write.Next(ctx, t.Name); err != nil {
		return err
	}
	if row[t.Number] = n; t.ID != "" {
		id := chars.ShortID(t.Prefix, n)
		row[t.ID], p.renamed[old] = id, id
		if doc, ok := row["doc"].(string); ok {
			row["doc"] = strings.Replace(doc, `"`+old+`"`, `"`+id+`"`, 1)
		}
	}
	return nil
}
