package mind

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/workstate"
)

// The headings of STATE.md.
const (
	headPhase   = "Current Phase"
	headStatus  = "Current Status"
	headActive  = "Active Work"
	headBlocked = "Blocked Items"
	headNext    = "Next Action"
	headUpdated = "Last Updated"
	headKept    = "Not Written" // what gave way to a hand
)

// maxValueLines is how far below its heading a field's value may begin, in lines.
const maxValueLines = 3

// value is the range of the one-line value below a heading, empty where there is none.
func (t *document) value(name string) span {
	h := t.find(name)
	if h < 0 {
		return span{}
	}
	s := t.body(h, false)
	for i := s.from; i < min(s.to, s.from+maxValueLines); i++ {
		if t.code[i] {
			return span{i, i} // code is no value
		}
		if !t.blank(i) {
			return span{i, i + 1}
		}
	}
	return span{s.from, s.from}
}

// paragraph is value with the lines that follow it without a gap.
func (t *document) paragraph(name string) span {
	s := t.value(name)
	if s.from == s.to {
		return s
	}
	end := t.body(t.find(name), false).to
	for s.to < end && !t.blank(s.to) && !t.code[s.to] {
		s.to++
	}
	return s
}

// field is what a field says; empty where it says that there is nothing.
func (t *document) field(name string) string {
	s := t.value(name)
	if name == headStatus {
		s = t.paragraph(name)
	}
	v := chars.Line(strings.Join(t.contentLines(s), " "))
	if isPlaceholder(v) {
		return ""
	}
	if body, ok := listEntry(v); ok {
		return body
	}
	return plain(v)
}

// list are the entries of a field that is a list, or the one that is no list.
func (t *document) list(name string) []string {
	out := []string{}
	h := t.find(name)
	if h < 0 {
		return out
	}
	items := t.items(t.body(h, false))
	for _, it := range items {
		if !isPlaceholder(it.text) {
			out = append(out, plain(chars.Line(it.text)))
		}
	}
	if v := t.field(name); len(items) == 0 && v != "" {
		out = append(out, v)
	}
	return out
}

// setField writes a field. A heading that is not there is made, before that of
// the last update.
func (t *document) setField(name, value string) {
	value = oneLine(value)
	if value == "" {
		value = "None."
	}
	if t.find(name) < 0 {
		t.insert("## "+name, value)
		return
	}
	s := t.value(name)
	if name == headStatus {
		s = t.paragraph(name)
	}
	t.replace(s, value)
}

// insert adds a section in its place: before the last update, else at the end.
func (t *document) insert(lines ...string) {
	h := t.find(headUpdated)
	if h < 0 {
		t.append(lines...)
		return
	}
	at := t.heads[h].at
	t.replace(span{at, at}, append(lines, "")...)
}

// setList writes a field that is a list. Entries that stay keep their bytes, and
// so does all that is no entry.
func (t *document) setList(name string, want []string) {
	h := t.find(name)
	if h < 0 {
		t.insert(append([]string{"## " + name}, entries(want)...)...)
		return
	}
	body := t.body(h, false)
	items := t.items(body)
	if len(items) == 0 {
		s := t.value(name)
		if s.from < s.to && !isPlaceholder(t.lines[s.from]) { // the person's words, no list: they stay, all of them
			s = t.paragraph(name)
			s.from = s.to
			if len(want) == 0 {
				return
			}
		}
		t.replace(s, entries(want)...)
		return
	}
	left := map[string]int{} // how often each is wanted still
	for _, w := range want {
		left[entryKey(w)]++
	}
	var gone []span
	at := items[len(items)-1].to
	for _, it := range items {
		k := entryKey(it.text)
		if left[k] == 0 {
			gone = append(gone, it.span)
			continue
		}
		left[k]--
	}
	var missing []string
	for _, w := range slices.Backward(want) {
		if k := entryKey(w); left[k] > 0 {
			left[k]--
			missing = append(missing, w)
		}
	}
	slices.Reverse(missing)
	if len(gone) == len(items) { // none stays: the first makes room for the new ones
		missing = entries(missing)
	} else {
		missing = marked(missing)
	}
	if len(missing) > 0 {
		t.replace(span{at, at}, missing...)
	}
	t.removeSpans(gone)
}

// entries are the lines of a list; of an empty one the line that says so.
func entries(list []string) []string {
	if len(list) == 0 {
		return []string{"None."}
	}
	return marked(list)
}

func marked(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, "- "+oneLine(s))
	}
	return out
}

// entryKey is what two entries that say the same have in common.
func entryKey(s string) string { return strings.ToLower(plain(chars.Line(s))) }

func textsOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, s := range list {
		out[entryKey(s)] = true
	}
	return out
}

// update writes the fields that u gives into STATE.md as it is now. What a hand
// changed since base stays: a value is then put below and named in the notes;
// of a list the hand's additions and removals stay.
func update(base, now document, u workstate.Update, at time.Time) (out document, notes []string) {
	out = parse([]byte(now.String()))
	for _, f := range []struct {
		name string
		text *string
	}{{headPhase, u.Phase}, {headStatus, u.Status}, {headNext, u.Next}} {
		if f.text == nil {
			continue
		}
		was, is := base.field(f.name), now.field(f.name)
		if was != is && is != chars.Line(*f.text) {
			notes = append(notes, fmt.Sprintf("%s was changed by hand to %q and stays so; %q stands under %s", f.name, is,
				*f.text, headKept))
			out.addNotWritten(f.name, *f.text, at)
			continue
		}
		if is != chars.Line(*f.text) || out.find(f.name) < 0 {
			out.setField(f.name, *f.text)
		}
	}
	for _, f := range []struct {
		name string
		list *[]string
	}{{headActive, u.Active}, {headBlocked, u.Blockers}} {
		if f.list == nil {
			continue
		}
		is := now.list(f.name)
		if want := merged(base.list(f.name), is, *f.list); !slices.Equal(want, is) || out.find(f.name) < 0 {
			out.setList(f.name, want)
		}
	}
	stamp := at.UTC().Format(time.RFC3339)
	if old := out.field(headUpdated); len(old) == len(time.DateOnly) {
		stamp = at.UTC().Format(time.DateOnly)
	}
	out.setField(headUpdated, stamp)
	return out, notes
}

// addNotWritten keeps a value that gave way to a hand.
func (t *document) addNotWritten(name, value string, at time.Time) {
	line := fmt.Sprintf("- %s %s: %s", at.UTC().Format(time.RFC3339), name, chars.Line(value))
	h := t.find(headKept)
	if h < 0 {
		t.append("## "+headKept, line)
		return
	}
	s := t.trimmed(t.body(h, false))
	t.replace(span{s.to, s.to}, line)
}

// merged returns the requested list with the items that a person added since, and without those that a person
// removed.
func merged(was, is, want []string) []string {
	wanted, had, there := textsOf(want), textsOf(was), textsOf(is)
	var out []string
	for _, s := range is {
		if wanted[entryKey(s)] || !had[entryKey(s)] {
			out = append(out, s)
		}
	}
	taken := textsOf(out)
	for _, s := range want {
		if k := entryKey(s); !taken[k] && (!had[k] || there[k]) {
			out, taken[k] = append(out, s), true
		}
	}
	return out
}
