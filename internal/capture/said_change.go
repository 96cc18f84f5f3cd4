package capture

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"remanence/internal/extract"
	"remanence/internal/rank"
)

// newNames adds the names that an edit put into a file to those of a turn, without those that stood there before.
func newNames(into map[string]bool, before, after string) {
	known := map[string]bool{}
	for _, w := range namesIn(before) {
		known[w] = true
	}
	for _, w := range namesIn(after) {
		if !known[w] {
			into[w] = true
		}
	}
}

// namesIn returns the names in some code, those with hyphens as a whole and in their parts.
func namesIn(code string) (out []string) {
	for w := range strings.FieldsFuncSeq(code, func(r rune) bool { return r != '-' && endsName(r) }) {
		if w = strings.Trim(w, "-"); strings.Contains(w, "-") {
			out = append(out, w)
		}
		out = append(out, strings.FieldsFunc(w, endsName)...)
	}
	return out
}

func endsName(r rune) bool {
	return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// namesNew reports whether a text names something that the turn's edits added. known reports whether it names anything
// of the code, apart from files.
func (t turn) namesNew(text string) (added, known bool) {
	for _, name := range rank.Names(text) {
		name = strings.TrimPrefix(strings.Trim(name, "()"), ".") // a function, a class of CSS
		if strings.ContainsAny(name, "./") {
			continue
		}
		known = true
		added = added || t.added[name]
	}
	return added, known
}

// saysChange returns the most salient passage of the answer that says what was changed and names something that the
// turn added, else the first such sentence; empty if there is none.
func (t turn) saysChange() string {
	change, added := t.change()
	if all := extract.Sentences(t.Text); !added {
		i := slices.IndexFunc(all, func(s string) bool {
			added, _ = t.namesNew(s)
			return added && extract.SaysEdit(s) && !extract.Asks(s)
		})
		if i < 0 {
			return ""
		}
		change = all[i]
	}
	return strings.TrimRight(change, ":：")
}

// change returns the most salient passage of the answer that says what was changed: of those that name something that
// the turn added, if there are any.
func (t turn) change() (text string, added bool) {
	var best float64
	for _, r := range t.facts().Rate(t.Text, extract.ModelAssistant) {
		if !extract.SaysEdit(r.Text) || extract.Asks(r.Text) {
			continue
		}
		one, _ := t.namesNew(r.Text)
		if text == "" || one && !added || one == added && r.Salience > best {
			text, added, best = r.Text, one, r.Salience
		}
	}
	return text, added
}

// withoutFile returns a text without its label if that is a file.
func withoutFile(text string) string {
	for _, mark := range []string{": ", " — ", " – ", " - "} {
		label, rest, ok := strings.Cut(text, mark)
		if ok && !strings.Contains(label, " ") && strings.ContainsAny(label, "./") {
			return rest
		}
	}
	return text
}

// changeOrProblem returns what the turn changed, in place of an opening that only describes what was wrong, or names
// only what was there before.
func (t turn) changeOrProblem(opening string) string {
	if !t.facts().Changed || strings.HasPrefix(opening, extract.PlannedPrefix) {
		return opening
	}
	added, known := t.namesNew(opening)
	switch {
	case extract.DescribesProblem(opening):
		return cmp.Or(t.saysChange(), extract.Remedy(t.Text), opening)
	case known && !added:
		return cmp.Or(t.saysChange(), opening)
	}
	return opening
}
