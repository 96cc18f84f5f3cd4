package sqlite

import (
	"math/rand/v2"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/test/tier"
)

// Whatever a person or an agent types is words to look for, never syntax.
func TestNoTextIsAnErrorToASearch(t *testing.T) {
	r := tier.Rand(t)
	s := library(t, 200)
	for range tier.Runs(20_000, 1_000_000) {
		terms := []string{anyText(r), anyText(r), anyText(r)}
		if _, err := s.Match(t.Context(), mem.Query{Terms: terms, Project: "p_1", Limit: 5}); err != nil {
			t.Fatalf("%q: %v", terms, err)
		}
	}
}

// anyText strings together what means something to a full-text query, words
// that are there, and whatever else a string may hold.
func anyText(r *rand.Rand) string {
	pieces := []string{
		`"`, `""`, "'", "*", "^", "(", ")", ":", "-", "+", ",", ".", ";", "{", "}", "\\", "\x00", "\xff", "\ufffd", "\u200b",
		"\u202e", "漢字", "é", "e\u0301", "🧲",
		" AND ", " OR ", " NOT ", "NEAR(", "title:", "rowid", "word1", "word40", " ", "\n", "--", "/*", "?", "%", "_",
		"foo-bar", "don't", "c++",
	}
	var b strings.Builder
	for range r.IntN(12) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	if r.IntN(50) == 0 {
		b.WriteString(strings.Repeat(b.String()+"x", 200))
	}
	return b.String()
}
