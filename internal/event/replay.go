package event

import (
	"slices"
	"strings"
)

// MaxTakenBack is how many memories are looked at that may not be told any more.
const MaxTakenBack = 500

// Says reports whether a folded text contains one of the lines.
func Says(folded string, lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(folded, line) })
}
