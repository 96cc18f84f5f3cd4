package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/redact/jsonstream"
	"remanence/internal/redact/secrets"
)

// Tools report files, patches and answers as arrays with one string per line, or one block of text per string. A key
// block, or a name with its value, may span several of them. So the strings of an array under one key are searched
// again as the lines of one text. The marker replaces the beginning of a secret. The number and order of the strings
// stay the same.

// arrayLine is one string of an array. Its JSON is out[from:to].
type arrayLine struct {
	key      string
	from, to int
	text     string // unquoted; set when the array ends
	start    int    // offset of text in the joined lines
	shaped   bool   // it is an id or path by its key and form
	changed  bool
}

// writeLine writes a cleaned string, and records it if it is in an array.
func (w *walker) writeLine(s string, shaped bool) {
	from := w.writeText(s)
	if w.arrays > 0 {
		w.lines = append(w.lines, arrayLine{key: w.key(), from: from, to: len(w.out), shaped: shaped})
	}
}

// joinLines searches the strings of the array that ends here as one text.
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

// redactLines redacts secrets that span lines of a group, until it finds no more. It reports whether it found any.
func (w *walker) redactLines(group []*arrayLine) (changed bool) {
	for _, l := range group {
		l.text, _ = strconv.Unquote(string(w.out[l.from:l.to])) // what AppendQuoted writes is a string of Go, too
	}
	for {
		found := w.redactor.finder().Find(join(group))
		if slices.ContainsFunc(group, func(l *arrayLine) bool { return l.shaped }) { // in ids and paths only key blocks count
			found = slices.DeleteFunc(found, func(f secrets.Span) bool { return f.Kind != "private-key" })
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
				l.text = w.redactor.clean(l.text, w.stored, &w.counts)
			}
		}
	}
}

// redactSpan removes one secret from the lines that it spans.
func (w *walker) redactSpan(group []*arrayLine, f secrets.Span) {
	group = spanned(group, f)
	mark := secrets.Marker(w.redactor.Key, f.Kind, secretOf(group, f))
	w.counts.secret(f.Kind, 1)
	for _, l := range group {
		from, to := max(f.From-l.start, 0), min(f.To-l.start, len(l.text))
		if from >= to {
			continue
		}
		l.text, l.changed, mark = l.text[:from]+mark+l.text[to:], true, ""
	}
}

// spanned returns the lines that a span meets, in the order of their starts, as join left them.
func spanned(group []*arrayLine, f secrets.Span) []*arrayLine {
	starts := func(l *arrayLine, at int) int { return cmp.Compare(l.start, at) }
	from, _ := slices.BinarySearchFunc(group, f.From+1, starts)
	to, _ := slices.BinarySearchFunc(group, f.To, starts)
	return group[max(0, from-1):to]
}

// secretOf returns the text of a span without the separators between lines.
func secretOf(group []*arrayLine, f secrets.Span) string {
	var b strings.Builder
	for _, l := range group {
		if from, to := max(f.From-l.start, 0), min(f.To-l.start, len(l.text)); from < to {
			b.WriteString(l.text[from:to])
		}
	}
	return b.String()
}

// join returns the lines of a group as one text and sets the offset of each. A flag that takes a secret and its value
// are joined on one line.
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
		case secrets.IsFlag(l.text):
			b.WriteByte(' ')
		default:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// rewrite writes the changed strings of an array, which is at the end of out. If longer markers exceed the size limit,
// the changed strings are emptied.
func (w *walker) rewrite(lines []arrayLine) {
	texts := make([]string, len(lines)) // as JSON
	growth := 0
	for i, l := range lines {
		if l.changed {
			texts[i] = string(jsonstream.AppendQuoted(nil, l.text))
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

// moveTexts adjusts the texts, from an index on, that lie before offset to. It returns the index of the next one.
func (w *walker) moveTexts(index, to, by int) int {
	for ; index < len(w.texts) && w.texts[index].from < to; index++ {
		w.texts[index].from += by
		w.texts[index].to += by
	}
	return index
}
