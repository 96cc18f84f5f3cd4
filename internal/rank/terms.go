package rank

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"remanence/internal/mem"
)

const (
	// maxText is how much of a text is read for terms, from each of its ends:
	// in a long paste the question stands first or last.
	maxText = 32 << 10

	// maxPhrase is how many words a compound may have to be a phrase. Longer
	// ones are absolute paths, which memories do not hold.
	maxPhrase = 6
)

// Terms turns any text into the terms of a search, each once, in the order of
// the text, at most mem.MaxTerms: lower-case words without stop words, compounds
// as one phrase with their parts beside them, and pairs of the letters of
// unsegmented scripts. Stop words stay if there is nothing else. A text
// without a letter or digit has no terms.
func Terms(text string) []string {
	var t termList
	t.add(text)
	if len(t.terms) == 0 {
		t.all = true
		t.add(text)
	}
	return t.best(mem.MaxTerms)
}

type term struct {
	text   string
	rarity int // how much it looks like a name of something
}

type termList struct {
	terms []term
	seen  map[string]bool
	edge  map[string]bool // terms of the first and the last line
	all   bool            // stop words and single letters too
}

func (t *termList) add(text string) {
	t.edge = edgeTerms(text, t.all)
	t.seen = map[string]bool{}
	for _, part := range ends(text) {
		for name := range names(part) {
			t.addName(name)
		}
	}
}

// maxEdge is how much of a first or last line is read for edgeTerms, in bytes.
const maxEdge = 400

// edgeTerms are the terms of a text's first and last line: of a question with a
// log pasted in, the question.
func edgeTerms(text string, all bool) map[string]bool {
	text = strings.TrimSpace(text)
	first, _, more := strings.Cut(text, "\n")
	if !more {
		return nil
	}
	last := text[strings.LastIndexByte(text, '\n')+1:]
	l := termList{seen: map[string]bool{}, all: all}
	for name := range names(head(first, maxEdge) + "\n" + head(last, maxEdge)) {
		l.addName(name)
	}
	return l.seen
}

// ends is the text, or its two ends if it is too long to be read whole.
func ends(text string) []string {
	if len(text) <= 2*maxText {
		return []string{text}
	}
	return []string{text[:maxText], text[len(text)-maxText:]}
}

// Rarity grows with length; what looks like an identifier ranks before any word.
const identifierLike = 100

func (t *termList) addName(name string) {
	list := atoms(name)
	switch {
	case len(list) > 1 && !list[0].wide && len(list) <= maxPhrase || signed(name):
		t.put(strings.ToLower(name), identifierLike+len(name))
	case len(list) > maxPhrase:
		t.put(strings.ToLower(tail(name)), identifierLike+len(tail(name)))
	}
	if base := baseName(name); base != name && len(atoms(base)) > 1 {
		t.put(strings.ToLower(base), identifierLike+len(base))
	}
	for _, a := range list {
		t.addAtom(a)
	}
}

func (t *termList) addAtom(a atom) {
	if a.wide {
		for _, p := range pairs(a.text) {
			t.put(p, 2*utf8.RuneCountInString(p))
		}
		return
	}
	parts := camel(a.text)
	whole := strings.ToLower(a.text)
	rarity := len(whole)
	if len(parts) > 1 || strings.ContainsAny(whole, "0123456789") {
		rarity += identifierLike
	}
	t.word(whole, rarity)
	if len(parts) == 1 {
		return
	}
	for _, p := range parts {
		t.word(strings.ToLower(p), len(p))
	}
}

func (t *termList) word(w string, rarity int) {
	if !t.all && (stopWord(w) || len(w) == 1) {
		return
	}
	t.put(w, rarity)
}

func (t *termList) put(s string, rarity int) {
	if s == "" || t.seen[s] {
		return
	}
	t.seen[s] = true
	t.terms = append(t.terms, term{s, rarity})
}

// best returns the n rarest-looking terms, in the order of the text. Up to half
// of them are those of the first and the last line.
func (t *termList) best(n int) []string {
	keep := t.terms
	if len(keep) > n {
		reserved := n / 2
		for i, x := range keep {
			if reserved > 0 && t.edge[x.text] {
				reserved--
				keep[i].rarity += 10 * identifierLike
			}
		}
		byRarity := slices.Clone(keep)
		slices.SortStableFunc(byRarity, func(a, b term) int { return cmp.Compare(b.rarity, a.rarity) })
		least := byRarity[n-1].rarity
		room := n - firstBelow(byRarity, least+1)
		keep = slices.DeleteFunc(slices.Clone(keep), func(x term) bool {
			if x.rarity == least && room > 0 {
				room--
				return false
			}
			return x.rarity <= least
		})
	}
	out := make([]string, 0, len(keep))
	for _, x := range keep {
		out = append(out, x.text)
	}
	return out
}

// firstBelow is the number of terms of a falling list that are at least as rare as least.
func firstBelow(falling []term, least int) int {
	n := 0
	for n < len(falling) && falling[n].rarity >= least {
		n++
	}
	return n
}

// baseName is the last part of a path, or the name itself.
func baseName(name string) string {
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// tail is the last two parts of a path.
func tail(name string) string {
	cut := strings.LastIndexAny(name, `/\`)
	if cut <= 0 {
		return name
	}
	return name[strings.LastIndexAny(name[:cut], `/\`)+1:]
}
