package agent

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"unicode/utf8"
)

// fields is a JSON object whose values are looked at one by one, so that one
// odd value spoils none of the others.
type fields map[string]json.RawMessage

func readFields(payload []byte) (fields, bool) {
	var f fields
	if err := json.Unmarshal(payload, &f); err != nil || f == nil {
		return nil, false
	}
	return f, true
}

// open reads a payload's members.
func open(payload []byte) (fields, bool) {
	if !utf8.Valid(payload) {
		payload = bytes.ToValidUTF8(payload, []byte("\uFFFD"))
	}
	return readFields(payload)
}

// renamed returns the members under other names, where the client's own are not those of Claude Code. A member that
// has the other name already stays.
func (f fields) renamed(names map[string]string) fields {
	for name, other := range names {
		if _, there := f[other]; !there && f[name] != nil {
			f[other] = f[name]
		}
	}
	return f
}

// text is the string called name, else "". It holds no NUL, which some stores
// take for the end.
func (f fields) text(name string) string {
	raw := f[name]
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}

// flag is true only where the value is the literal true.
func (f fields) flag(name string) bool { return string(f[name]) == "true" }

// count is the number called name, rounded down; what is no number, negative
// or too large to be exact is 0.
func (f fields) count(name string) int64 {
	var n float64
	if json.Unmarshal(f[name], &n) != nil || n < 0 || n >= 1<<53 {
		return 0
	}
	return int64(math.Floor(n))
}

// raw is the value called name without white space around its parts, nil where
// it is missing or null.
func (f fields) raw(name string) json.RawMessage {
	raw := f[name]
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var b bytes.Buffer
	b.Grow(len(raw))
	if json.Compact(&b, raw) != nil {
		return nil
	}
	return b.Bytes()
}

// each calls do for every object in the list called name.
func (f fields) each(name string, do func(fields)) {
	var list []json.RawMessage
	if json.Unmarshal(f[name], &list) != nil {
		return
	}
	for _, raw := range list {
		if item, ok := readFields(raw); ok {
			do(item)
		}
	}
}

// sorted brings the keys of every object in raw into one order.
func sorted(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// filled returns the members with a value under a name that none has yet. No value changes nothing.
func (f fields) filled(name string, raw json.RawMessage) fields {
	if f[name] == nil && len(raw) > 0 {
		f[name] = raw
	}
	return f
}
