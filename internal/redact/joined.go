package redact

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"slices"
	"strings"
)

// Tools report files, patches and answers as arrays with a string for each line, or a block of text for each. A key,
// or a name with its value, may go over several of them. So the strings of an array that stand under one name are
// searched once more as the lines of one text. The marker of what is found takes the place of its beginning; what is
// left of a string stays where it is, and none is left out of the array.

// arrayLine is one string of an array, whose JSON is out[from:to].
type arrayLine struct {
	key      string
	from, to int
	text     string // without quotes; read when the array ends
	start    int    // of text in the joined lines
	shaped   bool   // it has the shape of the id or path that its name speaks of
	changed  bool
}

// writeLine writes a string that came through the redactor, and notes it if it stands in an array.
func (w *walker) writeLine(s string, shaped bool) {
	from := w.writeText(s)
	if w.arrays > 0 {
		w.lines = append(w.lines, arrayLine{key: w.key(), from: from, to: len(w.out), shaped: shaped})
	}
}

// joinLines searches the strings of the array that ends here.
func (w *walker) joinLines() {
	lines := w.lines
	w.lines = w.lines[:0]
	if len(lines) < 2 {
		return
	}
	groups := map[string][]*arrayLine{}
	for i := range lines {
		l := &lines[i]
		groups[l.key] = append(groups[l.key], l)
	}
	changed := false
	for _, group := range groups {
		if len(group) > 1 && w.redactLines(group) {
			changed = true
		}
	}
	if changed {
		w.rewrite(lines)
	}
}

// redactLines redacts what goes over the lines of a group, until nothing is found, and reports whether anything was.
func (w *walker) redactLines(group []*arrayLine) (changed bool) {
	for _, l := range group {
		l.text = unquoted(w.out[l.from:l.to])
	}
	for {
		found := w.door.secrets(join(group))
		if slices.ContainsFunc(group, func(l *arrayLine) bool { return l.shaped }) { // of ids or paths only a key is one
			found = slices.DeleteFunc(found, func(f span) bool { return f.kind != "private-key" })
		}
		if len(found) == 0 {
			return changed
		}
		changed = true
		for _, f := range slices.Backward(found) {
			w.redactSpan(group, f)
		}
		for _, l := range group {
			if l.changed {
				l.text = w.door.clean(l.text, w.own, &w.counts)
			}
		}
	}
}

// redactSpan takes one secret out of the lines that it goes over.
func (w *walker) redactSpan(group []*arrayLine, f span) {
	mark := w.door.marker(f.kind, secretOf(group, f))
	w.counts.secret(f.kind, 1)
	for _, l := range group {
		from, to := max(f.from-l.start, 0), min(f.to-l.start, len(l.text))
		if from >= to {
			continue
		}
		l.text, l.changed, mark = l.text[:from]+mark+l.text[to:], true, ""
	}
}

// secretOf returns the text of a span without what stands between the lines.
func secretOf(group []*arrayLine, f span) string {
	var b strings.Builder
	for _, l := range group {
		if from, to := max(f.from-l.start, 0), min(f.to-l.start, len(l.text)); from < to {
			b.WriteString(l.text[from:to])
		}
	}
	return b.String()
}

// join returns the lines of a group as one text and notes where each begins. A flag that takes a secret has its value
// behind it on the same line.
func join(group []*arrayLine) string {
	size := 0
	for _, l := range group {
		size += len(l.text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for _, l := range group {
		l.start = b.Len()
		b.WriteString(l.text)
		switch {
		case strings.HasSuffix(l.text, "\n"):
		case len(l.text) <= maxName && strings.HasPrefix(l.text, "-") && isAll(l.text, isNamePart) && classify(l.text) != noSecret:
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// rewrite writes the strings of an array, which stands at the end of out, as they are now. Where markers are longer
// than what they stand for and no room is left, the strings that changed are emptied.
func (w *walker) rewrite(lines []arrayLine) {
	texts := make([]string, len(lines)) // as JSON
	growth := 0
	for i, l := range lines {
		if l.changed {
			texts[i] = string(appendQuoted(nil, l.text))
			growth += len(texts[i]) - (l.to - l.from)
		}
	}
	empty := w.limit > 0 && growth > 0 && len(w.out)+growth > w.limit-lateRoom
	w.cut = w.cut || empty
	start := lines[0].from
	old, at, moved := slices.Clone(w.out[start:]), start, 0
	place, _ := slices.BinarySearchFunc(w.texts, start, func(t text, from int) int { return cmp.Compare(t.from, from) })
	w.out = w.out[:start]
	for i, l := range lines {
		place = w.moveTexts(place, l.from, moved)
		w.out = append(w.out, old[at-start:l.from-start]...)
		switch {
		case !l.changed:
			w.out = append(w.out, old[l.from-start:l.to-start]...)
		case empty:
			w.out = append(w.out, '"', '"')
		default:
			w.out = append(w.out, texts[i]...)
		}
		if place < len(w.texts) && w.texts[place].from == l.from {
			w.texts[place] = text{l.from + moved, len(w.out)}
			place++
		}
		at, moved = l.to, len(w.out)-l.to
	}
	w.moveTexts(place, start+len(old), moved)
	w.out = append(w.out, old[at-start:]...)
}

// moveTexts moves the noted texts from an index on that stand before the place to, and returns the index of the next.
func (w *walker) moveTexts(index, to, by int) int {
	for ; index < len(w.texts) && w.texts[index].from < to; index++ {
		w.texts[index].from += by
		w.texts[index].to += by
	}
	return index
}

// unquoted returns the text of a string that appendQuoted wrote.
func unquoted(b []byte) string {
	b = b[1 : len(b)-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		c := b[i]
		if c == '\\' {
			i++
			switch c = b[i]; c {
			case 'n':
				c = '\n'
			case 'r':
				c = '\r'
			case 't':
				c = '\t'
			case 'u': // a control character
				code, _ := hex.DecodeString(string(b[i+3 : i+5]))
				c = code[0]
				i += len("0000")
			}
		}
		out = append(out, c)
	}
	return string(out)
}
