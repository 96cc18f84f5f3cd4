//go:build surreal || backends

package form

import (
	"errors"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// Table is a table of a copy, in the form that an export has, which is that of the SQLite file.
type Table struct {
	Name   string
	table  string                           // "" for the same name
	Key    string                           // its number; "" if it has none
	fields string                           // those of an export; column=field where the names differ
	edit   func(surql.Row, surql.Row) error // completes a row of an export from its record; nil if it is complete
}

// Tables lists the tables in an order in which rows follow those that they refer to.
func Tables() []Table {
	return []Table{
		{Name: "project", fields: "key name root common origin branch head last_event"},
		{Name: "project_common", fields: "common key"},
		{Name: "project_root", fields: "root key"},
		{Name: "project_alias", fields: "key known"},
		{Name: "session", Key: "number", edit: sessionRecord},
		{Name: "told", table: "injected_key", fields: "session mark=key"},
		{Name: "turn", Key: "number", fields: "number session place", edit: turnRecord},
		{
			Name: "event", Key: "seq", fields: "seq id=ref key session prompt_id kind tool tool_use_id agent_id agent_type ok " +
				"exit_code duration_ms payload created_at",
		},
		{Name: "memory", Key: "number", fields: "number session words", edit: memoryRecord},
		{Name: "checkpoint", Key: "number", fields: "number id=ref session project at trigger doc"},
		{Name: "receipt", Key: "number", fields: "number id=ref session project at outcome tokens doc"},
		{Name: "relation", fields: "from_memory to_memory kind confidence made"},
		{Name: "entity", Key: "number", fields: "number id=ref project kind name confidence first_seen last_seen"},
		{Name: "mention", fields: "entity memory"},
		{Name: "run", Key: "number", fields: "number id=ref kind project session at looked=examined"},
		{Name: "change", Key: "number", fields: "number run memory undone", edit: changeRecord},
		{Name: "dismissed", fields: "rule memory other at"},
	}
}

// WorkTables lists the tables that only a copy of the whole store has.
func WorkTables() []Table {
	return []Table{
		{
			Name: "job", Key: "number", fields: "number id=ref kind session key data not_before attempts created error dead",
			edit: func(to, _ surql.Row) error { to["leased"] = int64(0); return nil },
		},
		{Name: "pause", fields: "target until inject_only"},
		{Name: "silence", table: "paused_period", fields: "target begun ended"},
		{Name: "spent", fields: "day tokens calls failures"},
		{Name: "vector", fields: "memory model scale data"},
	}
}

// NumberedTables are the tables of which a copy has the last number.
var NumberedTables = []string{
	"session", "turn", "event", "memory", "checkpoint", "receipt", "entity", "run", "change", "job",
}

// From is the name of the table in the database.
func (t Table) From() string {
	if t.table != "" {
		return t.table
	}
	return t.Name
}

// Columns calls f with the names of each column in an export and in the database.
func (t Table) Columns(f func(column, field string)) {
	for name := range strings.FieldsSeq(t.fields) {
		column, field, ok := strings.Cut(name, "=")
		if !ok {
			field = column
		}
		f(column, field)
	}
}

// Referred are the prefixes of the ids of the rows to which columns of records refer.
var Referred = map[string]string{"memory": "m_", "from_memory": "m_", "to_memory": "m_", "entity": "n_", "run": "k_"}

// Record returns a record as an export has it.
func (t Table) Record(r surql.Row, sessions map[int64]string) (surql.Row, error) {
	out := surql.Row{}
	t.Columns(func(column, field string) {
		v := recordValue(r[field])
		n, isNumber := v.(int64)
		prefix := Referred[column]
		switch {
		case v == nil, column == "session" && n == 0:
		case column == "session":
			out[column] = sessions[n]
		case prefix != "" && isNumber && t.Name != column:
			out[column] = chars.ShortID(prefix, n)
		case column == "confidence" || column == "scale":
			out[column] = r.Float(field)
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
		return surql.Row{"v": v}.Number("v")
	case string, int64, float64, []byte:
		return v
	}
	return nil
}

func sessionRecord(to, r surql.Row) error {
	s, err := Session(r)
	p := mem.TranscriptPosition{To: r.Number("checked_to"), Hash: r.Text("checked_hash")}
	add(to, stored.SessionFields(&s, &p).Row())
	return err
}

func turnRecord(to, r surql.Row) error {
	t, err := stored.Decode[mem.Turn]("turn", r.Text("doc"))
	add(to, stored.TurnFields(&t).Row())
	return err
}

// memoryRecord adds the fields of a memory. Its session is that of its row.
func memoryRecord(to, r surql.Row) error {
	m, err := StoredMemory(r)
	if err == nil && m.Broken {
		err = stored.ErrUnreadable
	}
	if err != nil {
		return err
	}
	m.Session = to.Text("session")
	fields, err := stored.MemoryRecord(m)
	add(to, fields)
	return err
}

func changeRecord(to, r surql.Row) error {
	c, err := stored.Decode[mem.Step]("change", r.Text("doc"))
	return errors.Join(err, stored.StepRecord(c, to))
}

func add(to surql.Row, fields map[string]any) {
	for name, value := range fields {
		to[name] = value
	}
}
