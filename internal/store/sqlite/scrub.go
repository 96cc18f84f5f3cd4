package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// Clean takes out of a JSON object what must not be kept, and says of what kinds
// it found how many. Keys, and strings under names of ids and paths, stay.
type Clean = func(doc []byte) (out []byte, found map[string]int, err error)

// shelf is a table with texts of the person's. What tables are left out hold
// ids, keys and directories only.
type shelf struct {
	where   string // as people call what stands there
	table   string
	key     string // its number
	id      string // what a record is known by outside, '' if by nothing
	columns []string
}

// pieces is the column of what a memory is found by beside its texts: parts of the names in them, without the signs
// between. It says nothing of its own, and what stands side by side there stood apart; so it is not judged, and
// follows the texts.
const pieces = "words"

func shelves() []shelf {
	return []shelf{
		{"memories", "memory", "number", "id", []string{
			"title", "body", "facts", "concepts", "tags", "files", "modified", "tool", "command", "event", "summary", "source",
			"branch", pieces, "key", "note", "standing",
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
	scrubStep = 500 // records read at a time, and written in one transaction at most
	scrubIDs  = 5   // ids named of each kind and place
)

// Scrub implements mem.Store.
func (s *erasure) Scrub(ctx context.Context, fix bool, clean Clean) (mem.ScanResponse, error) {
	if err := s.forget(ctx); err != nil {
		return mem.ScanResponse{}, fmt.Errorf("scrub: %w", translate(err))
	}
	r := &scrubbing{store: s, clean: clean, fix: fix}
	for _, sh := range shelves() {
		if err := r.walk(ctx, sh); err != nil {
			return mem.ScanResponse{}, fmt.Errorf("scrub %s: %w", sh.where, translate(err))
		}
	}
	if fix {
		if err := s.forget(ctx); err != nil {
			return mem.ScanResponse{}, fmt.Errorf("scrub: %w", translate(err))
		}
		r.done.Fixed = true
	}
	slices.SortStableFunc(r.done.Finds, func(a, b mem.Find) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Kind, b.Kind))
	})
	return r.done, nil
}

// forget finishes what was begun before: the log, in which pages stand as they
// were, is emptied.
func (s *erasure) forget(ctx context.Context) error {
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return s.resume(ctx, patient)
}

// scrubbing is one Scrub on its way.
type scrubbing struct {
	store *erasure
	clean Clean
	fix   bool
	done  mem.ScanResponse
}

// record is one row: its texts as a JSON object.
type record struct {
	key, id string
	texts   []string
}

// walk goes over a table in steps, so that nobody waits for long.
func (r *scrubbing) walk(ctx context.Context, sh shelf) error {
	last := ""
	for {
		found, err := r.read(ctx, sh, last)
		if err != nil {
			return err
		}
		var held []record
		for _, rec := range found {
			_, kinds, err := r.cleaned(sh, rec)
			if err != nil {
				return fmt.Errorf("record %s: %w", rec.key, err)
			}
			if len(kinds) > 0 {
				held = append(held, rec)
				r.count(sh, rec, kinds)
			}
		}
		r.done.Records += len(found)
		if r.fix && len(held) > 0 {
			if err := r.write(ctx, sh, held); err != nil {
				return err
			}
		}
		if len(found) < scrubStep {
			return nil
		}
		last = found[len(found)-1].key
	}
}

func (r *scrubbing) read(ctx context.Context, sh shelf, after string) ([]record, error) {
	where, args := "", []any{}
	if after != "" {
		where = " WHERE " + sh.key + " > ?"
		args = append(args, after)
	}
	rs, err := r.store.read.QueryContext(ctx, sh.query()+where+" ORDER BY "+sh.key+fmt.Sprintf(" LIMIT %d", scrubStep),
		args...)
	if err != nil {
		return nil, err
	}
	defer rs.Close()
	var out []record
	for rs.Next() {
		rec, fields := sh.empty()
		if err := rs.Scan(fields...); err != nil {
			return nil, err
		}
		out = append(out, *rec)
	}
	return out, rs.Err()
}

func (sh shelf) query() string {
	return "SELECT " + sh.key + ", " + sh.id + ", " + strings.Join(sh.columns, ", ") + " FROM " + sh.table
}

// empty is a record to be scanned into.
func (sh shelf) empty() (*record, []any) {
	rec := &record{texts: make([]string, len(sh.columns))}
	fields := []any{&rec.key, &rec.id}
	for i := range rec.texts {
		fields = append(fields, &rec.texts[i])
	}
	return rec, fields
}

// cleaned is the record without what must not be kept.
func (r *scrubbing) cleaned(sh shelf, rec record) (record, map[string]int, error) {
	b, err := sh.document(rec)
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
	for i, name := range sh.columns {
		fresh.texts = append(fresh.texts, asText(rec.texts[i], doc[name]))
	}
	if i := slices.Index(sh.columns, pieces); i >= 0 {
		fresh.texts[i] = stillSaid(rec.texts[i], strings.ToLower(strings.Join(fresh.texts, "\n")))
	}
	return fresh, kinds, nil
}

// stillSaid are the words that stand in a text.
func stillSaid(words, text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(words), func(w string) bool {
		return !strings.Contains(text, w)
	}), " ")
}

// isDoc reports whether a stored text is a JSON document, whose strings are looked
// at one by one.
func isDoc(s string) bool {
	return s != "" && (s[0] == '{' || s[0] == '[') && json.Valid([]byte(s))
}

// document is a record as one JSON object, without the texts that are empty.
func (sh shelf) document(rec record) ([]byte, error) {
	b := []byte("{")
	for i, t := range rec.texts {
		if t == "" || sh.columns[i] == pieces {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, sh.columns[i]...)
		b = append(b, '"', ':')
		switch {
		case isDoc(t):
			b = append(b, t...)
		case isVerbatim(t): // most are
			b = append(b, '"')
			b = append(b, t...)
			b = append(b, '"')
		default:
			quoted, err := text(t)
			if err != nil {
				return nil, err
			}
			b = append(b, quoted...)
		}
	}
	return append(b, '}'), nil
}

// isVerbatim reports whether a text stands in JSON as it is.
func isVerbatim(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' {
			return false
		}
	}
	return utf8.ValidString(s)
}

// asText is the stored form of what became of the text old.
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

func (r *scrubbing) count(sh shelf, rec record, kinds map[string]int) {
	r.done.WithSecrets++
	for kind, n := range kinds {
		i := slices.IndexFunc(r.done.Finds, func(f mem.Find) bool { return f.Where == sh.where && f.Kind == kind })
		if i < 0 {
			r.done.Finds = append(r.done.Finds, mem.Find{Where: sh.where, Kind: kind, IDs: []string{}})
			i = len(r.done.Finds) - 1
		}
		f := &r.done.Finds[i]
		f.Count += n
		if rec.id != "" && len(f.IDs) < scrubIDs {
			f.IDs = append(f.IDs, rec.id)
		}
	}
}

// write cleans records in one transaction. Each is read again in it: it may have
// changed since.
func (r *scrubbing) write(ctx context.Context, sh shelf, held []record) error {
	unlock, err := r.store.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return r.store.transact(ctx, func(w *writer) error {
		if err := w.raise(ctx, unfinishedPurge); err != nil {
			return err
		}
		for _, rec := range held {
			if err := r.rewrite(ctx, w, sh, rec.key); err != nil {
				return fmt.Errorf("record %s: %w", rec.key, err)
			}
		}
		return nil
	})
}

func (r *scrubbing) rewrite(ctx context.Context, w *writer, sh shelf, key string) error {
	rec, fields := sh.empty()
	found, err := w.find(ctx, sh.query()+" WHERE "+sh.key+"=?", []any{key}, fields...)
	if err != nil || !found {
		return err
	}
	fresh, kinds, err := r.cleaned(sh, *rec)
	if err != nil || len(kinds) == 0 {
		return err
	}
	args := []any{}
	for _, t := range fresh.texts {
		args = append(args, t)
	}
	// OR REPLACE: of two names that are the same without what is taken out, one is left.
	if _, err := w.exec(ctx, "UPDATE OR REPLACE "+sh.table+" SET "+strings.Join(sh.columns, "=?, ")+"=? WHERE "+sh.key+
		"=?", append(args, key)...); err != nil {
		return err
	}
	if sh.table != "memory" {
		return nil
	}
	e := &entry{writer: w, at: w.now, sessions: map[string]int64{}, talk: talk{}}
	m, _, err := e.oneMemory(ctx, "m.number=?", key)
	if err != nil {
		return err
	}
	if err := e.updateMemory(ctx, memoryRow{number: m.number}, m.Memory, true); err != nil { // all that it is found by
		return err
	}
	return e.indexTalk(ctx)
}
