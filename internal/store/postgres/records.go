//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

var _ mem.MoveStore = (*Store)(nil)

// recordTable is a table of a copy, in the form that an export has, which is that of the SQLite file.
type recordTable struct {
	name  string
	read  string                     // the statement that reads its rows
	which string                     // condition of the rows of a part; "" if the table is in none
	order string                     // "" for any
	edit  func(map[string]any) error // completes a row that was read; nil if it is complete
}

// part begins a statement that reads the rows of a project, "" for all, since a time.
const part = `WITH part AS (SELECT ?::text AS project, ?::bigint AS since),
	memories AS (SELECT m.number, m.session FROM memory m, part WHERE part.project IN ('', m.project)
		AND m.updated >= part.since),
	sessions AS (SELECT s.number FROM session s, part WHERE part.project IN ('', s.project)
		AND s.last_event >= part.since UNION SELECT session FROM memories WHERE session IS NOT NULL) `

// These are conditions of the rows of a part.
const (
	ofProject = "(SELECT project FROM part) IN ('', key)"
	inSession = "session IN (SELECT number FROM sessions)"
	inMemory  = "memory IN (SELECT number FROM memories)"
	inPart    = "(SELECT project FROM part) IN ('', %[1]s.project) AND %[1]s.at >= (SELECT since FROM part) AND " +
		"(%[1]s.session IS NULL OR %[1]s." + inSession + ")"
)

// recordTables lists the tables in an order in which rows follow those that they refer to.
func recordTables() []recordTable {
	return []recordTable{
		{
			name: "project", read: "SELECT key, name, root, common, origin, branch, head, last_event FROM project",
			which: ofProject,
		},
		{name: "project_common", read: "SELECT common, key FROM project_common", which: ofProject},
		{name: "project_root", read: "SELECT root, key FROM project_root", which: ofProject},
		{
			name: "project_alias", read: "SELECT key, known FROM project_alias",
			which: "(SELECT project FROM part) IN ('', known)",
		},
		{
			name: "session", read: "SELECT checked_to, checked_hash, doc FROM session",
			which: "number IN (SELECT number FROM sessions)", order: "number", edit: sessionRecord,
		},
		{
			name: "told", read: `SELECT s.id AS session, k.key AS mark FROM injected_key k
				JOIN session s ON s.number = k.session`, which: "k." + inSession,
		},
		{
			name: "turn", read: `SELECT t.number, s.id AS session, t.place, t.doc FROM turn t
				JOIN session s ON s.number = t.session`, which: "t." + inSession, order: "t.number", edit: turnRecord,
		},
		{
			name: "event", read: `SELECT e.seq, e.id, e.key, s.id AS session, e.prompt_id, e.kind, e.tool, e.tool_use_id,
				e.agent_id, e.agent_type, e.ok, e.exit_code, e.duration_ms, e.payload, e.created_at
				FROM event e LEFT JOIN session s ON s.number = e.session`,
			which: "(e." + inSession + " OR e.session IS NULL AND (SELECT project FROM part) = '' " +
				"AND e.created_at >= (SELECT since FROM part))", order: "e.seq",
		},
		{
			name: "memory", read: `SELECT m.number, s.id AS session, m.words, m.outdated, m.doc FROM memory m
				LEFT JOIN session s ON s.number = m.session`, which: "m.number IN (SELECT number FROM memories)",
			order: "m.number", edit: memoryRecord,
		},
		{
			name: "checkpoint", read: `SELECT c.number, c.id, s.id AS session, c.project, c.at, c.trigger, c.doc
				FROM checkpoint c LEFT JOIN session s ON s.number = c.session`, which: fmt.Sprintf(inPart, "c"),
			order: "c.number",
		},
		{
			name: "receipt", read: `SELECT r.number, r.id, s.id AS session, r.project, r.at, r.outcome, r.tokens, r.doc
				FROM receipt r LEFT JOIN session s ON s.number = r.session`, which: fmt.Sprintf(inPart, "r"),
			order: "r.number",
		},
		{
			name: "relation", read: `SELECT a.id AS from_memory, b.id AS to_memory, r.kind, r.confidence, r.made
				FROM relation r JOIN memory a ON a.number = r.from_memory JOIN memory b ON b.number = r.to_memory`,
			which: "r.from_" + inMemory + " AND r.to_" + inMemory,
		},
		{
			name: "entity", read: "SELECT number, id, project, kind, name, confidence, first_seen, last_seen FROM entity",
			which: "number IN (SELECT entity FROM mention WHERE " + inMemory + ")", order: "number",
		},
		{
			name: "mention", read: `SELECT e.id AS entity, m.id AS memory FROM mention n
				JOIN entity e ON e.number = n.entity JOIN memory m ON m.number = n.memory`, which: "n." + inMemory,
		},
		{
			name: "run", read: `SELECT r.number, r.id, r.kind, r.project, s.id AS session, r.at, r.examined AS looked
				FROM run r LEFT JOIN session s ON s.number = r.session`, which: fmt.Sprintf(inPart, "r"), order: "r.number",
		},
		{
			name: "change", read: `SELECT c.number, r.id AS run, m.id AS memory, c.undone, c.doc FROM change c
				JOIN run r ON r.number = c.run JOIN memory m ON m.number = c.memory`,
			which: "c." + inMemory + " AND " + fmt.Sprintf(inPart, "r"), order: "c.number", edit: changeRecord,
		},
		{
			name: "dismissed", read: `SELECT d.rule, m.id AS memory, d.other, d.at FROM dismissed d
				JOIN memory m ON m.number = d.memory`, which: "d." + inMemory,
		},
	}
}

// workTables lists the tables that only a copy of the whole store has.
func workTables() []recordTable {
	return []recordTable{
		{
			name: "job", read: `SELECT j.number, j.id, j.kind, s.id AS session, j.key, j.data, j.not_before, j.attempts,
				j.created, j.error, j.dead, 0::bigint AS leased FROM job j LEFT JOIN session s ON s.number = j.session`,
		},
		{name: "pause", read: "SELECT target, until, inject_only FROM pause"},
		{name: "silence", read: "SELECT target, begun, ended FROM paused_period"},
		{name: "spent", read: "SELECT day, tokens, calls, failures FROM spent"},
		{
			name: "vector", read: `SELECT m.id AS memory, v.model, v.scale, v.data FROM vector v
				JOIN memory m ON m.number = v.memory`,
		},
		{
			name: "counter", read: `SELECT name, n FROM counter WHERE name IN ('session', 'turn', 'event', 'memory',
				'checkpoint', 'receipt', 'entity', 'run', 'change', 'job')`,
		},
	}
}

// sessionRecord replaces the document of a session by its fields.
func sessionRecord(row map[string]any) error {
	s, err := stored.DecodeSession(row["doc"].(string))
	if err != nil {
		return err
	}
	var p mem.TranscriptPosition
	f := stored.SessionFields(&s, &p)
	if err := (stored.Fields{"checked_to": &p.To, "checked_hash": &p.Hash}).Scan(row); err != nil {
		return err
	}
	replaceDocument(row, f.Row())
	return nil
}

func turnRecord(row map[string]any) error {
	t, err := stored.Decode[mem.Turn]("turn", row["doc"].(string))
	replaceDocument(row, stored.TurnFields(&t).Row())
	return err
}

// memoryRecord replaces the document of a memory by its fields. Its session is that of its row.
func memoryRecord(row map[string]any) error {
	m, err := stored.DecodeMemory(row["doc"].(string))
	if err != nil {
		return err
	}
	r := stored.MemoryRow{Memory: m}
	r.Session, _ = row["session"].(string)
	r.Number, r.Index, r.Outdated = row["number"].(int64), row["words"].(string), row["outdated"].(int64) != 0
	fields, err := stored.MemoryRecord(r)
	delete(row, "outdated")
	replaceDocument(row, fields)
	return err
}

func changeRecord(row map[string]any) error {
	c, err := stored.Decode[mem.Step]("change", row["doc"].(string))
	delete(row, "doc")
	return errors.Join(err, stored.StepRecord(c, row))
}

// replaceDocument puts the fields of a document into a row in its place.
func replaceDocument(row, fields map[string]any) {
	delete(row, "doc")
	for name, value := range fields {
		row[name] = value
	}
}

// Records implements mem.RecordStore and mem.MoveStore.
func (s *Store) Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error {
	return wrap("read records", pgx.BeginTxFunc(unlimited(ctx), s.pool, pgx.TxOptions{
		IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly,
	}, func(tx pgx.Tx) error {
		// The reader may take long for each row.
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; "+
			"SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
			return err
		}
		tables := recordTables()
		if q.Work {
			tables = append(tables, workTables()...)
		}
		for _, t := range tables {
			if err := t.each(ctx, tx, q, each); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
		return nil
	}))
}

// each passes the rows of the table on.
func (t recordTable) each(ctx context.Context, tx pgx.Tx, q mem.RecordQuery, each func(mem.Record) error) error {
	s := query(t.read)
	if t.which != "" && (q.Project != "" || !q.Since.IsZero()) {
		since := int64(math.MinInt64)
		if !q.Since.IsZero() {
			since = stored.Stamp(q.Since)
		}
		s = query(part, q.Project, since).add(t.read + " WHERE " + t.which)
	}
	if t.order != "" {
		s.add(" ORDER BY " + t.order)
	}
	found, err := tx.Query(unlimited(ctx), s.sql(), s.args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		values, err := found.Values()
		if err != nil {
			return err
		}
		row := map[string]any{}
		for i, f := range found.FieldDescriptions() {
			if v := recordValue(values[i]); v != nil {
				row[f.Name] = v
			}
		}
		if t.edit != nil {
			if err := t.edit(row); err != nil {
				return err
			}
		}
		if err := each(mem.Record{Table: t.name, Row: row}); err != nil {
			return err
		}
	}
	return found.Err()
}

// recordValue is a value of the server as a record has it.
func recordValue(v any) any {
	if v, ok := v.(bool); ok {
		if v {
			return int64(1)
		}
		return int64(0)
	}
	return v
}
