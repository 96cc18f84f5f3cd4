package extract

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/mem"
)

func TestTheApproachOfAPlanIsADecision(t *testing.T) {
	for _, tt := range []struct{ name, plan, want string }{
		{
			"a paragraph",
			"# Plan: Queue in the invoice printer\n\n## Context\n\nThe printer stalls at night.\n\n## Approach\n\n" +
				"Give each tenant a queue of its own and let the workers take turns. Nothing changes for the callers.\n\n" +
				"- A queue holds 50 jobs\n\n## Verification\n\n1. `make test`\n",
			"Queue in the invoice printer: Give each tenant a queue of its own and let the workers take turns. Nothing " +
				"changes for the callers.",
		},
		{
			"a list",
			"# Search box\n\n## Context\n\nNobody finds the box.\n\n## Design\n\n- **Place**: right of the logo\n" +
				"- **Keys**: `/` focuses it\n\n## Steps\n\n1. Move the box\n",
			"Search box: Place: right of the logo; Keys: `/` focuses it",
		},
		{
			"another language",
			"# Rechnungsdruck\n\n## Kontext\n\nDer Drucker steht nachts still.\n\n## Lösung\n\nJeder Mandant bekommt eine " +
				"eigene Warteschlange.\n\n## Prüfung\n\n- `make test`\n",
			"Rechnungsdruck: Jeder Mandant bekommt eine eigene Warteschlange.",
		},
		{
			"directly below the title",
			"# Rename\n\n## Approach\n\nRename `Sender` to `Courier` in all packages and keep an alias for a release.\n",
			"Rename: Rename `Sender` to `Courier` in all packages and keep an alias for a release.",
		},
		{"none", "# Rename\n\n## Context\n\nThe name is old.\n\n## Changes\n\n- `sender.go`: rename it\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := FromPerson(tt.plan, "")
			i := slices.IndexFunc(got, func(p Point) bool { return p.Kind == mem.Decision })
			switch {
			case i < 0 && tt.want != "":
				t.Errorf("no decision in %v", got)
			case i >= 0 && (got[i].Text != tt.want || !got[i].Pasted || got[i].Before):
				t.Errorf("got %+v, want %q", got[i], tt.want)
			}
		})
	}
}

func TestALongApproachIsLeftOut(t *testing.T) {
	long := strings.Repeat("Each tenant gets a queue that holds fifty jobs ", 12)
	for _, p := range FromPerson("# Queue\n\n## Approach\n\n"+long+".\n\n## Steps\n\n1. Go\n", "") {
		if len([]rune(p.Text)) > MaxStatement {
			t.Errorf("%d characters are kept: %s", len([]rune(p.Text)), p.Text)
		}
	}
}

func TestHowThingsAreBeforeAPlanIsMarked(t *testing.T) {
	for _, context := range []string{
		"The tab currently always displays six sections. They are internal details that should only be visible when the " +
			"URL of `tab.tsx` contains `?debug=true`.",
		"The tab currently always displays six collapsible sections (\"Plan of the fixes\", \"Prompt of the fixes\", " +
			"\"Plan of the ideas\", \"Prompt of the ideas\", \"Plan of the rest\", \"Prompt of the rest\", \"Plan of all\"). " +
			"These are debug/internal details that should only be visible when the URL contains the query parameter " +
			"`?debug=true`.",
		"Evaluating a repository with 26 files takes 17 prompts of 170 thousand characters. Two problems:\n\n1. The " +
			"template in `prompt.ts` comes first, so the shared content never benefits from the cache.",
	} {
		points := FromPerson("# Smaller prompts\n\n## Context\n\n"+context+"\n\n## Steps\n\n1. Change `tab.tsx`\n", "")
		if len(points) != 1 || !points[0].Before {
			t.Errorf("%q: %+v, want one point of before the change", context, points)
		}
	}
}

func TestWhatStandsBeforeTheLeadOfAListIsAStatement(t *testing.T) {
	all := Statements("The export is slow. Two problems:\n\n- The sorter is called twice.\n")
	if len(all) != 2 || all[0].Text != "The export is slow." || all[0].under != "" || all[1].under != mem.ErrorFix {
		t.Errorf("got %+v", all)
	}
}

func TestHowThingsAreIsNoRuleOfAPlan(t *testing.T) {
	plan := func(context string) string {
		return "# Log in once\n\n## Context\n\n" + context + "\n\n## Steps\n\n1. Change `login.go`\n"
	}
	for context, want := range map[string]int{
		"Users want to stay logged in on their phone. Currently, they must enter `login.go` codes twice a day.":   0,
		"Benutzer müssen derzeit jeden Code aus `login.go` zweimal am Tag eingeben.":                              0,
		"The codes of `login.go` must never be stored on the phone, since a lost phone would let anybody log in.": 1,
	} {
		if got := FromPerson(plan(context), ""); len(got) != want {
			t.Errorf("%q: %d statements, want %d: %v", context, len(got), want, got)
		}
	}
}
