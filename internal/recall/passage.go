package recall

import (
	"slices"
	"strings"
	"unicode"

	"remanence/internal/chars"
	"remanence/internal/lang"
	"remanence/internal/rank"
)

// The sentences of a passage before the first that meets a term, and after the last: what a question is answered by
// often follows the words that it shares.
const (
	sentencesBefore = 1
	sentencesAfter  = 2
)

// Passage is the part of a text of at most most characters that meets the most
// terms, from the beginning of a sentence where there is one near, without the
// sentences far from those that meet one. What is cut off is marked by an ellipsis.
func Passage(text string, terms []string, most int) string {
	rs := []rune(chars.Line(text))
	start, end := 0, len(rs)
	if len(rs) > most {
		room := max(1, most-2) // for the marks
		start = max(0, min(richest(rs, terms, room), len(rs)-room))
		if end = start + room; end < len(rs) {
			end = wordEnd(rs, start, end)
		}
	}
	out, before, after := nearTerms(strings.TrimSpace(string(rs[start:end])), terms)
	if start > 0 || before {
		out = "…" + out
	}
	if end < len(rs) || after {
		out += "…"
	}
	return out
}

// nearTerms returns the sentences of a text from shortly before the first that meets a term until shortly after the
// last, and whether there were others before and after these.
func nearTerms(text string, terms []string) (near string, before, after bool) {
	sentences := lang.SplitSentences(text)
	first, last := -1, len(sentences)
	for i, s := range sentences {
		if len(finds([]rune(s), terms)) == 0 {
			continue
		}
		if first < 0 {
			first = i
		}
		last = i
	}
	from, to := max(0, first-sentencesBefore), min(len(sentences), last+1+sentencesAfter)
	if from == 0 && to == len(sentences) {
		return text, false, false
	}
	return strings.Join(sentences[from:to], " "), from > 0, to < len(sentences)
}

// meets returns how many of the terms a text has.
func meets(text string, terms []string) int {
	met := map[int]bool{}
	for _, f := range finds([]rune(text), terms) {
		met[f.term] = true
	}
	return len(met)
}

// found is a place where a text meets a term.
type found struct{ at, term int }

// richest is where the part of room characters begins that meets the most terms.
func richest(rs []rune, terms []string, room int) int {
	list := finds(rs, terms)
	start, best := 0, 0
	for i, f := range list {
		from := sentenceStart(rs, f.at, room/3)
		met := map[int]bool{}
		for _, g := range list[i:] {
			if g.at < from+room {
				met[g.term] = true
			}
		}
		if len(met) > best {
			start, best = from, len(met)
		}
	}
	return start
}

// finds are the places in a text where words akin to terms begin, in order.
func finds(rs []rune, terms []string) []found {
	var out []found
	for at := 0; at < len(rs); {
		end := at
		for end < len(rs) && unicode.In(rs[end], unicode.L, unicode.M, unicode.N) {
			end++
		}
		word := strings.ToLower(string(rs[at:end]))
		if n := slices.IndexFunc(terms, func(t string) bool { return word != "" && Akin(word, t) }); n >= 0 {
			out = append(out, found{at, n})
		}
		at = max(at+1, end)
	}
	return out
}

// Akin reports whether two words in lower case are forms of one. In a script
// without spaces a word is akin to what it holds.
func Akin(a, b string) bool {
	if strings.ContainsFunc(b, chars.Wide) {
		return strings.Contains(a, b)
	}
	return rank.SameWord(a, b)
}

// sentenceStart is where the sentence of a place begins, or the place itself if
// that is farther than reach before it.
func sentenceStart(rs []rune, at, reach int) int {
	for i := at; i > max(0, at-reach); i-- {
		if i > 1 && rs[i-1] == ' ' && strings.ContainsRune(".!?:", rs[i-2]) || strings.ContainsRune("。！？", rs[i-1]) {
			return i
		}
	}
	if at <= reach {
		return 0
	}
	return at
}

// wordEnd is the last end of a word before end, or end if none is near.
func wordEnd(rs []rune, start, end int) int {
	for i := end; i > max(start, end-30); i-- {
		if rs[i] == ' ' {
			return i
		}
	}
	return end
}
