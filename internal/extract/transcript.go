package extract

import (
	"strings"

	"remanence/internal/chars"
)

// SameWords compares prompts by their beginnings: long ones are cut differently.
func SameWords(a, b string) bool {
	const enough = 1000 // characters
	a, b = chars.Line(a), chars.Line(b)
	return a != "" && (a == b || len(a) > enough && strings.HasPrefix(b, a[:enough]))
}
