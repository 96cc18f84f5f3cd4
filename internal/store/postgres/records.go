//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

var _ mem.MoveStore = (*Store)(nil)

// recordTable is a table of a copy, in the form that an export has, which is that of the SQLite file.
type recordTable struct {
	name string
	read string                     // the statement that reads its rows
	edit func(map[string]any) error // completes a row that was read; nil if it is complete
}

// recordTables lists the tables in an order in which rows follow those that they refer to.
func recordTables() []recordTable {
	return []recordTable{
		{name: "project", read: "SELECT key, name, root, common, origin, branch, head, last_event FROM project"},
		{name: "project_common", read: "SELECT common, key FROM project_common"},
		{name: "project_root", read: "SELECT root, key FROM project_root"},
		{name: "project_alias", read: "SELECT key, known FROM project_alias"},
		{
			name: "session", read: "SELECT checked_to, checked_hash, doc FROM session ORDER BY number",
			edit: sessionRecord,
		},
		{
			name: "told", read: `SELECT s.id AS session, k.key AS mark FROM injected_key k
				JOIN session s ON s.number = k.session`,
		},
		{
			name: "turn", read: `SELECT t.number, s.id AS session, t.place, t.doc FROM turn t
				JOIN session s ON s.number = t.session ORDER BY t.number`, edit: turnRecord,
		},
		{
			name: "event", read: `SELECT e.seq, e.id, e.key, s.id AS session, e.prompt_id, e.kind, e.tool, e.tool_use_id,
				e.agent_id, e.agent_type, e.ok, e.exit_code, e.duration_ms, e.payload, e.created_at
				FROM event e LEFT JOIN session s ON s.number = e.session ORDER BY e.seq`,
		},
		{
			name: "memory", read: `SELECT m.number, s.id AS session, m.words, m.outdated, m.doc FROM memory m
				LEFT JOIN session s ON s.number = m.session ORDER BY m.number`, edit: memoryRecord,
		},
		{
			name: "checkpoint", read: "SELECT c.number, c.id, s.id AS session, c.project, c.at, c.trigger, c.doc " +
				"FROM checkpoint c LEFT JOIN session s ON s.number = c.session ORDER BY c.number",
		},
		{
			name: "receipt", read: `SELECT r.number, r.id, s.id AS session, r.project, r.at, r.outcome, r.tokens, r.doc
				FROM receipt r LEFT JOIN session s ON s.number = r.session ORDER BY r.number`,
		},
		{
			name: "relation", read: `SELECT a.id AS from_memory, b.id AS to_memory, r.kind, r.confidence, r.made
				FROM relation r JOIN memory a ON a.number = r.from_memory JOIN memory b ON b.number = r.to_memory`,
		},
		{
			name: "entity", read: "SELECT number, id, project, kind, name, confidence, first_seen, last_seen FROM entity " +
				"ORDER BY number",
		},
		{
			name: "mention", read: `SELECT e.id AS entity, m.id AS memory FROM mention n
				JOIN entity e ON e.number = n.entity JOIN memory m ON m.number = n.memory`,
		},
		{
			name: "run", read: `SELECT r.number, r.id, r.kind, r.project, s.id AS session, r.at, r.examined AS looked
				FROM run r LEFT JOIN session s ON s.number = r.session ORDER BY r.number`,
		},
		{
			name: "change", read: `SELECT c.number, r.id AS run, m.id AS memory, c.undone, c.doc FROM change c
				JOIN run r ON r.number = c.run JOIN memory m ON m.number = c.memory ORDER BY c.number`, edit: changeRecord,
		},
		{
			name: "dismissed", read: `SELECT d.rule, m.id AS memory, d.other, d.at FROM dismissed d
				JOIN memory m ON m.number = d.memory`,
		},
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
	s, err := decodeSession(row["doc"].(string))
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
	t, err := decode[mem.Turn]("turn", row["doc"].(string))
	replaceDocument(row, stored.TurnFields(&t).Row())
	return err
}

// memoryRecord replaces the document of a memory by its fields. Its session is that of its row.
func memoryRecord(row map[string]any) error {
	r, err := decodeMemory(row["doc"].(string))
	if err != nil {
		return err
	}
	r.Session, _ = row["session"].(string)
	r.Number, r.Index, r.Outdated = row["number"].(int64), row["words"].(string), row["outdated"].(int64) != 0
	fields, err := stored.MemoryRecord(r)
	delete(row, "outdated")
	replaceDocument(row, fields)
	return err
}

func changeRecord(row map[string]any) error {
	c, err := decode[mem.Step]("change", row["doc"].(string))
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

// Records implements mem.MoveStore.
func (s *Store) Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error {
	if q != (mem.RecordQuery{Work: q.Work}) {
		return errors.New("a store on a server knows no part of its records")
	}
	return wrap("read records", pgx.BeginTxFunc(unlimited(ctx), s.pool, pgx.TxOptions{
		IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly,
	}, func(tx pgx.Tx) error {
		// The reader may take long for each row.
		if _, err := tx.Exec(ctx, "SET LOCAL statement_timeout = 0; "+
			"SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
			return err
		}
		for _, t := range recordTables() {
			if work := t.name == "job"; work && !q.Work {
				break // and all that follow
			}
			if err := t.each(ctx, tx, each); err != nil {
				return fmt.Errorf("%s: %w", t.name, err)
			}
		}
		return nil
	}))
}

// each passes the rows of the table on.
func (t recordTable) each(ctx context.Context, tx pgx.Tx, each func(mem.Record) error) error {
	found, err := tx.Query(unlimited(ctx), t.read)
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
