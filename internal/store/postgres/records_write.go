//go:build postgres || backends

package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// AddRecords implements mem.MoveStore. The statements go to the server together: one at a time, most of the time would
// be spent waiting for its answers.
func (s *Store) AddRecords(ctx context.Context, records []mem.Record) error {
	return wrap("add records", s.transact(ctx, func(tx *transaction) error {
		w := recordWriter{entry: newEntry(tx), sessions: map[string]int64{}}
		for _, r := range records {
			if err := w.add(ctx, r); err != nil {
				return fmt.Errorf("%s: %w", r.Table, err)
			}
		}
		if err := w.send(ctx); err != nil {
			return err
		}
		return w.IndexUtterances(ctx)
	}))
}

// FinishRecords implements mem.MoveStore. Rows are indexed as they are written; the server learns how many there are,
// on which its plans depend. Positions of tombstones are no records of a table.
func (s *Store) FinishRecords(ctx context.Context) error {
	err := s.transact(ctx, func(tx *transaction) error {
		return tx.exec(ctx, query("INSERT INTO counter (name, n) SELECT 'tombstone', coalesce(max(-seq), 0) FROM event "+
			"WHERE seq < 0 ON CONFLICT (name) DO UPDATE SET n = greatest(counter.n, excluded.n)"))
	})
	if err == nil {
		_, err = s.pool.Exec(ctx, "ANALYZE")
	}
	return wrap("finish records", err)
}

// recordWriter collects the statements that write records.
type recordWriter struct {
	*entry
	batch    pgx.Batch
	sessions map[string]int64 // numbers by id
}

// put adds a statement.
func (w *recordWriter) put(s *statement) { w.batch.Queue(s.sql(), s.args...) }

// send runs the statements that were added.
func (w *recordWriter) send(ctx context.Context) error {
	if w.batch.Len() == 0 {
		return nil
	}
	err := w.tx.SendBatch(ctx, &w.batch).Close()
	w.batch = pgx.Batch{}
	return err
}

// add adds the statements of one row.
func (w *recordWriter) add(ctx context.Context, r mem.Record) error {
	row := maps.Clone(r.Row)
	switch r.Table {
	case "session":
		return w.session(row)
	case "turn":
		return w.turn(row)
	case "event":
		var e mem.Event
		payload, _ := row["payload"].(string)
		_ = json.Unmarshal([]byte(payload), &e) // a damaged one is not dropped
		row["dropped"], row["ok"] = e.PayloadDropped, row["ok"] != int64(0)
	case "memory":
		return w.memory(ctx, row)
	case "receipt":
		return w.receipt(row)
	case "change":
		return w.change(row)
	case "run":
		row["examined"] = row["looked"]
		delete(row, "looked")
	case "job":
		row["dead"], row["owner"] = row["dead"] != int64(0), ""
	case "pause":
		row["inject_only"] = row["inject_only"] != int64(0)
	case "counter":
		w.put(query("INSERT INTO counter (name, n) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET n = excluded.n",
			row["name"], row["n"]))
		return nil
	}
	w.insert(r.Table, row)
	return nil
}

// tables are the names of tables that differ from those of records, and columns those of their columns.
var (
	tables  = map[string]string{"told": "injected_key", "silence": "paused_period"}
	columns = map[string]string{"mark": "key"}
)

// tableOf returns the name of the table of records.
func tableOf(records string) string {
	if to := tables[records]; to != "" {
		return to
	}
	return records
}

// referred are the columns of records that hold the id of a row of another table.
var referred = map[string]string{
	"session": "session", "memory": "memory", "from_memory": "memory", "to_memory": "memory", "entity": "entity",
	"run": "run",
}

// insert adds the statement that writes a row whose columns are those of the table.
func (w *recordWriter) insert(table string, row map[string]any) {
	table = tableOf(table)
	var names, values []string
	var args []any
	for _, name := range slices.Sorted(maps.Keys(row)) {
		value := "?"
		if to := referred[name]; to != "" {
			value = "(SELECT number FROM " + to + " WHERE id = ?)"
		}
		args, values = append(args, row[name]), append(values, value)
		if to := columns[name]; to != "" {
			name = to
		}
		names = append(names, pgx.Identifier{name}.Sanitize())
	}
	w.put(query("INSERT INTO "+table+" ("+strings.Join(names, ", ")+") VALUES ("+strings.Join(values, ", ")+")", args...))
}

// session adds the statements that write a session.
func (w *recordWriter) session(row map[string]any) error {
	var s mem.Session
	var p mem.TranscriptPosition
	if err := stored.SessionFields(&s, &p).Scan(row); err != nil {
		return err
	}
	q, err := sessionStatement(s)
	if err != nil {
		return err
	}
	w.put(q)
	w.put(query("UPDATE session SET checked_to = ?, checked_hash = ? WHERE number = ?", p.To, p.Hash, s.Number))
	w.sessions[s.ID] = s.Number
	return nil
}

// turn adds the statement that writes a turn.
func (w *recordWriter) turn(row map[string]any) (err error) {
	var t mem.Turn
	if err = stored.TurnFields(&t).Scan(row); err != nil {
		return err
	}
	t.Session, _ = row["session"].(string)
	out := map[string]any{
		"number": row["number"], "session": row["session"], "prompt_id": t.PromptID, "at": row["at"], "place": row["place"],
	}
	if out["doc"], err = stored.Text(t); err == nil {
		w.insert("turn", out)
	}
	return err
}

// memory adds the statement that writes a memory.
func (w *recordWriter) memory(ctx context.Context, row map[string]any) error {
	r, err := stored.MemoryOf(row)
	if err != nil {
		return err
	}
	if r.Session != "" {
		if r.SessionNumber, err = w.numberOf(ctx, r.Session); err != nil {
			return err
		}
	}
	q, err := memoryStatement(r)
	if err != nil {
		return err
	}
	w.put(q)
	if stored.IsUtterance(r.Memory) {
		w.Spans.Add(r.SessionNumber, r.Number)
	}
	return nil
}

// numberOf returns the number of a session.
func (w *recordWriter) numberOf(ctx context.Context, id string) (any, error) {
	n, ok := w.sessions[id]
	if ok {
		return n, nil
	}
	err := w.get(ctx, query("SELECT number FROM session WHERE id = ?", id), &n)
	w.sessions[id] = n
	return n, err
}

// receipt adds the statements that write a receipt, and which memories it names. Those of a damaged one are unknown.
func (w *recordWriter) receipt(row map[string]any) error {
	var r mem.Receipt
	doc, _ := row["doc"].(string)
	broken := json.Unmarshal([]byte(doc), &r) != nil
	row["trigger"] = r.Trigger
	w.insert("receipt", row)
	if q := itemsStatement(row["number"], r); q != nil && !broken {
		w.put(q)
	}
	return nil
}

// change adds the statement that writes a change of a run.
func (w *recordWriter) change(row map[string]any) error {
	c, err := stored.StepOf(row)
	if err != nil {
		return err
	}
	c.Undone = stored.TimeOf(0) // its column has it
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	w.insert("change", map[string]any{
		"number": row["number"], "run": row["run"], "memory": row["memory"], "undone": row["undone"], "doc": doc,
	})
	return nil
}
