// Package transfer reads and writes exports: one line of JSON for each stored row, between a line that begins the
// file and one that ends it. It knows the format and the columns that hold JSON or times, and nothing about
// databases. docs/export.schema.json describes the lines.
package transfer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Schema names the format in the first line of a file.
const Schema = "remanence.export"

// Version is the newest version of the format that this program reads, and the one that it writes.
const Version = 1

// Error is an error of a file that cannot be read.
type Error string

// Error implements error.
func (e Error) Error() string { return string(e) }

// The errors of a file that cannot be read.
const (
	ErrForeign Error = "not an export of Remanence"
	ErrNewer   Error = "written by a newer version"
	ErrCut     Error = "the last line is missing: the file was cut off"
)

// header is the first line.
type header struct {
	Schema  string `json:"schema"`
	Version int    `json:"version"`
}

// line is any other line: a row of a table, or the end with the number of rows.
type line struct {
	Table string                     `json:"table,omitempty"`
	Row   map[string]json.RawMessage `json:"row,omitempty"`
	Rows  *int                       `json:"rows,omitempty"`
}

// JSONColumns are the columns of all tables that hold JSON, which is written as it is.
func JSONColumns() []string {
	return []string{
		"facts", "concepts", "tags", "files", "modified", "anchors", "summary", "source", "standing", "payload", "doc",
		"was", "became",
	}
}

// TimeColumns are the columns of all tables that hold times, in nanoseconds.
func TimeColumns() []string {
	return []string{
		"created", "updated", "hidden", "last_used", "completed", "last_event", "sampled", "compacted", "at", "created_at",
		"made", "first_seen", "last_seen", "undone",
	}
}

// Writer writes one export.
type Writer struct {
	enc  *json.Encoder
	rows int
	// Change is applied to each text before it is written; nil keeps them.
	Change func(string) string
	// Has reports whether a row with an id is in the export; nil means all are. Ids of others are left out: where the
	// file is read, they could be those of other rows.
	Has func(id string) bool
	ids *regexp.Regexp
}

// namingColumns are the columns with ids of rows, alone or inside JSON.
func namingColumns() []string {
	return []string{"supersedes", "merged_into", "other", "doc", "was", "became"}
}

// NewWriter writes the first line.
func NewWriter(w io.Writer) (*Writer, error) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	ids := regexp.MustCompile(`^[mkc]_[0-9a-z]+$|"[mkc]_[0-9a-z]+"`)
	return &Writer{enc: enc, ids: ids}, enc.Encode(header{Schema, Version})
}

// Put writes a row.
func (w *Writer) Put(r mem.Record) error {
	row := map[string]any{}
	for name, v := range r.Row {
		if s, ok := v.(string); ok {
			if w.Has != nil && slices.Contains(namingColumns(), name) {
				s = w.ids.ReplaceAllStringFunc(s, w.known)
			}
			if w.Change != nil {
				s = w.Change(s)
			}
			v = s
		}
		switch v := v.(type) {
		case string:
			row[name] = v
			if slices.Contains(JSONColumns(), name) && isCompact(v) {
				row[name] = json.RawMessage(v)
			}
		case int64:
			row[name] = v
			if v != 0 && slices.Contains(TimeColumns(), name) {
				row[name] = time.Unix(0, v).UTC().Format(time.RFC3339Nano)
			}
		default:
			row[name] = v
		}
	}
	w.rows++
	return w.enc.Encode(struct {
		Table string         `json:"table"`
		Row   map[string]any `json:"row"`
	}{r.Table, row})
}

// known is an id, alone or as a JSON text, which is empty if no row of the export has the id.
func (w *Writer) known(s string) string {
	id := strings.Trim(s, `"`)
	if w.Has(id) {
		return s
	}
	return strings.Replace(s, id, "", 1)
}

// isCompact reports whether a text is an object or a list that a JSON encoder writes back as the same bytes.
func isCompact(s string) bool {
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return false
	}
	var b bytes.Buffer
	return json.Compact(&b, []byte(s)) == nil && b.String() == s
}

// Close writes the last line, without which the file counts as cut off.
func (w *Writer) Close() error { return w.enc.Encode(line{Rows: &w.rows}) }

// Reader reads one export.
type Reader struct {
	in   *bufio.Reader
	line int // of the last one that was read
	rows int
	// Clean is applied to each value of a row of a table, in an object with its column; nil keeps them.
	Clean func(table string, object []byte) (json.RawMessage, error)
}

// IsExport reports whether a file begins as one of this format, of any version.
func IsExport(r *bufio.Reader) bool {
	const enough = 64
	b, _ := r.Peek(enough)
	return bytes.HasPrefix(bytes.TrimLeft(b, " \t"), []byte(`{"schema":"`+Schema+`"`))
}

// NewReader reads the first line.
func NewReader(in *bufio.Reader) (*Reader, error) {
	r := &Reader{in: in}
	b, err := r.next()
	if err != nil {
		return nil, err
	}
	var h header
	switch err := json.Unmarshal(b, &h); {
	case err != nil || h.Schema != Schema || h.Version < 1:
		return nil, ErrForeign
	case h.Version > Version:
		return nil, fmt.Errorf("%w: format %d, this one reads %d", ErrNewer, h.Version, Version)
	}
	return r, nil
}

// next returns the next line, ErrCut at the end.
func (r *Reader) next() ([]byte, error) {
	r.line++
	b, err := r.in.ReadBytes('\n')
	if errors.Is(err, io.EOF) {
		return nil, ErrCut // the last line ends with a line break too
	}
	return b, err
}

// Next returns the next row, io.EOF after the last line. Other errors name the line.
func (r *Reader) Next() (mem.Record, error) {
	b, err := r.next()
	if err != nil {
		return mem.Record{}, err
	}
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return mem.Record{}, fmt.Errorf("line %d is not JSON: %w", r.line, err)
	}
	if l.Rows != nil {
		if *l.Rows != r.rows {
			return mem.Record{}, fmt.Errorf("line %d counts %d rows, the file has %d", r.line, *l.Rows, r.rows)
		}
		if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
			return mem.Record{}, fmt.Errorf("something follows the last line, which is line %d", r.line)
		}
		return mem.Record{}, io.EOF
	}
	r.rows++
	out := mem.Record{Table: l.Table, Row: map[string]any{}}
	for name, raw := range l.Row {
		if out.Row[name], err = r.value(l.Table, name, raw); err != nil {
			return mem.Record{}, fmt.Errorf("line %d, %s: %w", r.line, name, err)
		}
	}
	return out, nil
}

// value is the stored form of a value.
func (r *Reader) value(table, name string, raw json.RawMessage) (any, error) {
	if r.Clean != nil && (raw[0] == '"' || raw[0] == '{' || raw[0] == '[') {
		doc, err := json.Marshal(map[string]json.RawMessage{name: raw}) // the name says whether it is an id or a path
		if err != nil {
			return nil, err
		}
		var clean map[string]json.RawMessage
		if doc, err = r.Clean(table, doc); err == nil {
			err = json.Unmarshal(doc, &clean)
		}
		if err != nil {
			return nil, err
		}
		raw = clean[name]
	}
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		return string(raw), nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n, nil
		}
		return v.Float64()
	case string:
		if slices.Contains(TimeColumns(), name) {
			at, err := time.Parse(time.RFC3339Nano, v)
			return at.UnixNano(), err
		}
		return v, nil
	}
	return nil, errors.New("neither a text nor a number")
}

// Source returns the stored rows that a query selects.
type Source interface {
	Records(ctx context.Context, q mem.RecordQuery, each func(mem.Record) error) error
}

// IDs returns a function that reports whether a part of a store has an id.
func IDs(ctx context.Context, from Source, q mem.RecordQuery) (func(id string) bool, error) {
	ids := map[string]bool{}
	err := from.Records(ctx, q, func(r mem.Record) error {
		if id, ok := r.Row["id"].(string); ok {
			ids[id] = true
		}
		return nil
	})
	return func(id string) bool { return ids[id] }, err
}
