package outcome

import (
	"slices"
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

func TestACommandIsListedOnceHoweverItsOutputIsFiltered(t *testing.T) {
	var ms []mem.Memory
	for _, line := range []string{
		"make test 2>&1 | tail -3 && make lint", "make test | grep FAIL", "make lint", "make all | tail -5", "make all",
		"git add fee.go && git commit -m fee", "make docs",
	} {
		ms = append(ms, mem.Memory{Kind: mem.Command, Command: line})
	}
	ms = append(ms, mem.Memory{Kind: mem.Command, Command: "make broken", ExitCode: 2})
	want := []string{"make test 2>&1 | tail -3 && make lint", "make all", "make docs"}
	if got := Commands(ms, 8); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Commands(ms, 2); !slices.Equal(got, want[:2]) {
		t.Errorf("two of them: got %q", got)
	}
}
