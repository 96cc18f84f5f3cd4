package mind

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"remanence/internal/chars"
)

// document is a markdown file as lines, each with its own ending. Joined they are
// the file, byte for byte.
type document struct {
	lines []string
	heads []head
	code  []bool // by line, whether it is fenced code or a fence
	eol   string // that most of the file's lines end in; "\n" where none does
}

// head is a heading outside of code.
type head struct {
	at    int // its line
	level int
	name  string
}

func parse(b []byte) document {
	t := document{eol: "\n"}
	if bytes.Count(b, []byte("\r\n"))*2 > bytes.Count(b, []byte("\n")) {
		t.eol = "\r\n"
	}
	for line := range strings.Lines(string(b)) {
		t.lines = append(t.lines, line)
	}
	t.findHeadings()
	return t
}

// findHeadings finds the headings. What stands in fenced code is none.
func (t *document) findHeadings() {
	t.heads, t.code = nil, make([]bool, len(t.lines))
	fence := ""
	for i, line := range t.lines {
		s := strings.TrimPrefix(strings.TrimRight(line, " \t\r\n"), "\uFEFF")
		bare := strings.TrimLeft(s, " ")
		if mark := fenceOf(bare); mark != "" && len(s)-len(bare) < 4 && !(fence == "" && closesItself(bare, mark)) {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.Trim(bare, mark[:1]+" \t") == "":
				fence = ""
			}
			t.code[i] = true
			continue
		}
		if t.code[i] = fence != ""; t.code[i] {
			continue
		}
		level := len(s) - len(strings.TrimLeft(s, "#"))
		if level == 0 || level > 6 || len(s) > level && s[level] != ' ' && s[level] != '\t' {
			continue
		}
		t.heads = append(t.heads, head{i, level, strings.TrimSpace(strings.TrimRight(s[level:], "# \t"))})
	}
}

// fenceOf is the run of back quotes or tildes that a line of code fences begins with.
func fenceOf(s string) string {
	for _, c := range []string{"`", "~"} {
		if run := s[:len(s)-len(strings.TrimLeft(s, c))]; len(run) >= 3 {
			return run
		}
	}
	return ""
}

// closesItself reports whether a line that begins with back quotes has more of
// them: it is code within a line and opens nothing.
func closesItself(s, mark string) bool { return mark[0] == '`' && strings.Contains(s[len(mark):], "`") }

func (t *document) String() string { return strings.Join(t.lines, "") }

// span is a half-open range of lines.
type span struct{ from, to int }

// body is the body of a heading: up to the next one, and with whole up to the
// next of its level or above.
func (t *document) body(h int, whole bool) span {
	s := span{t.heads[h].at + 1, len(t.lines)}
	for _, next := range t.heads[h+1:] {
		if !whole || next.level <= t.heads[h].level {
			s.to = next.at
			break
		}
	}
	return s
}

// block is a heading with its whole body, up to a heading within it that begins
// one of its own: no line belongs to two blocks.
func (t *document) block(h int, begins func(name string) bool) span {
	s := span{t.heads[h].at, t.body(h, true).to}
	for _, next := range t.heads[h+1:] {
		if next.at >= s.to {
			break
		}
		if begins(next.name) {
			s.to = next.at
			break
		}
	}
	return s
}

// find returns the index of the first heading of one of the names, whatever its
// case, or -1.
func (t *document) find(names ...string) int {
	for i, h := range t.heads {
		if named(h.name, names...) {
			return i
		}
	}
	return -1
}

func named(name string, names ...string) bool {
	name = strings.ReplaceAll(name, "’", "'")
	for _, n := range names {
		if strings.EqualFold(strings.TrimRight(name, ": "), n) {
			return true
		}
	}
	return false
}

// replace puts lines in the place of a range. Given lines have no ending.
func (t *document) replace(s span, lines ...string) {
	put := make([]string, 0, len(lines))
	for _, l := range lines {
		put = append(put, l+t.eol)
	}
	if s.from == len(t.lines) && s.from > 0 && len(put) > 0 { // what comes behind an unended line
		if last := &t.lines[s.from-1]; !strings.HasSuffix(*last, "\n") {
			*last += t.eol
		}
	}
	if s.to == len(t.lines) && s.to > s.from && len(put) > 0 && !strings.HasSuffix(t.lines[s.to-1], "\n") {
		put[len(put)-1] = strings.TrimSuffix(put[len(put)-1], t.eol) // the file ended without one
	}
	t.lines = append(t.lines[:s.from:s.from], append(put, t.lines[s.to:]...)...)
	t.findHeadings()
}

// removeSpans takes away ranges that follow one another, all at once: there may be very many.
func (t *document) removeSpans(gone []span) {
	var kept []string
	at := 0
	for _, s := range gone {
		kept, at = append(kept, t.lines[at:s.from]...), s.to
	}
	t.lines = append(kept, t.lines[at:]...)
	t.findHeadings()
}

func (t *document) blank(i int) bool { return strings.TrimSpace(t.lines[i]) == "" }

// trimmed is the range without blank lines at its end.
func (t *document) trimmed(s span) span {
	for s.to > s.from && t.blank(s.to-1) {
		s.to--
	}
	return s
}

// append adds a block after the last line that is not blank, one blank line between.
func (t *document) append(lines ...string) {
	end := t.trimmed(span{0, len(t.lines)})
	if end.to > 0 {
		lines = append([]string{""}, lines...)
	}
	t.replace(span{end.to, end.to}, lines...)
}

// item is an entry of a list with the lines that belong to it.
type item struct {
	span
	text string // without mark and box
	box  bool   // it has a box
	done bool   // which is ticked
}

// items are the entries of the lists in a range that are not part of another.
func (t *document) items(s span) []item {
	var out []item
	for i := s.from; i < s.to; i++ {
		body, ok := listEntry(t.lines[i])
		if !ok || t.code[i] {
			continue
		}
		it := item{span: span{i, i + 1}, text: body}
		if len(body) >= 3 && body[0] == '[' && body[2] == ']' && strings.ContainsRune(" xX-", rune(body[1])) {
			it.box, it.done, it.text = true, body[1] == 'x' || body[1] == 'X', strings.TrimSpace(body[3:])
		}
		for it.to < s.to && !t.blank(it.to) && !t.code[it.to] && (t.lines[it.to][0] == ' ' || t.lines[it.to][0] == '\t') {
			it.to++
		}
		i = it.to - 1
		out = append(out, it)
	}
	return out
}

// listEntry is the text of a line that begins an entry of a list at the margin.
func listEntry(line string) (string, bool) {
	line = strings.TrimRight(line, " \t\r\n")
	for _, mark := range []string{"- ", "* ", "+ "} {
		if body, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(body), true
		}
	}
	digits := strings.TrimLeft(line, "0123456789")
	if len(digits) < len(line) && len(digits) > 2 && (digits[0] == '.' || digits[0] == ')') && digits[1] == ' ' {
		return strings.TrimSpace(digits[2:]), true
	}
	return "", false
}

// contentLines are the lines of a range that hold something, without their ends.
func (t *document) contentLines(s span) []string {
	var out []string
	for i := s.from; i < s.to; i++ {
		if !t.blank(i) {
			out = append(out, strings.TrimRight(t.lines[i], " \t\r\n"))
		}
	}
	return out
}

// isPlaceholder reports whether a line says that there is nothing to say, or is the
// blank of a form: [What should happen next].
func isPlaceholder(s string) bool {
	s = strings.TrimSpace(s)
	if body, ok := listEntry(s); ok {
		s = body
	}
	if len(s) > 1 && s[0] == '[' && strings.Index(s, "]") == len(s)-1 {
		return true
	}
	switch strings.ToLower(strings.Trim(s, " .-_*")) {
	case "", "none", "nothing", "n/a", "tbd":
		return true
	}
	return false
}

// readable reports whether b is text.
func readable(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// oneLine is a value as it is written into a line of its own: it begins nothing
// that would be read as a heading, a list or a fence.
func oneLine(s string) string {
	s = chars.Line(s)
	if s == "" {
		return s
	}
	if _, isEntry := listEntry(s + " "); strings.HasPrefix(s, "#") || fenceOf(s) != "" || isEntry ||
		strings.Trim(s, "-=") == "" {
		return `\` + s
	}
	return s
}

// plain is a value without what oneLine put before it.
func plain(s string) string {
	if len(s) > 1 && s[0] == '\\' && oneLine(s[1:]) == s {
		return s[1:]
	}
	return s
}
