package sqlite

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

var errUnchanged = errors.New("unchanged")

// traces are the lines of erased memories by which other texts give them away.
type traces []string

func (t *traces) add(m mem.Memory) { *t = append(*t, m.Traces()...) }

// finder finds traces in texts. The zero value finds none.
type finder struct {
	lines patterns
	runs  patterns              // the longest run of letters and digits of each line
	of    map[string][][]string // by the longest: all runs of the lines that have it
	loose bool                  // a line has no run to go by
}

func (t traces) finder() *finder {
	lines := slices.Compact(slices.Sorted(slices.Values(t)))
	f := &finder{lines: newPatterns(lines), of: map[string][][]string{}}
	for _, line := range lines {
		runs := strings.FieldsFunc(line, func(r rune) bool { return r >= utf8.RuneSelf || !isPlain(byte(r)) })
		longest := ""
		for _, run := range runs {
			if len(run) > len(longest) {
				longest = run
			}
		}
		f.loose = f.loose || len(longest) < leastPattern
		f.of[longest] = append(f.of[longest], runs)
	}
	if !f.loose {
		f.runs = newPatterns(slices.Collect(maps.Keys(f.of)))
	}
	return f
}

// in reports whether text holds a trace.
func (f *finder) in(text string) bool {
	for range f.lines.in(chars.Fold(text)) {
		return true
	}
	return false
}

// inDocument reports whether a string of the JSON document holds a trace. What
// cannot be read counts as holding one.
func (f *finder) inDocument(doc string) bool {
	if json.Valid([]byte(doc)) && !f.mayBeIn(doc) {
		return false
	}
	v, err := decode(doc)
	if err != nil {
		return true
	}
	_, held := f.walk(v)
	return held
}

// mayBeIn rules out most documents without taking them to pieces, which a purge
// of a large store would spend seconds on: letters and digits stand in JSON as
// they are, unless they are escaped by number, and between those that follow one
// another in a trace there is nothing but what folding takes away.
func (f *finder) mayBeIn(doc string) bool {
	if f.loose || strings.Contains(doc, `\u00`) {
		return true
	}
	doc = chars.StripMarkup(doc)
	tried := map[string]bool{}
	for run := range f.runs.in(doc) {
		if tried[run] {
			continue
		}
		tried[run] = true
		for _, runs := range f.of[run] {
			if !slices.ContainsFunc(runs, func(run string) bool { return !strings.Contains(doc, run) }) {
				return true
			}
		}
	}
	return false
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// blank returns the document with empty strings for those that hold a trace.
func (f *finder) blank(doc string) (string, error) {
	v, err := decode(doc)
	if err != nil {
		return "", err
	}
	v, _ = f.walk(v)
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
func (f *finder) walk(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		if f.in(v) {
			return "", true
		}
	case []any:
		held := false
		for i := range v {
			part, h := f.walk(v[i])
			v[i], held = part, held || h
		}
		return v, held
	case map[string]any:
		held := false
		for k := range v {
			part, h := f.walk(v[k])
			v[k], held = part, held || h
		}
		return v, held
	}
	return v, false
}

// blankReceipt takes one memory out of a receipt: its titles, the text that was
// told, and all else that holds a trace. errUnchanged if that was done before.
func (f *finder) blankReceipt(doc, id string) (string, error) {
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
	for i := range r.LeftOut {
		if r.LeftOut[i].ID == id {
			r.LeftOut[i].Title = ""
		}
	}
	typed, err := text(r)
	if err != nil {
		return "", err
	}
	blank, err := f.blank(typed)
	if err != nil {
		return "", err
	}
	if same, err := new(finder).blank(doc); err != nil || same == blank {
		return "", errors.Join(err, errUnchanged)
	}
	return blank, nil
}
