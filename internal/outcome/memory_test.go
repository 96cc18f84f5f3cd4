package outcome

import (
	"strings"
	"testing"

	"remanence/internal/mem"
)

func TestAnOutcomeIsToldWithoutWhatOtherSectionsList(t *testing.T) {
	for completed, want := range map[string]string{
		"The fee is rounded; changed fee.go, api/export.go…":   "The fee is rounded",
		"The fee is rounded; `make` works now; fixed: `make`":  "The fee is rounded",
		"The plan changed; changed the order of the steps":     "The plan changed; changed the order of the steps",
		"The fee is rounded; I can't clear the history myself": "The fee is rounded",
		"changed fee.go": "the title",
	} {
		m := mem.Memory{Kind: mem.Summary, Title: "the title", Summary: &mem.SummaryText{Completed: completed}}
		if got := Text(m); got != want {
			t.Errorf("%q became %q, want %q", completed, got, want)
		}
	}
	long := "Retries wait by a timer, because a sleep blocks the worker. " + strings.Repeat("More of it. ", 30)
	if got := Text(mem.Memory{Kind: mem.Decision, Title: "Retries wait…", Body: long}); len(got) > maxTitle ||
		!strings.HasPrefix(got, "Retries wait by a timer, because") {
		t.Errorf("a long decision became %q", got)
	}
	imported := mem.Memory{Kind: mem.Decision, Title: "Amounts are cents", Body: "It was discussed at length."}
	if got := Text(imported); got != "Amounts are cents" {
		t.Errorf("a decision whose body does not repeat its title became %q", got)
	}
}
