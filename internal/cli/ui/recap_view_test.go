package ui

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/outcome"
	"remanence/internal/views"
)

func TestARecapShowsSoManyItemsOfEachSection(t *testing.T) {
	v := RecapView{Items: 1, RecapResponse: views.RecapResponse{
		Since: time.Date(2026, 3, 2, 0, 0, 0, 0, time.Local), Until: time.Date(2026, 3, 3, 0, 0, 0, 0, time.Local),
		Days: []views.RecapDay{{
			Day: "2026-03-02", ProjectName: "shop", Sessions: 2,
			Outcomes: []views.RecapItem{{Title: "The fee is rounded."}, {Title: "The export is written."}},
			Failures: []outcome.Failure{
				{Command: "go test ./fee", Times: 3, FixedAfterS: 660, Fix: "fee.go: add 500"},
				{Command: "make", Times: 1},
			},
			Files: []string{"fee.go", "export.go"},
		}},
	}}
	var out strings.Builder
	v.Print(&Printer{Out: &out, Width: 80})
	want := `Mon 2 Mar 2026, shop: 2 sessions
  done       The fee is rounded.
  done       and 1 more
  failed     go test ./fee, 3 times; fixed after 11 min: fee.go: add 500
  failed     and 1 more
  files      fee.go and 1 more
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
}

func TestProseSaysWhoWroteItAndWhatWasNotSent(t *testing.T) {
	v := RecapView{RecapResponse: views.RecapResponse{
		Days: []views.RecapDay{{Day: "2026-03-02"}}, Prose: "The fee is rounded.", Model: "a-model", Withheld: 2,
	}}
	var out strings.Builder
	v.Print(&Printer{Out: &out, Err: &out, Width: 120})
	for _, want := range []string{
		"The fee is rounded.\n", "Written by a-model from the list of remanence recap; it may be wrong.",
		"2 days of projects were not sent: digest.exclude_projects and privacy.exclude_projects.",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%swant %q in it", &out, want)
		}
	}
}
