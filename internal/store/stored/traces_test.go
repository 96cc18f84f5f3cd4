package stored

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/test/tier"
)

// No document with a trace is ruled out.
func TestMayBeInMissesNoTrace(t *testing.T) {
	r := tier.Rand(t)
	parts := []string{
		"keeper", "heron", "42", " ", " ", "\n", "\t", `\`, `"`, "<b>", "\x01", "漢字", "ä", "\u2028", "a",
		"-", "…",
	}
	draw := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		return b.String()
	}
	held := 0
	for range tier.Runs(20_000, 500_000) {
		var tr Traces
		for range 1 + r.IntN(3) {
			tr.Add(mem.Memory{Title: draw(8), Body: draw(12)})
		}
		text1 := draw(10)
		if len(tr) > 0 && r.IntN(2) == 0 {
			text1 = draw(3) + wrapped(r, tr[r.IntN(len(tr))]) + draw(3)
		}
		text2 := draw(5)
		doc, err := Text(map[string]any{"a": []any{text1, text2}, "n": 7})
		if err != nil {
			t.Fatal(err)
		}
		want := slices.ContainsFunc(tr, func(line string) bool {
			return strings.Contains(chars.Fold(text1), line) || strings.Contains(chars.Fold(text2), line)
		})
		if got := tr.Finder().InDocument(doc); got != want {
			t.Fatalf("%q in %s: got %v, want %v", []string(tr), doc, got, want)
		}
		if want {
			held++
		}
	}
	if held < 1000 {
		t.Errorf("only %d documents held a trace: this proves little", held)
	}
}

// wrapped returns a line as it may be elsewhere: with other blanks, and quoted.
func wrapped(r *rand.Rand, line string) string {
	var b strings.Builder
	for _, c := range line {
		switch {
		case c == ' ':
			b.WriteString([]string{" ", "\n", "  \t"}[r.IntN(3)])
			continue
		case r.IntN(9) == 0:
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}
