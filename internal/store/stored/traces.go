package stored

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

// ErrUnchanged is the error of BlankReceipt for a receipt that needs no change.
var ErrUnchanged = errors.New("unchanged")

// Traces are lines of erased memories. Other texts that contain one are blanked.
type Traces []string

// Add adds what a memory would be recognised by.
func (t *Traces) Add(m mem.Memory) { *t = append(*t, m.Traces()...) }

// Finder searches texts for traces. The zero value finds nothing.
type Finder struct {
	lines patterns
	runs  patterns              // the longest run of letters and digits of each line
	of    map[string][][]string // the runs of each line, by the longest of them
	loose bool                  // a line has no run that is long enough
}

// Finder returns a finder of the traces.
func (t Traces) Finder() *Finder {
	lines := slices.Compact(slices.Sorted(slices.Values(t)))
	f := &Finder{lines: newPatterns(lines), of: map[string][][]string{}}
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

// In reports whether a text contains a trace.
func (f *Finder) In(text string) bool {
	for range f.lines.in(chars.Fold(text)) {
		return true
	}
	return false
}

// InDocument reports whether a string of a JSON document contains a trace. A
// document that cannot be decoded counts as containing one.
func (f *Finder) InDocument(doc string) bool {
	if json.Valid([]byte(doc)) && !f.mayBeIn(doc) {
		return false
	}
	v, err := DecodeAny(doc)
	if err != nil {
		return true
	}
	_, held := f.walk(v)
	return held
}

// mayBeIn rules out most documents without decoding them, which would take a purge
// of a large store seconds. Letters and digits are the same in JSON, unless they are
// escaped by number, and folding removes everything between the runs of a trace.
func (f *Finder) mayBeIn(doc string) bool {
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

// Blank returns the document with empty strings in place of those that contain a trace.
func (f *Finder) Blank(doc string) (string, error) {
	v, err := DecodeAny(doc)
	if err != nil {
		return "", err
	}
	v, _ = f.walk(v)
	if doc, ok := v.(map[string]any); ok && doc["asked"] == "" {
		delete(doc, "terms") // of a receipt: the words of the query
	}
	return Text(v)
}

// DecodeAny decodes any JSON and keeps numbers as they are written.
func DecodeAny(doc string) (v any, err error) {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// walk blanks strings in place and reports whether there were any to blank.
func (f *Finder) walk(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		if f.In(v) {
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

// BlankReceipt removes one memory from a receipt: its titles, the injected text, and
// all other strings that contain a trace. ErrUnchanged if that was done before.
func (f *Finder) BlankReceipt(doc, id string) (string, error) {
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
	typed, err := Text(r)
	if err != nil {
		return "", err
	}
	blank, err := f.Blank(typed)
	if err != nil {
		return "", err
	}
	if same, err := new(Finder).Blank(doc); err != nil || same == blank {
		return "", errors.Join(err, ErrUnchanged)
	}
	return blank, nil
}

// Empty reports whether the finder looks for nothing.
func (f *Finder) Empty() bool { return len(f.of) == 0 }
