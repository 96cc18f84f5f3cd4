package chars

import (
	"strings"
	"unicode"
)

// Alike is how much of two short texts is the same, 0 to 1: the words of the
// shorter that the other has too, and a little of it by how many words they
// share of all. Case, order and punctuation do not count. 0 if either has no word.
func Alike(a, b string) float64 {
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

// The bounds of Pick: less than likeEnough is something else, and one that is
// not clearer than the next by likeApart may as well be that one.
const (
	likeEnough = 0.6
	likeApart  = 0.1
)

// Pick finds the one of list that text means. found is -1 if none is like it or
// several are: rivals are then the ones that are.
func Pick(list []string, text string) (found int, rivals []int) {
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
		scores[i] = Alike(s, text)
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

func wordsOf(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w] = true
	}
	return out
}
