package lang_test

import (
	"os"
	"strings"
	"testing"

	"remanence/internal/lang"
)

func TestPairsOfStatementsAreJudged(t *testing.T) {
	data, err := os.ReadFile("testdata/pairs.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if len(f) != 3 {
			t.Fatalf("line %q has %d fields, want 3", line, len(f))
		}
		want := lang.Relation(f[0])
		for _, p := range [][2]string{{f[1], f[2]}, {f[2], f[1]}} {
			if got := lang.Compare(p[0], p[1]); got.Relation != want {
				t.Errorf("%q and %q: got %s (%s), want %s", p[0], p[1], got.Relation, got.Reason, want)
			}
		}
	}
}
