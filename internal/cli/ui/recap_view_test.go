package ui

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/views"
)

func TestARecapShowsSoManyItemsOfEachSection(t *testing.T) {
	v := RecapView{Items: 1, RecapResponse: views.RecapResponse{
		Since: time.Date(2026, 3, 2, 0, 0, 0, 0, time.Local), Until: time.Date(2026, 3, 3, 0, 0, 0, 0, time.Local),
		Days: []views.RecapDay{{
			Day: "2026-03-02", ProjectName: "shop", Sessions: 2,
			Outcomes: []views.RecapItem{{Title: "The fee is rounded."}, {Title: "The export is written."}},
			Failures: []views.RecapFailure{
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
