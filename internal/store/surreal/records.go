//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

var _ mem.MoveStore = (*Store)(nil)

// recordTable is a table of a copy, in the form that an export has, which is that of the SQLite file.
type recordTable struct {
	name   string
	table  string               // "" for the same name
	key    string               // its number; "" if it has none
	fields string               // those of an export; column=field where the names differ
	edit   func(row, row) error // completes a row of an export from its record; nil if it is complete
}

// recordTables lists the tables in an order in which rows follow those that they refer to.
func recordTables() []recordTable {
	return []recordTable{
		{name: "project", fields: "key name root common origin branch head last_event"},
		{name: "project_common", fields: "common key"},
		{name: "project_root", fields: "root key"},
		{name: "project_alias", fields: "key known"},
		{name: "session", key: "number", edit: sessionRecord},
		{name: "told", table: "injected_key", fields: "session mark=key"},
		{name: "turn", key: "number", fields: "number session place", edit: turnRecord},
		{
			name: "event", key: "seq", fields: "seq id=ref key session prompt_id kind tool tool_use_id agent_id agent_type ok " +
				"exit_code duration_ms payload created_at",
		},
		{name: "memory", key: "number", fields: "number session words", edit: memoryRecord},
		{name: "checkpoint", key: "number", fields: "number id=ref session project at trigger doc"},
		{name: "receipt", key: "number", fields: "number id=ref session project at outcome tokens doc"},
		{name: "relation", fields: "from_memory to_memory kind confidence made"},
		{name: "entity", key: "number", fields: "number id=ref project kind name confidence first_seen last_seen"},
		{name: "mention", fields: "entity memory"},
		{name: "run", key: "number", fields: "number id=ref kind project session at looked=examined"},
		{name: "change", key: "number", fields: "number run memory undone", edit: changeRecord},
		{name: "dismissed", fields: "rule memory other at"},
	}
}

// workTables lists the tables that only a copy of the whole store has.
func workTables() []recordTable {
	return []recordTable{
		{
			name: "job", key: "number", fields: "number id=ref kind session key data not_before attempts created error dead",
			edit: func(to, _ row) error { to["leased"] = int64(0); return nil },
		},
		{name: "pause", fields: "target until inject_only"},
		{name: "silence", table: "paused_period", fields: "target begun ended"},
		{name: "spent", fields: "day tokens calls failures"},
		{name: "vector", fields: "memory model scale data"},
	}
}

// numberedTables are the tables of which a copy has the last number.
var numberedTables = []string{
	"session", "turn", "event", "memory", "checkpoint", "receipt", "entity", "run", "change", "job",
}

// from is the name of the table in the database.
func (t recordTable) from() string {
	if t.table != "" {
		return t.table
	}
	return t.name
}

// columns calls f with the names of each column in an export and in the database.
func (t recordTable) columns(f func(column, field string)) {
	for name := range strings.FieldsSeq(t.fields) {
		column, field, ok := strings.Cut(name, "=")
		if !ok {
			field = column
		}
		f(column, field)
	}
}

// referred are the prefixes of the ids of the rows to which columns of records refer.
var referred = map[string]string{"memory": "m_", "from_memory": "m_", "to_memory": "m_", "entity": "n_", "run": "k_"}

// record returns a record as an export has it.
func (t recordTable) record(r row, sessions map[int64]string) (row, error) {
	out := row{}
	t.columns(func(column, field string) {
		v := recordValue(r[field])
		n, isNumber := v.(int64)
		prefix := referred[column]
		switch {
		case v == nil, column == "session" && n == 0:
		case column == "session":
			out[column] = sessions[n]
		case prefix != "" && isNumber && t.name != column:
			out[column] = chars.ShortID(prefix, n)
		case column == "confidence" || column == "scale":
			out[column] = r.float(field)
		default:
			out[column] = v
		}
	})
	if t.edit == nil {
		return out, nil
	}
	return out, t.edit(out, r)
}

// recordValue is a value of the server as an export has it.
func recordValue(v any) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case uint64, int:
		return row{"v": v}.number("v")
	case string, int64, float64, []byte:
		return v
	}
	return nil
}

func sessionRecord(to, r row) error {
	s, err := decodeSession(r)
	p := mem.TranscriptPosition{To: r.number("checked_to"), Hash: r.text("checked_hash")}
	add(to, stored.SessionFields(&s, &p).Row())
	return err
}

func turnRecord(to, r row) error {
	t, err := decode[mem.Turn]("turn", r.text("doc"))
	add(to, stored.TurnFields(&t).Row())
	return err
}

// memoryRecord adds the fields of a memory. Its session is that of its row.
func memoryRecord(to, r row) error {
	m, err := storedMemory(r)
	if err == nil && m.Broken {
		err = errUnreadable
	}
	if err != nil {
		return err
	}
	m.Session = to.text("session")
	fields, err := stored.MemoryRecord(m)
	add(to, fields)
	return err
}

func changeRecord(to, r row) error {
	c, err := decode[mem.Step]("change", r.text("doc"))
	return errors.Join(err, stored.StepRecord(c, to))
}

func add(to row, fields map[string]any) {
	for name, value := range fields {
		to[name] = value
	}
}

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
		equal("project", p.project))
	if err != nil {
		return p, err
	}
	for _, r := range memories {
		p.memories[r.number("number")], p.sessions[r.number("session")] = true, true
	}
	sessions, err := db.run(ctx, query("SELECT number FROM session WHERE last_event >= ?", p.since).
		equal("project", p.project))
	for _, r := range sessions {
		p.sessions[r.number("number")] = true
	}
	delete(p.sessions, 0)
	if err != nil {
		return p, err
	}
	mentions, err := db.run(ctx, query("SELECT entity, memory FROM mention"))
	for _, r := range mentions {
		if p.memories[r.number("memory")] {
			p.entities[r.number("entity")] = true
		}
	}
	return p, err
}

// has reports whether a record of a table is in the part. Tables come in the order of recordTables.
func (p part) has(table string, r row) bool {
	if p.all {
		return true
	}
	session := r.number("session")
	mine := p.project == "" || r.text("project") == p.project
	switch table {
	case "project", "project_common", "project_root":
		return p.project == "" || r.text("key") == p.project
	case "project_alias":
		return p.project == "" || r.text("known") == p.project
	case "session":
		return p.sessions[r.number("number")]
	case "told", "turn":
		return p.sessions[session]
	case "event":
		return p.sessions[session] || session == 0 && p.project == "" && r.number("created_at") >= p.since
	case "memory":
		return p.memories[r.number("number")]
	case "relation":
		return p.memories[r.number("from_memory")] && p.memories[r.number("to_memory")]
	case "entity":
		return p.entities[r.number("number")]
	case "mention", "dismissed":
		return p.memories[r.number("memory")]
	case "change":
		return p.memories[r.number("memory")] && p.runs[r.number("run")]
	}
	in := mine && r.number("at") >= p.since && (session == 0 || p.sessions[session])
	if in && table == "run" {
		p.runs[r.number("number")] = true
	}
	return in
}

// Records implements mem.RecordStore and mem.MoveStore.
func (s *Store) Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error {
	ctx = patient(ctx)
	return wrap("read records", s.consistently(ctx, func(tx querier) error {
		p, err := partOf(ctx, tx, q)
		if err != nil {
			return err
		}
		tables := recordTables()
		if q.Work {
			tables = append(tables, workTables()...)
		}
		for _, t := range tables {
			if err := t.each(ctx, tx, p, each); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
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
	for _, name := range numberedTables {
		if n := state.number("last_" + name); n > 0 {
			if err := each(mem.Record{Table: "counter", Row: map[string]any{"name": name, "n": n}}); err != nil {
				return err
			}
		}
	}
	return nil
}

// each passes the rows of the table on.
func (t recordTable) each(ctx context.Context, tx querier, p part, each func(mem.Record) error) error {
	pass := func(all []row) error {
		all = slices.DeleteFunc(all, func(r row) bool { return !p.has(t.name, r) })
		sessions, err := sessionIDs(ctx, tx, all)
		if err != nil {
			return err
		}
		for _, r := range all {
			out, err := t.record(r, sessions)
			if err == nil {
				err = each(mem.Record{Table: t.name, Row: out})
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if t.key == "" {
		all, err := tx.run(ctx, query("SELECT * OMIT id FROM "+t.from()))
		if err != nil {
			return err
		}
		return pass(all)
	}
	numbers, err := rows(ctx, tx, query("SELECT "+t.key+" FROM "+t.from()), number(t.key))
	if err != nil {
		return err
	}
	slices.Sort(numbers)
	for part := range slices.Chunk(numbers, readStep) {
		all, err := tx.run(ctx, selectRecords("* OMIT id", t.from(), part))
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b row) int { return int(a.number(t.key) - b.number(t.key)) })
		if err := pass(all); err != nil {
			return err
		}
	}
	return nil
}

// patience is the limit of a call for a reader or a writer of the whole store.
const patience = 10 * time.Minute

type patientKey struct{}

// patient returns a context whose calls may take long.
func patient(ctx context.Context) context.Context { return context.WithValue(ctx, patientKey{}, true) }
