// Package toml edits texts in TOML by whole tables, so that every other byte stays. It does not read values.
package toml

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Doc is a TOML text as the lines that it is edited by. It is not checked for validity: what cannot be
// distinguished is left alone.
type Doc struct {
	Lines []string // with their ends
	Heads []Head
	keys  [][]string // full names of all that is assigned, and of all tables
}

// Head is the header of a table.
type Head struct {
	line int
	Name []string
}

// Parse finds the headers of tables and the names of what is assigned, outside of strings and arrays.
func Parse(src []byte) Doc {
	var d Doc
	var table []string
	s := scan{}
	for line := range strings.Lines(string(src)) {
		free := s.outside()
		d.Lines = append(d.Lines, line)
		s.feed(line)
		text := strings.TrimSpace(line)
		switch {
		case !free || text == "" || text[0] == '#':
		case text[0] == '[':
			table = nameOf(strings.TrimLeft(text, "["))
			d.Heads = append(d.Heads, Head{len(d.Lines) - 1, table})
			d.keys = append(d.keys, table)
			s = scan{} // a header opens nothing
		default:
			d.keys = append(d.keys, append(append([]string{}, table...), nameOf(text)...))
		}
	}
	return d
}

// scan follows strings and brackets over lines.
type scan struct {
	quote string // that ends the string in which the text is; "" outside of one
	depth int    // open brackets and braces
}

func (s *scan) outside() bool { return s.quote == "" && s.depth == 0 }

func (s *scan) feed(line string) {
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch {
		case s.quote != "":
			switch {
			case s.quote[0] == '"' && rest[0] == '\\':
				i++
			case strings.HasPrefix(rest, s.quote):
				i += len(s.quote) - 1
				s.quote = ""
			}
		case strings.HasPrefix(rest, `"""`), strings.HasPrefix(rest, `'''`):
			s.quote = rest[:3]
			i += 2
		case rest[0] == '"', rest[0] == '\'':
			s.quote = rest[:1]
		case rest[0] == '#':
			i = len(line)
		case rest[0] == '[', rest[0] == '{':
			s.depth++
		case rest[0] == ']', rest[0] == '}':
			s.depth--
		}
	}
	if len(s.quote) == 1 { // such a string ends with its line
		s.quote = ""
	}
}

// nameOf reads a dotted name up to the sign after it.
func nameOf(text string) []string {
	var name []string
	for {
		text = strings.TrimLeft(text, " \t")
		part := ""
		if text != "" && (text[0] == '"' || text[0] == '\'') {
			end := 1
			for end < len(text) && text[end] != text[0] {
				if text[0] == '"' && text[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(text) {
				return name
			}
			part = text[1:end]
			if text[0] == '"' {
				part = ""
				_ = json.Unmarshal([]byte(text[:end+1]), &part) // its escapes are those that we write; others are no name of ours
			}
			text = text[end+1:]
		} else {
			end := strings.IndexFunc(text, func(r rune) bool { return strings.ContainsRune(" \t.=]#\r\n", r) })
			if end < 0 {
				end = len(text)
			}
			part, text = text[:end], text[end:]
		}
		name = append(name, part)
		text = strings.TrimLeft(text, " \t")
		if text == "" || text[0] != '.' {
			return name
		}
		text = text[1:]
	}
}

// Has reports whether anything has a name that begins with the given one.
func (d Doc) Has(name ...string) bool {
	for _, key := range d.keys {
		if StartsWith(key, name) {
			return true
		}
	}
	return false
}

// Assigned reports whether a value, not a table, stands under a name: nothing can be added to that by a table.
func (d Doc) Assigned(name ...string) bool {
	for _, key := range d.keys {
		if len(key) == len(name) && StartsWith(key, name) && !d.Table(name...) {
			return true
		}
	}
	return false
}

// Table reports whether there is a table of that name.
func (d Doc) Table(name ...string) bool {
	for _, h := range d.Heads {
		if len(h.Name) == len(name) && StartsWith(h.Name, name) {
			return true
		}
	}
	return false
}

// StartsWith reports whether a name begins with the parts of another.
func StartsWith(key, name []string) bool {
	if len(key) < len(name) {
		return false
	}
	for i, part := range name {
		if key[i] != part {
			return false
		}
	}
	return true
}

// Body returns the lines of a table with its header, without what stands apart after it.
func (d Doc) Body(h Head) (from, to int) {
	to = len(d.Lines)
	for _, other := range d.Heads {
		if other.line > h.line {
			to = min(to, other.line)
		}
	}
	for to > h.line+1 {
		text := strings.TrimSpace(d.Lines[to-1])
		if text != "" && text[0] != '#' {
			break
		}
		to--
	}
	return h.line, to
}

// Append returns a text with tables at its end, each apart from what is before it.
func Append(src []byte, tables ...string) []byte {
	eol := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		eol = "\r\n"
	}
	out := bytes.Clone(src)
	for _, t := range tables {
		if len(out) > 0 { // an empty line, or the end that the last line lacks
			out = append(out, eol...)
		}
		out = append(out, strings.ReplaceAll(t, "\n", eol)...)
	}
	return out
}

// Cut returns a text without the tables that gone names. On a text that ended with other tables Cut after
// Append gives back the text to the byte.
func Cut(src []byte, gone func(d Doc, h Head) bool) []byte {
	for {
		d := Parse(src)
		i := len(d.Heads) - 1
		for i >= 0 && !gone(d, d.Heads[i]) {
			i--
		}
		if i < 0 {
			return src
		}
		from, to := d.Body(d.Heads[i])
		before := d.Lines[:from]
		switch n := len(before); {
		case n > 0 && strings.TrimSpace(before[n-1]) == "":
			before = before[:n-1]
		case n > 0 && to == len(d.Lines):
			before = append(before[:n-1:n-1], strings.TrimRight(before[n-1], "\r\n"))
		}
		src = []byte(strings.Join(before, "") + strings.Join(d.Lines[to:], ""))
	}
}

// Prepend returns a text with a line at its beginning, where it belongs to no table.
func Prepend(src []byte, line string) []byte {
	eol := "\n"
	if bytes.Contains(src, []byte("\r\n")) {
		eol = "\r\n"
	}
	mark := src[:len(src)-len(bytes.TrimPrefix(src, []byte(byteOrderMark)))]
	return slices.Concat(mark, []byte(line+eol), src[len(mark):])
}

// byteOrderMark may begin a text.
const byteOrderMark = "\ufeff"

// Value returns what follows the sign of equality in the line that assigns a name of no table; "" if there is none, or
// if the value goes on in other lines.
func Value(src []byte, name string) string {
	_, value := assignment(src, name)
	return value
}

// Words returns the list of strings that a name of no table has in one line; nil if it has another value or none.
func Words(src []byte, name string) (words []string) {
	err := json.NewDecoder(strings.NewReader(Value(src, name))).Decode(&words) // a remark may follow
	if err != nil {
		return nil
	}
	return words
}

// CutValue returns a text without the line that assigns a name of no table. On a text that Prepend added the line to,
// it gives back the text to the byte.
func CutValue(src []byte, name string) []byte {
	i, value := assignment(src, name)
	if value == "" {
		return src
	}
	lines := slices.Collect(strings.Lines(string(src)))
	if i == 0 && strings.HasPrefix(lines[0], byteOrderMark) {
		lines[0] = byteOrderMark
	} else {
		lines[i] = ""
	}
	return []byte(strings.Join(lines, ""))
}

// assignment finds the line that assigns a name of no table.
func assignment(src []byte, name string) (at int, value string) {
	s := scan{}
	i := -1
	for line := range strings.Lines(string(src)) {
		i++
		free := s.outside()
		text := strings.TrimSpace(strings.TrimPrefix(line, byteOrderMark))
		if free && strings.HasPrefix(text, "[") {
			return 0, ""
		}
		s.feed(line)
		key, value, ok := strings.Cut(text, "=")
		if free && ok && s.outside() && slices.Equal(nameOf(key), []string{name}) {
			return i, strings.TrimSpace(value)
		}
	}
	return 0, ""
}
