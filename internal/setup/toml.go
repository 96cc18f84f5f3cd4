package setup

import (
	"bytes"
	"strings"
)

// tomlDoc is a TOML text as the lines that it is edited by. It is not checked for validity: what cannot be
// distinguished is left alone.
type tomlDoc struct {
	lines []string // with their ends
	heads []tomlHead
	keys  [][]string // full names of all that is assigned, and of all tables
}

// tomlHead is the header of a table.
type tomlHead struct {
	line int
	name []string
}

// parseTOML finds the headers of tables and the names of what is assigned, outside of strings and arrays.
func parseTOML(src []byte) tomlDoc {
	var d tomlDoc
	var table []string
	s := tomlScan{}
	for line := range strings.Lines(string(src)) {
		free := s.outside()
		d.lines = append(d.lines, line)
		s.feed(line)
		text := strings.TrimSpace(line)
		switch {
		case !free || text == "" || text[0] == '#':
		case text[0] == '[':
			table = tomlName(strings.TrimLeft(text, "["))
			d.heads = append(d.heads, tomlHead{len(d.lines) - 1, table})
			d.keys = append(d.keys, table)
			s = tomlScan{} // a header opens nothing
		default:
			d.keys = append(d.keys, append(append([]string{}, table...), tomlName(text)...))
		}
	}
	return d
}

// tomlScan follows strings and brackets over lines.
type tomlScan struct {
	quote string // that ends the string in which the text is; "" outside of one
	depth int    // open brackets and braces
}

func (s *tomlScan) outside() bool { return s.quote == "" && s.depth == 0 }

func (s *tomlScan) feed(line string) {
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

// tomlName reads a dotted name up to the sign after it.
func tomlName(text string) []string {
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
				part = unescape([]byte(text[:end+1])) // the escapes of JSON are those that we write
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

// has reports whether anything has a name that begins with the given one.
func (d tomlDoc) has(name ...string) bool {
	for _, key := range d.keys {
		if startsWith(key, name) {
			return true
		}
	}
	return false
}

// assigned reports whether a value, not a table, stands under a name: nothing can be added to that by a table.
func (d tomlDoc) assigned(name ...string) bool {
	for _, key := range d.keys {
		if len(key) == len(name) && startsWith(key, name) && !d.table(name...) {
			return true
		}
	}
	return false
}

func (d tomlDoc) table(name ...string) bool {
	for _, h := range d.heads {
		if len(h.name) == len(name) && startsWith(h.name, name) {
			return true
		}
	}
	return false
}

func startsWith(key, name []string) bool {
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

// body returns the lines of a table with its header, without what stands apart after it.
func (d tomlDoc) body(h tomlHead) (from, to int) {
	to = len(d.lines)
	for _, other := range d.heads {
		if other.line > h.line {
			to = min(to, other.line)
		}
	}
	for to > h.line+1 {
		text := strings.TrimSpace(d.lines[to-1])
		if text != "" && text[0] != '#' {
			break
		}
		to--
	}
	return h.line, to
}

// tomlAppend returns a text with tables at its end, each apart from what is before it.
func tomlAppend(src []byte, tables ...string) []byte {
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

// tomlCut returns a text without the tables that gone names. On a text that ended with other tables tomlCut after
// tomlAppend gives back the text to the byte.
func tomlCut(src []byte, gone func(d tomlDoc, h tomlHead) bool) []byte {
	for {
		d := parseTOML(src)
		i := len(d.heads) - 1
		for i >= 0 && !gone(d, d.heads[i]) {
			i--
		}
		if i < 0 {
			return src
		}
		from, to := d.body(d.heads[i])
		before := d.lines[:from]
		switch n := len(before); {
		case n > 0 && strings.TrimSpace(before[n-1]) == "":
			before = before[:n-1]
		case n > 0 && to == len(d.lines):
			before = append(before[:n-1:n-1], strings.TrimRight(before[n-1], "\r\n"))
		}
		src = []byte(strings.Join(before, "") + strings.Join(d.lines[to:], ""))
	}
}
