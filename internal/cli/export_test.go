package cli

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/mem"
	"remanence/internal/views"
	"remanence/internal/workstate"
)

func TestAnExportedPageHoldsTextAndNothingThatRuns(t *testing.T) {
	evil := "</td><script>alert(1)</script> \x1b[31m \u202e\"'><img src=x onerror=alert(1)>"
	s := workstate.State{
		Project: mem.Project{Key: "p_1", Name: evil}, Phase: evil, Status: evil, Active: []string{evil},
		Blockers: []string{evil}, Next: evil,
		Progress:  []workstate.Item{{Section: evil, Text: evil, Done: true}},
		Decisions: []workstate.Decision{{Title: evil, Text: "another " + evil, Rationale: evil}},
		Sessions:  []workstate.Session{{Title: evil, Summary: evil}},
	}
	page := ui.OverviewPage(views.OverviewResponse{
		At:       time.Now(),
		Projects: []views.OverviewRow{{State: s, Stale: true, Memories: 3}},
	})
	for _, bad := range []string{"<script", "<img", "\x1b", "\u202e", "\"'>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	for _, want := range []string{
		"&lt;script&gt;", "default-src 'none'", "stale", "(done)", "another ",
		`<td class="n">1</td><td class="n">3</td><td class="n">0</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if strings.Count(page, "<td") != strings.Count(page, "</td>") {
		t.Error("a text closes a cell")
	}
}
