//go:build surreal || backends

package surreal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
	"remanence/internal/store/surreal/surql"
)

// AddRecords implements mem.MoveStore.
func (s *Store) AddRecords(ctx context.Context, records []mem.Record) error {
	ctx = surql.Patient(ctx)
	return wrap("add records", s.transact(ctx, func(tx *transaction) error {
		w := recordWriter{entry: newEntry(tx), sessions: map[string]int64{}}
		for _, r := range records {
			if err := w.add(ctx, r.Table, r.Row); err != nil {
				return fmt.Errorf("%s: %w", r.Table, err)
			}
		}
		return w.IndexUtterances(ctx)
	}))
}

// FinishRecords implements mem.MoveStore. Rows are indexed as they are written; positions of tombstones are no records
// of a table.
func (s *Store) FinishRecords(ctx context.Context) error {
	ctx = surql.Patient(ctx)
	return wrap("finish records", s.transact(ctx, func(tx *transaction) error {
		r, _, err := first(ctx, tx, query("SELECT math::min(seq) AS n FROM event WHERE seq < 0 GROUP ALL"), whole)
		tx.raise("tombstone", -r.Number("n"))
		return err
	}))
}

// recordWriter writes records.
type recordWriter struct {
	*entry
	sessions map[string]int64 // numbers by id
}

// tablesByName are the tables of records.
func tablesByName() map[string]form.Table {
	out := map[string]form.Table{}
	for _, t := range slices.Concat(form.Tables(), form.WorkTables()) {
		out[t.Name] = t
	}
	return out
}

// flags are the fields that are true or false.
var flags = []string{"ok", "dead", "inject_only"}

// add writes one row.
func (w *recordWriter) add(ctx context.Context, table string, r row) error {
	switch table {
	case "session":
		return w.session(ctx, r)
	case "turn":
		return w.turn(ctx, r)
	case "memory":
		return w.memory(ctx, r)
	case "change":
		return w.change(ctx, r)
	case "counter":
		w.state["last_"+r.Text("name")] = r.Number("n")
		return nil
	}
	t, ok := tablesByName()[table]
	if !ok {
		return errors.New("no table of a copy")
	}
	fields, err := w.fields(ctx, t, r)
	if err != nil {
		return err
	}
	return w.insert(ctx, t, fields)
}

// fields returns the fields of a row as they are stored.
func (w *recordWriter) fields(ctx context.Context, t form.Table, r row) (fields row, err error) {
	fields = row{}
	t.Columns(func(column, field string) {
		v := r[column]
		if err != nil {
			return
		}
		switch prefix := form.Referred[column]; {
		case column == "session":
			v, err = w.numberOf(ctx, r.Text(column))
		case prefix != "":
			v, err = numberIn(prefix, r.Text(column))
		case slices.Contains(flags, column):
			v = r.Number(column) != 0
		}
		if v != nil {
			fields[field] = v
		}
	})
	return fields, err
}

// numberIn is the number of an id.
func numberIn(prefix, id string) (int64, error) {
	n, ok := chars.ShortNumber(prefix, id)
	if !ok {
		return 0, fmt.Errorf("%q is no id of a row", chars.Clip(id, 60))
	}
	return n, nil
}

// insert writes a record with what is derived from it.
func (w *recordWriter) insert(ctx context.Context, t form.Table, f row) error {
	var key any
	switch t.Name {
	case "project", "project_alias":
		key = keyOf(f.Text("key"))
	case "project_common":
		key = keyOf(f.Text("common"))
	case "project_root":
		key = keyOf(f.Text("key"), f.Text("root"))
	case "told":
		return w.putInjected(ctx, f.Number("session"), []string{f.Text("key")})
	case "relation":
		key = relationKey(f.Number("from_memory"), f.Number("to_memory"), f.Text("kind"))
	case "mention":
		return w.exec(ctx, mentionRow(f.Number("entity"), f.Number("memory")))
	case "dismissed":
		key = keyOf(f.Text("rule"), stored.MemoryID(f.Number("memory")), f.Text("other"))
	case "entity":
		return w.exec(ctx, entityRow(f))
	case "vector":
		return w.exec(ctx, vectorRow(f.Number("memory"), f.Text("model"), f.Float("scale"), f.Bytes("data")))
	case "pause":
		key = keyOf(f.Text("target"))
	case "spent":
		key = keyOf(f.Text("day"))
	case "silence":
		n, err := w.Next(ctx, "paused_period")
		if err != nil {
			return err
		}
		key, f["number"] = n, n
	case "event":
		return w.event(ctx, f)
	case "receipt":
		var r mem.Receipt
		_ = json.Unmarshal([]byte(f.Text("doc")), &r) // which memories a damaged one names is unknown
		nameMemories(f, r)
		f["trigger"], key = r.Trigger, f.Number("number")
	case "job":
		f["leased"], f["owner"], key = 0, "", f.Number("number")
	default:
		key = f.Number("number")
	}
	return w.exec(ctx, put(t.From(), key, f))
}

// event writes an event. The last one of a session is noted there.
func (w *recordWriter) event(ctx context.Context, f row) error {
	var e mem.Event
	_ = json.Unmarshal([]byte(f.Text("payload")), &e) // a damaged one is not dropped
	f["dropped"] = e.PayloadDropped
	seq := f.Number("seq")
	if err := w.exec(ctx, query("UPDATE type::record('session', ?) SET last_seq = ? WHERE last_seq = NONE OR "+
		"last_seq < ? RETURN NONE", f.Number("session"), seq, seq)); err != nil {
		return err
	}
	return w.exec(ctx, put("event", seq, f))
}

func (w *recordWriter) session(ctx context.Context, r row) error {
	var s mem.Session
	var p mem.TranscriptPosition
	if err := stored.SessionFields(&s, &p).Scan(r); err != nil {
		return err
	}
	w.sessions[s.ID] = s.Number
	if err := w.UpdateSession(ctx, s); err != nil {
		return err
	}
	return w.exec(ctx, query("UPDATE type::record('session', ?) SET checked_to = ?, checked_hash = ? RETURN NONE",
		s.Number, p.To, p.Hash))
}

func (w *recordWriter) turn(ctx context.Context, r row) error {
	var t mem.Turn
	if err := stored.TurnFields(&t).Scan(r); err != nil {
		return err
	}
	t.Session = r.Text("session")
	session, err := w.numberOf(ctx, t.Session)
	if err != nil {
		return err
	}
	doc, err := stored.Text(t)
	if err != nil {
		return err
	}
	n := r.Number("number")
	return w.exec(ctx, put("turn", n, map[string]any{
		"number": n, "session": session, "prompt_id": t.PromptID, "at": r.Number("at"), "place": r.Number("place"),
		"doc": doc,
	}))
}

func (w *recordWriter) memory(ctx context.Context, r row) error {
	m, err := stored.MemoryOf(r)
	if err != nil {
		return err
	}
	n, err := w.numberOf(ctx, m.Session)
	if err != nil {
		return err
	}
	m.SessionNumber = row{"session": n}.Session()
	return w.saveMemory(ctx, m)
}

func (w *recordWriter) change(ctx context.Context, r row) error {
	c, err := stored.StepOf(r)
	if err != nil {
		return err
	}
	c.Undone = stored.TimeOf(0) // its field has it
	doc, err := stored.Text(c)
	if err != nil {
		return err
	}
	fields, err := w.fields(ctx, tablesByName()["change"], r)
	if err != nil {
		return err
	}
	fields["doc"] = doc
	return w.exec(ctx, put("change", fields.Number("number"), fields))
}

// numberOf returns the number of a session, 0 for none.
func (w *recordWriter) numberOf(ctx context.Context, id string) (int64, error) {
	if n, ok := w.sessions[id]; ok || id == "" {
		return n, nil
	}
	n, err := sessionNumber(ctx, w, id)
	if err == nil && n == noSession {
		err = fmt.Errorf("session %s: %w", chars.Clip(id, 60), mem.ErrNotFound)
	}
	w.sessions[id] = n
	return n, err
}

// PutRecords implements mem.RecordStore.
func (s *Store) PutRecords(ctx context.Context, next func() (mem.Record, error)) (counts mem.RecordCounts, err error) {
	ctx = surql.Patient(ctx)
	read := &replay{next: next}
	err = s.transact(ctx, func(tx *transaction) error {
		read.at = 0
		w := recordWriter{entry: newEntry(tx), sessions: map[string]int64{}}
		if counts, err = stored.Import(ctx, &recordImport{&w}, read.row); err != nil {
			return err
		}
		return w.IndexUtterances(ctx)
	})
	if err != nil {
		return mem.RecordCounts{}, wrap("put records", err)
	}
	return counts, nil
}

// replay keeps the rows of a source for a transaction that begins anew.
type replay struct {
	next func() (mem.Record, error)
	seen []mem.Record
	at   int
}

func (p *replay) row() (r mem.Record, err error) {
	if p.at == len(p.seen) {
		if r, err = p.next(); err != nil {
			return r, err
		}
		p.seen = append(p.seen, r)
	}
	p.at++
	return p.seen[p.at-1], nil
}

// recordImport writes the records of an import. It implements stored.ImportWriter. Rows refer to others by ids.
type recordImport struct{ *recordWriter }

// Resolve sets the id in a column, and reports whether a row has it.
func (p *recordImport) Resolve(ctx context.Context, r map[string]any, column, table, id string) (bool, error) {
	r[column] = id
	if table == "session" {
		n, err := p.numberOf(ctx, id)
		if errors.Is(err, mem.ErrNotFound) {
			return false, nil
		}
		return n > 0, err
	}
	n, ok := chars.ShortNumber(form.Referred[table], id)
	if !ok {
		return false, nil
	}
	return p.exists(ctx, table, n)
}

func (p *recordImport) exists(ctx context.Context, table string, n int64) (bool, error) {
	_, found, err := first(ctx, p, selectRecords("id", table, []int64{n}), whole)
	return found, err
}

// FindSame returns the id of the row that has the same values in the columns by which it is known.
func (p *recordImport) FindSame(ctx context.Context, t stored.RecordTable, r map[string]any) (id string, found bool,
	err error,
) {
	if t.Name == "change" {
		found, err = p.hasChange(ctx, r)
		return "", found, err
	}
	to := tablesByName()[t.Name]
	fields, err := p.fields(ctx, to, r)
	if err != nil {
		return "", false, err
	}
	known := map[string]string{}
	to.Columns(func(column, field string) { known[column] = field })
	idField := "ref"
	if t.Name == "session" {
		idField, known["id"] = "short", "sid"
	}
	q := query("SELECT " + idField + " FROM " + to.From() + " WHERE true")
	for _, column := range t.Same {
		field, ok := known[column]
		if !ok {
			field = column
		}
		value, ok := fields[field]
		if !ok {
			value = r[column]
		}
		q.And(field+" = ?", value)
	}
	same, found, err := first(ctx, p, q, whole)
	return same.Text(idField), found, err
}

// hasChange reports whether a run has a change. Its document identifies each of the changes of a memory.
func (p *recordImport) hasChange(ctx context.Context, r map[string]any) (bool, error) {
	fields, err := p.fields(ctx, tablesByName()["change"], r)
	if err != nil {
		return false, err
	}
	all, err := rows(ctx, p, query("SELECT doc FROM change WHERE run = ? AND memory = ?", fields["run"], fields["memory"]),
		document[mem.Step]("change"))
	return slices.ContainsFunc(all, func(c mem.Step) bool { return c.Rule == r["rule"] && c.Other == r["other"] }), err
}

// HasNumber reports whether a row has a number.
func (p *recordImport) HasNumber(ctx context.Context, t stored.RecordTable, n int64) (bool, error) {
	return p.exists(ctx, tablesByName()[t.Name].From(), n)
}

// InsertRecord writes a row with what is derived from it alone. No later row gets its number.
func (p *recordImport) InsertRecord(ctx context.Context, t stored.RecordTable, r map[string]any) error {
	if t.Number != "" {
		p.raise(t.Name, row(r).Number(t.Number))
	}
	return p.add(ctx, t.Name, maps.Clone(r))
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
