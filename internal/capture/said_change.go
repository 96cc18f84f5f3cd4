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
	for w := range strings.FieldsFuncSeq(before, endsName) {
		known[w] = true
	}
	for w := range strings.FieldsFuncSeq(after, endsName) {
		if !known[w] {
			into[w] = true
		}
	}
}

func endsName(r rune) bool {
	return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// namesNew reports whether a text names something that the turn's edits added. known reports whether it names anything
// of the code, apart from files.
func (t turn) namesNew(text string) (added, known bool) {
	for _, name := range rank.Names(text) {
		if strings.ContainsAny(name, "./") {
			continue
		}
		known = true
		for part := range strings.FieldsFuncSeq(name, endsName) {
			added = added || t.added[part]
		}
	}
	return added, known
}

// saysChange returns the most salient passage of the answer that says what was changed and names something that the
// turn added, else the first such sentence; empty if there is none.
func (t turn) saysChange() string {
	says := func(text string) bool {
		added, _ := t.namesNew(text)
		return added && extract.SaysEdit(text) && !extract.Asks(text)
	}
	var best extract.Rating
	for _, r := range t.facts().Rate(t.Text, extract.ModelAssistant) {
		if (best.Text == "" || r.Salience > best.Salience) && says(r.Text) {
			best = r
		}
	}
	if all := extract.Sentences(t.Text); best.Text == "" {
		if i := slices.IndexFunc(all, says); i >= 0 {
			best.Text = all[i]
		}
	}
	return strings.TrimRight(best.Text, ":：")
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
