//go:build surreal || backends

package surreal

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// textTables are the tables with texts of the person. All others contain only ids, keys and directories.
func textTables() []stored.TextTable {
	table := stored.NewTextTable
	return []stored.TextTable{
		table("checkpoints", "checkpoint", "number", "ref", "doc"),
		table("receipts", "receipt", "number", "ref", "doc"),
		table("jobs", "job", "number", "ref", "data", "error"),
		table("entities", "entity", "number", "ref", "name"),
		table("projects", "project", "", "key", "name", "root", "common", "origin", "branch"),
		table("projects", "project_root", "", "key", "root"),
		table("projects", "project_common", "", "key", "common"),
		table("memories", "memory", "number", "ref", "doc", stored.DerivedWords, "key", "note"),
		table("events", "event", "seq", "ref", "payload", "tool", "prompt_id", "tool_use_id", "agent_id"),
		table("prompts", "turn", "number", "", "doc", "prompt_id"),
		table("sessions", "session", "number", "short", "doc", "agent", "model"),
		table("changes", "change", "number", "", "doc"),
	}
}

// Scrub implements mem.Store.
func (s *Store) Scrub(ctx context.Context, fix bool, may stored.May, clean stored.Clean) (mem.ScanResponse, error) {
	done, err := stored.Scrub(ctx, scrubber{s.database}, textTables(), fix, may, clean)
	if err != nil {
		return mem.ScanResponse{}, wrap("scrub", err)
	}
	return done, nil
}

// scrubber implements stored.Scrubber. Records are known by their numbers, or by the last part of their ids.
type scrubber struct{ *database }

// Records reads the next records of a table. Those without a number are few: they are read at once.
func (s scrubber) Records(ctx context.Context, t stored.TextTable, after string, _ stored.May) (
	[]stored.TextRecord, error,
) {
	q := query(recordsOf(t))
	if t.Key == "" {
		if after != "" {
			return nil, nil
		}
		return rows(ctx, s, q, textsOf(t))
	}
	if after != "" {
		last, _ := strconv.ParseInt(after, 10, 64) // it was written so
		q.Add(fmt.Sprintf(":%d..", last+1))
	}
	return rows(ctx, s, q.Add(" LIMIT ?", stored.ScrubStep), textsOf(t))
}

// recordsOf is the statement that reads the records of a table, without a condition.
func recordsOf(t stored.TextTable) string {
	fields := append([]string{"record::id(id) AS record"}, t.Columns...)
	for _, f := range []string{t.Key, t.ID} {
		if f != "" {
			fields = append(fields, f)
		}
	}
	return "SELECT " + strings.Join(fields, ", ") + " FROM " + t.Table
}

// textsOf reads a record with its texts.
func textsOf(t stored.TextTable) func(row) (stored.TextRecord, error) {
	return func(r row) (stored.TextRecord, error) {
		rec := stored.TextRecord{Key: r.Text("record"), ID: r.Text(t.ID)}
		if t.Key != "" {
			rec.Key = strconv.FormatInt(r.Number(t.Key), 10)
		}
		for _, c := range t.Columns {
			rec.Texts = append(rec.Texts, r.Text(c))
		}
		return rec, nil
	}
}

// CleanRecords cleans records in one transaction.
func (s scrubber) CleanRecords(ctx context.Context, t stored.TextTable, keys []string, clean stored.Clean) error {
	return s.transact(ctx, func(tx *transaction) error {
		e := newEntry(tx)
		for _, key := range keys {
			if err := e.rewrite(ctx, t, key, clean); err != nil {
				return fmt.Errorf("record %s: %w", key, err)
			}
		}
		return e.IndexUtterances(ctx)
	})
}

// rewrite cleans one record. It reads it again, as it may have changed meanwhile.
func (e *entry) rewrite(ctx context.Context, t stored.TextTable, key string, clean stored.Clean) error {
	var id any = key
	if t.Key != "" {
		id, _ = strconv.ParseInt(key, 10, 64) // it was written so
	}
	rec, found, err := first(ctx, e, query(recordsOf(t)[:len(recordsOf(t))-len(t.Table)]+"type::record('"+t.Table+"', ?)",
		id), textsOf(t))
	if err != nil || !found {
		return err
	}
	fresh, kinds, err := t.Cleaned(rec, clean)
	if err != nil || len(kinds) == 0 {
		return err
	}
	fields := map[string]any{}
	for i, column := range t.Columns {
		fields[column] = fresh.Texts[i]
	}
	switch t.Table {
	case "project_root", "project_common", "entity":
		return e.rename(ctx, t.Table, id, fields)
	}
	if err := e.exec(ctx, query("UPDATE type::record('"+t.Table+"', ?) MERGE ? RETURN NONE", id, fields)); err != nil ||
		t.Table != "memory" {
		return err
	}
	return e.deriveAnew(ctx, id)
}

// rename writes a record that is known by a text that changed. Of two that differ only in what was removed, one stays.
func (e *entry) rename(ctx context.Context, table string, id any, fields map[string]any) error {
	old, err := get(ctx, e, query("SELECT * OMIT id FROM type::record('"+table+"', ?)", id), whole)
	if err != nil {
		return err
	}
	for name, value := range fields {
		old[name] = value
	}
	if table == "entity" {
		known := keyOf(old.Text("project"), old.Text("kind"), stored.PlainText(old.Text("name")))
		_, taken, err := first(ctx, e, query("SELECT number FROM entity WHERE known = ? AND number != ?", known, id), whole)
		if err != nil {
			return err
		}
		if taken {
			return e.deleteEntities(ctx, []int64{old.Number("number")})
		}
		return e.exec(ctx, entityRow(old))
	}
	if err := e.exec(ctx, query("DELETE type::record('"+table+"', ?) RETURN NONE", id)); err != nil {
		return err
	}
	key := keyOf(old.Text("key"), old.Text("root"))
	if table == "project_common" {
		key = keyOf(old.Text("common"))
	}
	_, taken, err := first(ctx, e, query("SELECT key FROM type::record('"+table+"', ?)", key), whole)
	if err != nil || taken {
		return err
	}
	return e.exec(ctx, put(table, key, old))
}

// deriveAnew writes a cleaned memory with all that is derived from it. What is derived from a document that cannot be
// decoded may contain the secret, and is emptied.
func (e *entry) deriveAnew(ctx context.Context, number any) error {
	m, _, err := e.oneMemory(ctx, "number = ?", number)
	if err != nil {
		return err
	}
	m.Outdated = m.Outdated || m.Kind.HasEntities()
	if err := e.exec(ctx, query("DELETE type::record('vector', ?) RETURN NONE", m.Number)); err != nil {
		return err
	}
	if !m.Broken {
		return e.saveMemory(ctx, m)
	}
	if stored.IsUtterance(m.Memory) {
		e.Spans.Add(m.SessionNumber, m.Number) // its neighbours are indexed with its text
	}
	return e.exec(ctx, query("UPDATE type::record('memory', ?) SET command = '', files = [], dirs = [], exts = [], "+
		"tags = [], words = '', stems = NONE, spoken = NONE, places = '', length = 0 RETURN NONE", m.Number))
}
