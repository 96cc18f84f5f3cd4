package chars

import (
	"strings"
	"unicode"
)

// Similarity returns the similarity of two short texts, from 0 to 1: 0.7 times the
// share of the shorter text's words that the other has, plus 0.3 times their
// Jaccard similarity. Case, order and punctuation are ignored. It is 0 if either
// text has no word.
func Similarity(a, b string) float64 {
	x, y := wordsOf(a), wordsOf(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) == 0 {
		return 0
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	inner := float64(both) / float64(len(x))
	outer := float64(both) / float64(len(x)+len(y)-both)
	return 0.7*inner + 0.3*outer
}

// The bounds of Pick: a candidate needs a similarity of likeEnough, and has to
// exceed every other candidate by likeApart.
const (
	likeEnough = 0.6
	likeApart  = 0.1
)

// BestMatch returns the index of the element of list that is most similar to text. If
// none is similar, or several are, found is -1; rivals are then the similar ones.
func BestMatch(list []string, text string) (found int, rivals []int) {
	found = -1
	want := Line(text)
	for i, s := range list {
		if !strings.EqualFold(Line(s), want) {
			continue
		}
		if found >= 0 {
			return -1, []int{found, i}
		}
		found = i
	}
	if found >= 0 {
		return found, nil
	}
	best := 0.0
	scores := make([]float64, len(list))
	for i, s := range list {
		scores[i] = Similarity(s, text)
		if scores[i] > best {
			found, best = i, scores[i]
		}
	}
	if best < likeEnough {
		return -1, nil
	}
	for i, s := range scores {
		if s > best-likeApart {
			rivals = append(rivals, i)
		}
	}
	if len(rivals) > 1 {
		return -1, rivals
	}
	return found, nil
}

// EditDistance returns the Levenshtein distance of two texts, in bytes.
func EditDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		prev := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := prev
			if a[i] != b[j] {
				cost = 1 + min(prev, row[j], row[j+1])
			}
			prev, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		out[w] = true
	}
	return out
}
