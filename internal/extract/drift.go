package extract

import (
	"strings"
	"unicode"
)

// Contradictory is the share of common words from which a denial is one of the
// same thing.
const Contradictory = 0.5

// denies reports whether a text says that something is not, or is not to be.
func denies(s string) bool {
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && r != '\'' && r != '’'
	}) {
		switch strings.ReplaceAll(w, "’", "'") {
		case "not",
			"never", "no", "don't", "doesn't", "isn't", "aren't", "won't", "can't", "cannot", "avoid", "without",
			"stop",
			"forbidden":
			return true
		}
	}
	return false
}
