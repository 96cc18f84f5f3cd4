package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// Clean removes secrets from the values of a JSON object and returns how many it
// found of each kind. Keys, and strings under names of ids and paths, stay.
type Clean = func(doc []byte) (out []byte, found map[string]int, err error)

// textTable is a table with texts of the person. Tables that are not listed contain only ids, keys and directories.
type textTable struct {
	where   string // its name in a scan's report
	table   string
	key     string // its number
	id      string // the id that a report names, '' if there is none
	columns []string
}

// derivedWords is the column with the search words of a memory: parts of names in
// its texts, without punctuation. It is not scanned, because words next to each other
// there were not so in the texts. It keeps the words that are still in the texts.
const derivedWords = "words"

func textTables() []textTable {
	return []textTable{
		{"memories", "memory", "number", "id", []string{
			"title", "body", "facts", "concepts", "tags", "files", "modified", "tool", "command", "event", "summary", "source",
			"branch", derivedWords, "key", "note", "standing",
			"anchors", "agent", "prompt_id",
		}},
		{"events", "event", "seq", "id", []string{"payload", "tool", "agent_type", "prompt_id", "tool_use_id", "agent_id"}},
		{"prompts", "turn", "number", "''", []string{"text", "prompt_id"}},
		{"sessions", "session", "number", "short", []string{
			"first_prompt", "last_notification", "nudge", "end_reason", "root", "cwd", "transcript", "project_name", "agent",
			"model", "source", "entrypoint",
		}},
		{"checkpoints", "checkpoint", "number", "id", []string{"doc"}},
		{"receipts", "receipt", "number", "id", []string{"doc"}},
		{"jobs", "job", "number", "id", []string{"data", "error"}},
		{"entities", "entity", "number", "id", []string{"name"}},
		{"projects", "project", "key", "key", []string{"name", "root", "common", "origin", "branch"}},
		{"projects", "project_root", "key || ' ' || root", "key", []string{"root"}},
		{"projects", "project_common", "common", "key", []string{"common"}},
		{"changes", "change", "number", "''", []string{"reason"}},
	}
}

const (
	scrubStep = 500 // records that are read at a time and written in one transaction
	scrubIDs  = 5   // ids that a report names of each kind and place
)

// Scrub implements mem.Store.
func (s *erasure) Scrub(ctx context.Context, fix bool, clean Clean) (mem.ScanResponse, error) {
	r := &scrubRun{store: s, clean: clean, fix: fix}
	if err := r.run(ctx); err != nil {
		return mem.ScanResponse{}, wrap("scrub", err)
	}
	slices.SortStableFunc(r.done.Finds, func(a, b mem.Find) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Kind, b.Kind))
	})
	return r.done, nil
}

// scrubRun is one call of Scrub.
type scrubRun struct {
	store *erasure
	clean Clean
	fix   bool
	done  mem.ScanResponse
}

func (r *scrubRun) run(ctx context.Context) error {
	if err := r.store.finishEarlierPurge(ctx); err != nil {
		return err
	}
	for _, t := range textTables() {
		if err := r.walk(ctx, t); err != nil {
			return fmt.Errorf("%s: %w", t.where, err)
		}
	}
	r.done.Fixed = r.fix
	if !r.fix {
		return nil
	}
	return r.store.finishEarlierPurge(ctx)
}

// finishEarlierPurge empties the log, which contains the former pages, if a purge or a scrub did not.
func (s *erasure) finishEarlierPurge(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.finishPurge(ctx, purgeTries)
}

// record is one row: its texts, in the order of the table's columns.
type record struct {
	key, id string
	texts   []string
}

// walk scans a table in steps, so that writers do not wait for long.
func (r *scrubRun) walk(ctx context.Context, t textTable) error {
	last := ""
	for {
		found, err := r.read(ctx, t, last)
		if err != nil {
			return err
		}
		var secret []record
		for _, rec := range found {
			_, kinds, err := r.cleaned(t, rec)
			if err != nil {
				return fmt.Errorf("record %s: %w", rec.key, err)
			}
			if len(kinds) > 0 {
				secret = append(secret, rec)
				r.count(t, rec, kinds)
			}
		}
		r.done.Records += len(found)
		if r.fix && len(secret) > 0 {
			if err := r.write(ctx, t, secret); err != nil {
				return err
			}
		}
		if len(found) < scrubStep {
			return nil
		}
		last = found[len(found)-1].key
	}
}

func (r *scrubRun) read(ctx context.Context, t textTable, after string) ([]record, error) {
	f := &filter{}
	if after != "" {
		f.and(t.key+" > ?", after)
	}
	return rows(ctx, r.store.read, stmt(t.query()).where(f).orderBy(t.key).limit(scrubStep),
		func(r *sql.Rows) (record, error) {
			rec, fields := t.empty()
			err := r.Scan(fields...)
			return *rec, err
		})
}

func (t textTable) query() string {
	return "SELECT " + t.key + ", " + t.id + ", " + strings.Join(t.columns, ", ") + " FROM " + t.table
}

// empty returns a record and where to scan its columns.
func (t textTable) empty() (*record, []any) {
	rec := &record{texts: make([]string, len(t.columns))}
	fields := []any{&rec.key, &rec.id}
	for i := range rec.texts {
		fields = append(fields, &rec.texts[i])
	}
	return rec, fields
}

// cleaned returns the record without secrets, and how many there were by kind.
func (r *scrubRun) cleaned(t textTable, rec record) (record, map[string]int, error) {
	b, err := t.document(rec)
	if err != nil {
		return rec, nil, err
	}
	out, kinds, err := r.clean(b)
	if err != nil || len(kinds) == 0 {
		return rec, kinds, err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(out, &doc); err != nil {
		return rec, nil, err
	}
	fresh := record{key: rec.key, id: rec.id}
	for i, name := range t.columns {
		fresh.texts = append(fresh.texts, asText(rec.texts[i], doc[name]))
	}
	if i := slices.Index(t.columns, derivedWords); i >= 0 {
		fresh.texts[i] = wordsIn(rec.texts[i], strings.ToLower(strings.Join(fresh.texts, "\n")))
	}
	return fresh, kinds, nil
}

// wordsIn returns the words that are in a text.
func wordsIn(words, text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(words), func(w string) bool {
		return !strings.Contains(text, w)
	}), " ")
}

// isDoc reports whether a stored text is a JSON document, whose strings are scanned one by one.
func isDoc(s string) bool {
	return s != "" && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// document returns a record as one JSON object, without empty texts.
func (t textTable) document(rec record) ([]byte, error) {
	b := []byte("{")
	for i, value := range rec.texts {
		if value == "" || t.columns[i] == derivedWords {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, t.columns[i]...)
		b = append(b, '"', ':')
		switch {
		case isDoc(value):
			b = append(b, value...)
		case isVerbatim(value): // as most texts
			b = append(b, '"')
			b = append(b, value...)
			b = append(b, '"')
		default:
			quoted, err := text(value)
			if err != nil {
				return nil, err
			}
			b = append(b, quoted...)
		}
	}
	return append(b, '}'), nil
}

// isVerbatim reports whether a text needs no escaping in JSON.
func isVerbatim(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// asText is the stored form of the cleaned value of a text.
func asText(old string, now json.RawMessage) string {
	if isDoc(old) {
		return string(now)
	}
	if old == "" {
		return ""
	}
	var s string
	_ = json.Unmarshal(now, &s) // it was written as a string
	return s
}

func (r *scrubRun) count(t textTable, rec record, kinds map[string]int) {
	r.done.WithSecrets++
	for kind, n := range kinds {
		i := slices.IndexFunc(r.done.Finds, func(f mem.Find) bool { return f.Where == t.where && f.Kind == kind })
		if i < 0 {
			r.done.Finds = append(r.done.Finds, mem.Find{Where: t.where, Kind: kind, IDs: []string{}})
			i = len(r.done.Finds) - 1
		}
		f := &r.done.Finds[i]
		f.Count += n
		if rec.id != "" && len(f.IDs) < scrubIDs {
			f.IDs = append(f.IDs, rec.id)
		}
	}
}

// write cleans records in one transaction. It reads each again, as it may have changed meanwhile.
func (r *scrubRun) write(ctx context.Context, t textTable, found []record) error {
	return r.store.change(ctx, func(w *writer) error {
		if err := w.putTombstone(ctx, unfinishedPurge); err != nil {
			return err
		}
		for _, rec := range found {
			if err := r.rewrite(ctx, w, t, rec.key); err != nil {
				return fmt.Errorf("record %s: %w", rec.key, err)
			}
		}
		return nil
	})
}

func (r *scrubRun) rewrite(ctx context.Context, w *writer, t textTable, key string) error {
	rec, fields := t.empty()
	found, err := w.find(ctx, stmt(t.query()+" WHERE "+t.key+"=?", key), fields...)
	if err != nil || !found {
		return err
	}
	fresh, kinds, err := r.cleaned(t, *rec)
	if err != nil || len(kinds) == 0 {
		return err
	}
	args := []any{}
	for _, t := range fresh.texts {
		args = append(args, t)
	}
	// OR REPLACE: of two names that differ only in what was removed, one stays.
	if _, err := w.exec(ctx, "UPDATE OR REPLACE "+t.table+" SET "+strings.Join(t.columns, "=?, ")+"=? WHERE "+t.key+
		"=?", append(args, key)...); err != nil {
		return err
	}
	if t.table != "memory" {
		return nil
	}
	e := newEntry(w)
	m, _, err := e.oneMemory(ctx, "m.number=?", key)
	if err != nil {
		return err
	}
	// With an empty old row, so that all index rows are written again.
	if err := e.updateMemory(ctx, memoryRow{number: m.number}, m.Memory, true); err != nil {
		return err
	}
	return e.indexUtterances(ctx)
}
