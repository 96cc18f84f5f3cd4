package sqlite

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

// minTrace is how many characters a line needs to be recognised elsewhere.
// Shorter ones are everybody's: "go test" is in every session.
const minTrace = 12

var errUnchanged = errors.New("unchanged")

// traces are the lines of erased memories by which other texts give them away.
type traces []string

func (t *traces) add(m mem.Memory) {
	texts := append([]string{m.Title, m.Body}, m.Facts...)
	if s := m.Summary; s != nil {
		texts = append(texts, s.Request, s.Investigated, s.Learned, s.Completed, s.NextSteps, s.Notes)
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			line = fold(strings.TrimSuffix(strings.TrimSpace(line), "…"))
			if utf8.RuneCountInString(line) >= minTrace {
				*t = append(*t, line)
			}
		}
	}
}

// fold makes texts comparable that were wrapped or escaped differently.
func fold(s string) string { return mem.Line(strings.ReplaceAll(s, `\`, "")) }

// in reports whether text holds a trace.
func (t traces) in(text string) bool {
	text = fold(text)
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
	v, err := decode(doc)
	if err != nil {
		return true
	}
	_, held := t.walk(v)
	return held
}

// blank returns the document with empty strings for those that hold a trace.
func (t traces) blank(doc string) (string, error) {
	v, err := decode(doc)
	if err != nil {
		return "", err
	}
	v, _ = t.walk(v)
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
	if same, err := t.normal(doc); err != nil || same == blank {
		return "", errors.Join(err, errUnchanged)
	}
	return blank, nil
}

// normal writes a document the way blank does, without blanking.
func (traces) normal(doc string) (string, error) { return traces(nil).blank(doc) }
