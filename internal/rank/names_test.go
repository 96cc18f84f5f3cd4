package rank

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func TestTheViewerNamesThePartsOfAScoreInTheSameWords(t *testing.T) {
	source, err := os.ReadFile("../web/src/strings/recalls.ts")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(source), "partNames: {")
	table, _, _ = strings.Cut(table, "}")
	named := regexp.MustCompile(`(\w+): "([^"]+)"`).FindAllStringSubmatch(table, -1)
	if len(named) < 20 {
		t.Fatalf("the viewer names %d parts", len(named))
	}
	seen := map[string]bool{}
	for _, m := range named {
		seen[m[1]] = true
		if got := PartName(m[1]); got != m[2] {
			t.Errorf("%s: %q, in the viewer %q", m[1], got, m[2])
		}
	}
	for _, part := range []string{
		PartRecency, PartPath, PartBM25F, PartGrams, PartProximity, PartVotes, PartSession, PartWho, PartMonth, PartWhen,
		PartQuestion, PartCoverage, PartWords, PartAttained, PartKnown, PartFile, PartTitle, PartUse, PartStale,
		PartRelevance, PartShare, PartMeaning,
	} {
		if !seen[part] {
			t.Errorf("the viewer has no name for %s", part)
		}
	}
}
