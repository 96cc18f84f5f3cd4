//go:build surreal || backends

package surreal

import (
	"context"
	"fmt"
	"math"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
	"remanence/internal/store/surreal/surql"
)

var _ mem.MoveStore = (*Store)(nil)

// part is what an export takes of the store.
type part struct {
	all                bool
	project            string
	since              int64
	memories, sessions map[int64]bool
	entities           map[int64]bool
	runs               map[int64]bool
}

// partOf returns the part that a query selects.
func partOf(ctx context.Context, db querier, q mem.RecordQuery) (part, error) {
	p := part{all: q.Project == "" && q.Since.IsZero(), project: q.Project, since: math.MinInt64}
	if !q.Since.IsZero() {
		p.since = stored.Stamp(q.Since)
	}
	if p.all {
		return p, nil
	}
	p.memories, p.sessions, p.entities, p.runs = map[int64]bool{}, map[int64]bool{}, map[int64]bool{}, map[int64]bool{}
	memories, err := db.run(ctx, query("SELECT number, session FROM memory WHERE updated >= ?", p.since).
		Equal("project", p.project))
	if err != nil {
		return p, err
	}
	for _, r := range memories {
		p.memories[r.Number("number")], p.sessions[r.Number("session")] = true, true
	}
	sessions, err := db.run(ctx, query("SELECT number FROM session WHERE last_event >= ?", p.since).
		Equal("project", p.project))
	for _, r := range sessions {
		p.sessions[r.Number("number")] = true
	}
	delete(p.sessions, 0)
	if err != nil {
		return p, err
	}
	mentions, err := db.run(ctx, query("SELECT entity, memory FROM mention"))
	for _, r := range mentions {
		if p.memories[r.Number("memory")] {
			p.entities[r.Number("entity")] = true
		}
	}
	return p, err
}

// has reports whether a record of a table is in the part. Tables come in the order of form.Tables.
func (p part) has(table string, r row) bool {
	if p.all {
		return true
	}
	session := r.Number("session")
	mine := p.project == "" || r.Text("project") == p.project
	switch table {
	case "project", "project_common", "project_root":
		return p.project == "" || r.Text("key") == p.project
	case "project_alias":
		return p.project == "" || r.Text("known") == p.project
	case "session":
		return p.sessions[r.Number("number")]
	case "told", "turn":
		return p.sessions[session]
	case "event":
		return p.sessions[session] || session == 0 && p.project == "" && r.Number("created_at") >= p.since
	case "memory":
		return p.memories[r.Number("number")]
	case "relation":
		return p.memories[r.Number("from_memory")] && p.memories[r.Number("to_memory")]
	case "entity":
		return p.entities[r.Number("number")]
	case "mention", "dismissed":
		return p.memories[r.Number("memory")]
	case "change":
		return p.memories[r.Number("memory")] && p.runs[r.Number("run")]
	}
	in := mine && r.Number("at") >= p.since && (session == 0 || p.sessions[session])
	if in && table == "run" {
		p.runs[r.Number("number")] = true
	}
	return in
}

// Records implements mem.RecordStore and mem.MoveStore.
func (s *Store) Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error {
	ctx = surql.Patient(ctx)
	return wrap("read records", s.consistently(ctx, func(tx querier) error {
		p, err := partOf(ctx, tx, q)
		if err != nil {
			return err
		}
		tables := form.Tables()
		if q.Work {
			tables = append(tables, form.WorkTables()...)
		}
		for _, t := range tables {
			if err := eachOf(ctx, tx, t, p, each); err != nil {
				return fmt.Errorf("%s: %w", t.Name, err)
			}
		}
		if !q.Work {
			return nil
		}
		return counters(ctx, tx, each)
	}))
}

// counters passes on the last numbers of the tables.
func counters(ctx context.Context, tx querier, each func(mem.Record) error) error {
	state, _, err := first(ctx, tx, query("SELECT * OMIT id FROM store:state"), whole)
	if err != nil {
		return err
	}
	for _, name := range form.NumberedTables {
		if n := state.Number("last_" + name); n > 0 {
			if err := each(mem.Record{Table: "counter", Row: map[string]any{"name": name, "n": n}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachOf passes the rows of a table on.
func eachOf(ctx context.Context, tx querier, t form.Table, p part, each func(mem.Record) error) error {
	pass := func(all []row) error {
		all = slices.DeleteFunc(all, func(r row) bool { return !p.has(t.Name, r) })
		sessions, err := sessionIDs(ctx, tx, all)
		if err != nil {
			return err
		}
		for _, r := range all {
			out, err := t.Record(r, sessions)
			if err == nil {
				err = each(mem.Record{Table: t.Name, Row: out})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if t.Key == "" {
		all, err := tx.run(ctx, query("SELECT * OMIT id FROM "+t.From()))
		if err != nil {
			return err
		}
		return pass(all)
	}
	numbers, err := rows(ctx, tx, query("SELECT "+t.Key+" FROM "+t.From()), number(t.Key))
	if err != nil {
		return err
	}
	slices.Sort(numbers)
	for part := range slices.Chunk(numbers, readStep) {
		all, err := tx.run(ctx, selectRecords("* OMIT id", t.From(), part))
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b row) int { return int(a.Number(t.Key) - b.Number(t.Key)) })
		if err := pass(all); err != nil {
			return err
		}
	}
	return nil
}
