package cli

import (
	"strings"
	"testing"

	"remanence/internal/cli/ui"
	"remanence/internal/mem"
	"remanence/internal/views"
)

func TestStatsDrawsItsBarsToScale(t *testing.T) {
	v := ui.StatsView{
		EconomyResponse: views.EconomyResponse{
			Project: mem.Project{Name: "till"}, Days: make([]views.EconomyDay, 3), Injected: 4, Used: 1,
			Total: views.EconomyDay{Tokens: map[string]int{"prompt": 1200}, Injected: 1},
			Dead:  []views.DeadItem{{ID: "m_1", Title: "an old habit", Injections: 6, Tokens: 90}},
		},
		By: "day", Unit: "tokens", Bars: []ui.StatsBar{
			{Name: "2026-03-01", Value: 0},
			{Name: "2026-03-02", Value: 1200},
			{Name: "2026-03-03", Value: 1},
		},
	}
	p, out := testPrinter(80)
	v.Print(p)
	got := out.String()
	for _, want := range []string{
		"1,200 tokens in 1 injection", "1 of 4 items injected were used afterwards (25 %)",
		"m_1  6×", "remanence forget m_1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "2026-03-01") {
		t.Errorf("days before the first with anything are shown:\n%s", got)
	}
	if full, least := strings.Count(got, "█"), ui.Bar(1, 1200, 50); full < 20 || least != "▏" {
		t.Errorf("the longest bar has %d cells, the least is %q", full, least)
	}
}
