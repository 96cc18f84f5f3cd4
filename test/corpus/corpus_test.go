package corpus

import "testing"

func TestNoTwoMemoriesAreAlike(t *testing.T) {
	seen := map[string]bool{}
	for i := range 3000 {
		s := statement(i)
		if seen[s] {
			t.Fatalf("memory %d again says %q", i, s)
		}
		seen[s] = true
	}
}
