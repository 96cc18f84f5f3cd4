package stored

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

// Clean removes secrets from the values of a JSON object and returns how many it
// found of each kind. Keys, and strings under names of ids and paths, stay.
type Clean = func(doc []byte) (out []byte, found map[string]int, err error)

// May reports whether a Clean may find something in a record with these texts, as they are stored. nil: it may in all.
type May = func(texts []byte) bool

// TextTable is a table with texts of the person. Tables that are not listed contain only ids, keys and directories.
type TextTable struct {
	Where   string // its name in a scan's report
	Table   string
	Key     string // its number
	ID      string // the id that a report names, '' if there is none
	Columns []string
}

// NewTextTable returns a table with the given columns.
func NewTextTable(where, table, key, id string, columns ...string) TextTable {
	return TextTable{Where: where, Table: table, Key: key, ID: id, Columns: columns}
}

// TextTables returns the tables with texts of the person that all back ends have in this form.
func TextTables() []TextTable {
	return []TextTable{
		NewTextTable("checkpoints", "checkpoint", "number", "id", "doc"),
		NewTextTable("receipts", "receipt", "number", "id", "doc"),
		NewTextTable("jobs", "job", "number", "id", "data", "error"),
		NewTextTable("entities", "entity", "number", "id", "name"),
		NewTextTable("projects", "project", "key", "key", "name", "root", "common", "origin", "branch"),
		NewTextTable("projects", "project_root", "key || ' ' || root", "key", "root"),
		NewTextTable("projects", "project_common", "common", "key", "common"),
	}
}

// ScrubStep is how many records are read at a time and written in one transaction.
const ScrubStep = 500

// DerivedWords is the column with the search words of a memory: parts of names in
// its texts, without punctuation. It is not scanned, because words next to each other
// there were not so in the texts. It keeps the words that are still in the texts.
const DerivedWords = "words"

// TextRecord is one row of a TextTable: its texts, in the order of the table's columns.
type TextRecord struct {
	Key, ID string
	Texts   []string
}

// Query selects the rows of the table, without a condition.
func (t TextTable) Query() string {
	return "SELECT " + t.Key + ", " + t.ID + ", " + strings.Join(t.Columns, ", ") + " FROM " + t.Table
}

// Empty returns a record and where to scan its columns.
func (t TextTable) Empty() (*TextRecord, []any) {
	rec := &TextRecord{Texts: make([]string, len(t.Columns))}
	fields := []any{&rec.Key, &rec.ID}
	for i := range rec.Texts {
		fields = append(fields, &rec.Texts[i])
	}
	return rec, fields
}

// Cleaned returns the record without secrets, and how many there were by kind.
func (t TextTable) Cleaned(rec TextRecord, clean Clean) (TextRecord, map[string]int, error) {
	b, err := t.document(rec)
	if err != nil {
		return rec, nil, err
	}
	out, kinds, err := clean(b)
	if err != nil || len(kinds) == 0 {
		return rec, kinds, err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(out, &doc); err != nil {
		return rec, nil, err
	}
	fresh := TextRecord{Key: rec.Key, ID: rec.ID}
	for i, name := range t.Columns {
		fresh.Texts = append(fresh.Texts, asText(rec.Texts[i], doc[name]))
	}
	if i := slices.Index(t.Columns, DerivedWords); i >= 0 {
		fresh.Texts[i] = wordsIn(rec.Texts[i], strings.ToLower(strings.Join(fresh.Texts, "\n")))
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
func (t TextTable) document(rec TextRecord) ([]byte, error) {
	b := []byte("{")
	for i, value := range rec.Texts {
		if value == "" || t.Columns[i] == DerivedWords {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, '"')
		b = append(b, t.Columns[i]...)
		b = append(b, '"', ':')
		switch {
		case isDoc(value):
			b = append(b, value...)
		case isVerbatim(value): // as most texts
			b = append(b, '"')
			b = append(b, value...)
			b = append(b, '"')
		default:
			quoted, err := Text(value)
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

// Scrubber reads and cleans the records of tables.
type Scrubber interface {
	// Records returns the next records of a table after the one with a key, at most ScrubStep; "" is before all. It may
	// leave out those for which may is false.
	Records(ctx context.Context, t TextTable, after string, may May) ([]TextRecord, error)
	// CleanRecords cleans records in one transaction. It reads each again, as it may have changed meanwhile.
	CleanRecords(ctx context.Context, t TextTable, keys []string, clean Clean) error
}

// Scrub counts the secrets in tables, and with fix removes them.
func Scrub(ctx context.Context, s Scrubber, tables []TextTable, fix bool, may May, clean Clean) (
	mem.ScanResponse, error,
) {
	done := mem.ScanResponse{Fixed: fix}
	for _, t := range tables {
		if err := t.scrub(ctx, s, fix, may, clean, &done); err != nil {
			return mem.ScanResponse{}, fmt.Errorf("%s: %w", t.Where, err)
		}
	}
	sortFinds(done.Finds)
	return done, nil
}

// scrub scans the table in steps, so that writers do not wait for long.
func (t TextTable) scrub(ctx context.Context, s Scrubber, fix bool, may May, clean Clean,
	done *mem.ScanResponse,
) error {
	last := "" // key of the last record of the step before
	for {
		found, err := s.Records(ctx, t, last, may)
		if err != nil {
			return err
		}
		secret, err := t.scan(done, found, clean)
		if err != nil {
			return err
		}
		if fix && len(secret) > 0 {
			if err := s.CleanRecords(ctx, t, secret, clean); err != nil {
				return err
			}
		}
		if len(found) < ScrubStep {
			return nil
		}
		last = found[len(found)-1].Key
	}
}

// scan counts records and their secrets, and returns the keys of the records that have any.
func (t TextTable) scan(done *mem.ScanResponse, found []TextRecord, clean Clean) (secret []string, err error) {
	for _, rec := range found {
		_, kinds, err := t.Cleaned(rec, clean)
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", rec.Key, err)
		}
		if len(kinds) > 0 {
			secret = append(secret, rec.Key)
			t.count(done, rec, kinds)
		}
	}
	done.Records += len(found)
	return secret, nil
}

// count adds to a report what Cleaned found in a record.
func (t TextTable) count(done *mem.ScanResponse, rec TextRecord, kinds map[string]int) {
	done.WithSecrets++
	for kind, n := range kinds {
		i := slices.IndexFunc(done.Finds, func(f mem.Find) bool { return f.Where == t.Where && f.Kind == kind })
		if i < 0 {
			done.Finds = append(done.Finds, mem.Find{Where: t.Where, Kind: kind, IDs: []string{}})
			i = len(done.Finds) - 1
		}
		f := &done.Finds[i]
		f.Count += n
		if rec.ID != "" {
			f.IDs = append(f.IDs, rec.ID)
		}
	}
}

// sortFinds sorts the finds of a report by place, then kind.
func sortFinds(finds []mem.Find) {
	slices.SortStableFunc(finds, func(a, b mem.Find) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.Kind, b.Kind))
	})
}
