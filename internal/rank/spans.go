package rank

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Spans says where a text holds words of terms, in any of their forms: from and
// to in bytes, ascending, at most limit of them. A part of an identifier marks
// the whole of it.
func Spans(terms []string, text string, limit int) [][2]int {
	keys, wide := map[string]bool{}, []string(nil)
	for _, t := range terms {
		for _, tok := range tokens(t) {
			keys[tok.key] = true
		}
		if r, _ := utf8.DecodeRuneInString(t); unsegmented(r) {
			wide = append(wide, t)
		}
	}
	var out [][2]int
	from := -1
	word := func(to int) {
		if from >= 0 && len(out) < limit {
			out = append(out, spansOfWord(keys, wide, text, from, to)...)
		}
		from = -1
	}
	for i, r := range text {
		switch letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r); {
		case letter && from < 0:
			from = i
		case !letter:
			word(i)
		}
	}
	word(len(text))
	return out[:min(limit, len(out))]
}

// spansOfWord marks a word if it is one of keys, or the pairs of letters in it
// where its script does not part words.
func spansOfWord(keys map[string]bool, wide []string, text string, from, to int) (out [][2]int) {
	word := text[from:to]
	if r, _ := utf8.DecodeRuneInString(word); unsegmented(r) {
		for _, w := range wide {
			for at := 0; ; {
				i := strings.Index(word[at:], w)
				if i < 0 {
					break
				}
				out = append(out, [2]int{from + at + i, from + at + i + len(w)})
				at += i + len(w)
			}
		}
		slices.SortFunc(out, func(a, b [2]int) int { return a[0] - b[0] })
		return joined(out)
	}
	if slices.ContainsFunc(tokens(word), func(t token) bool { return keys[t.key] }) {
		return [][2]int{{from, to}}
	}
	return nil
}

// joined makes one of spans that touch.
func joined(spans [][2]int) [][2]int {
	var out [][2]int
	for _, s := range spans {
		if n := len(out); n > 0 && s[0] <= out[n-1][1] {
			out[n-1][1] = max(out[n-1][1], s[1])
			continue
		}
		out = append(out, s)
	}
	return out
}
