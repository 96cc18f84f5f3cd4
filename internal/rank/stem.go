package rank

import (
	"unicode/utf8"

	"github.com/blevesearch/go-porterstemmer"
)

// keyOf is the form in which words are compared: folded and stemmed, but for
// unsegmented scripts, whose marks tell letters apart.
func keyOf(word string) string {
	if r, _ := utf8.DecodeRuneInString(word); unsegmented(r) {
		return word
	}
	return stem(fold(word))
}

// SameWord reports whether two words in lower case are forms of one, by their stems.
func SameWord(a, b string) bool { return a == b || keyOf(a) == keyOf(b) }

// Words outside these lengths, in bytes, are their own stem: the bounds of
// SQLite's porter tokenizer, with which a stem has to agree.
const (
	minStem = 3
	maxStem = 64
)

// stem reduces a folded word to its Porter stem. A word with anything but the
// letters a to z is its own stem.
func stem(word string) string {
	if len(word) < minStem || len(word) > maxStem {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	return string(porterstemmer.StemWithoutLowerCasing([]rune(word)))
}
