package transfer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"remanence/internal/mem"
)

// written is an export of rows, of which the ids of some are in it.
func written(t *testing.T, has func(string) bool, rows ...mem.Record) string {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	w.Has = has
	for _, r := range rows {
		if err := w.Put(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// read returns the rows of an export.
func read(t *testing.T, text string) ([]mem.Record, error) {
	t.Helper()
	r, err := NewReader(bufio.NewReader(strings.NewReader(text)))
	if err != nil {
		return nil, err
	}
	var rows []mem.Record
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
}

func TestAPartOfAnExportNamesNoRowOutsideIt(t *testing.T) {
	row := mem.Record{Table: "memory", Row: map[string]any{
		"id": "m_2", "supersedes": "m_1", "merged_into": "m_3", "title": "as m_1 says",
		"doc": `{"items":[{"id":"m_1"},{"id":"m_3"}],"text":"as m_1 says"}`,
	}}
	rows, err := read(t, written(t, func(id string) bool { return id != "m_1" }, row))
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	for column, want := range map[string]string{
		"supersedes": "", "merged_into": "m_3", "title": "as m_1 says",
		"doc": `{"items":[{"id":""},{"id":"m_3"}],"text":"as m_1 says"}`,
	} {
		if got := rows[0].Row[column]; got != want {
			t.Errorf("%s is %q, want %q", column, got, want)
		}
	}
	rows, err = read(t, written(t, nil, row))
	if err != nil || rows[0].Row["supersedes"] != "m_1" {
		t.Errorf("whole: %v, %v; want all ids", rows, err)
	}
}

func TestValuesKeepTheirTypes(t *testing.T) {
	row := map[string]any{
		"number": int64(7), "importance": 0.5, "at": int64(1_764_230_400_123_456_789), "hidden": int64(0), "body": "a\nb",
		"files": `["a.go","b.go"]`, "tags": `[ "spaced" ]`, "title": "7",
	}
	rows, err := read(t, written(t, nil, mem.Record{Table: "memory", Row: row}))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range row {
		if got := rows[0].Row[name]; got != want {
			t.Errorf("%s is %#v, want %#v", name, got, want)
		}
	}
}

func TestWhatIsNoWholeExportIsRefused(t *testing.T) {
	text := written(t, nil, mem.Record{Table: "memory", Row: map[string]any{"id": "m_1"}})
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":     {"", ErrCut},
		"another":     {`{"a":1}` + "\n", ErrForeign},
		"no version":  {strings.Replace(text, `"version":1`, `"version":0`, 1), ErrForeign},
		"newer":       {strings.Replace(text, `"version":1`, `"version":2`, 1), ErrNewer},
		"cut":         {text[:len(text)-2], ErrCut},
		"two of them": {text + text, nil},
	} {
		if _, err := read(t, c.text); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}
