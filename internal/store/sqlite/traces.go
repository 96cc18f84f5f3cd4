package sqlite

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

var errUnchanged = errors.New("unchanged")

// traces are the lines of erased memories by which other texts give them away.
type traces []string

func (t *traces) add(m mem.Memory) { *t = append(*t, mem.Traces(m)...) }

// in reports whether text holds a trace.
func (t traces) in(text string) bool {
	text = mem.Folded(text)
	for _, line := range t {
		if strings.Contains(text, line) {
			return true
		}
	}
	return false
}

// inDocument reports whether a string of the JSON document holds a trace. What
// cannot be read counts as holding one.
func (t traces) inDocument(doc string) bool {
	if json.Valid([]byte(doc)) && !t.mayBeIn(doc) {
		return false
	}
	v, err := decode(doc)
	if err != nil {
		return true
	}
	_, held := t.walk(v)
	return held
}

// mayBeIn rules out most documents without taking them to pieces, which a purge
// of a large store would spend seconds on: letters and digits stand in JSON as
// they are, unless they are escaped by number, and between those that follow one
// another in a trace there is nothing but what folding takes away.
func (t traces) mayBeIn(doc string) bool {
	if strings.Contains(doc, `\u00`) {
		return true
	}
	doc = mem.Unmarked(doc)
	for _, line := range t {
		if hasRuns(doc, line) {
			return true
		}
	}
	return false
}

// hasRuns reports whether all runs of ASCII letters and digits of a line are in
// a text, wherever they stand: the longest is looked for first, which seldom is.
func hasRuns(text, line string) bool {
	runs := strings.FieldsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf || !isPlain(byte(r)) })
	slices.SortStableFunc(runs, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, run := range runs {
		if !strings.Contains(text, run) {
			return false
		}
	}
	return true
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// blank returns the document with empty strings for those that hold a trace.
func (t traces) blank(doc string) (string, error) {
	v, err := decode(doc)
	if err != nil {
		return "", err
	}
	v, _ = t.walk(v)
	if doc, ok := v.(map[string]any); ok && doc["asked"] == "" {
		delete(doc, "terms") // of a receipt: the words of what was asked
	}
	return text(v)
}

// decode keeps numbers as they are written.
func decode(doc string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// walk blanks in place and reports whether there was anything to blank.
func (t traces) walk(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		if t.in(v) {
			return "", true
		}
	case []any:
		held := false
		for i := range v {
			part, h := t.walk(v[i])
			v[i], held = part, held || h
		}
		return v, held
	case map[string]any:
		held := false
		for k := range v {
			part, h := t.walk(v[k])
			v[k], held = part, held || h
		}
		return v, held
	}
	return v, false
}

// blankReceipt takes one memory out of a receipt: its titles, the text that was
// told, and all else that holds a trace. errUnchanged if that was done before.
func (t traces) blankReceipt(doc, id string) (string, error) {
	var r mem.Receipt
	if err := json.Unmarshal([]byte(doc), &r); err != nil {
		return "", err
	}
	r.Text = ""
	for i := range r.Items {
		if r.Items[i].ID == id {
			r.Items[i].Title = ""
		}
	}
	for i := range r.Dropped {
		if r.Dropped[i].ID == id {
			r.Dropped[i].Title = ""
		}
	}
	typed, err := text(r)
	if err != nil {
		return "", err
	}
	blank, err := t.blank(typed)
	if err != nil {
		return "", err
	}
	if same, err := traces(nil).blank(doc); err != nil || same == blank {
		return "", errors.Join(err, errUnchanged)
	}
	return blank, nil
}
