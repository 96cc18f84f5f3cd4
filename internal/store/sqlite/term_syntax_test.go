package sqlite

import (
	"math/rand/v2"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/test/tier"
)

// Terms are words to search for, never syntax.
func TestAnyTextIsALegalTerm(t *testing.T) {
	r := tier.Rand(t)
	s := storeWithTerms(t, 200)
	for range tier.Runs(20_000, 1_000_000) {
		terms := []string{anyText(r), anyText(r), anyText(r)}
		if _, err := s.Match(t.Context(), mem.Query{Terms: terms, Project: "p_1", Limit: 5}); err != nil {
			t.Fatalf("%q: %v", terms, err)
		}
	}
}

// anyText generates texts of full-text syntax, stored words and any other characters.
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
