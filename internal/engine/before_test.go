package engine_test

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/extract"
)

func TestABriefingHasNothingOfBeforeAPlanWasCarriedOut(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "Implement the following plan:\n\n# Close the invoice queue\n\n## Context\n\n"+
		"The printer stalls at night. The root cause is that `queue.go` closes no channel of a tenant that has "+
		"left.\n\n## Changes\n\n- `queue.go`: close it\n\n## Verification\n\n- `make test`\n"),
		edited("p1", "t1", "queue.go", "open", "closed"),
		stop("p1", "The channel is closed now."))
	if got := s.words("one"); len(got) == 0 || !strings.HasPrefix(got[0].Title, extract.BeforePrefix) ||
		!strings.HasSuffix(got[0].Title, "has left. The change: Close the invoice queue.") ||
		!slices.Equal(got[0].Files, []string{"queue.go"}) {
		t.Fatalf("kept:\n%s", titles(got))
	}
	got := s.play(in("two", start("startup"))...).Context
	wants(t, "briefing", got, "Close the invoice queue")
	wantsNot(t, "briefing", got, "now: "+extract.BeforePrefix)
}

func TestHowThingsWereBeforeAPlanIsNoRule(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "Implement the following plan:\n\n# Open the newest invoice by itself\n\n"+
		"## Context\n\nWhen an invoice is done, the list of `InvoicePage` returns to its start with nothing selected. "+
		"The newest invoice is hidden and requires manual clicks to view.\n\n"+
		"## Changes\n\n- `invoices.go`: open it\n\n## Verification\n\n- `make test`\n"),
		edited("p1", "t1", "invoices.go", "open", "closed"),
		stop("p1", "It is open now."))
	for _, mm := range s.words("one") {
		if strings.Contains(mm.Title+mm.Body, "InvoicePage") {
			t.Errorf("kept as if it were so still: %s %q", mm.Kind, mm.Title)
		}
	}
}
