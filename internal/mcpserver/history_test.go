package mcpserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/views"
)

func (n *notebook) blame(_ context.Context, ask views.BlameFileRequest) (views.BlameFileResponse, error) {
	done, err := n.open(ask)
	defer done()
	if ask.File == "gone.go" {
		err = mem.ErrNotFound
	}
	out := views.BlameFileResponse{From: max(ask.From, 1), Total: 5000}
	out.File, out.Lines, out.Known = ask.File, 2000, 1
	for i := range 200 {
		out.Rows = append(out.Rows, views.BlameRow{
			From: 10*i + 1, To: 10*i + 10, Commit: "91ec1e3f00112233", Subject: "retries wait by a timer",
			Text: strings.Repeat("x", 200), Origin: &views.BlameOrigin{
				Session: "s_4d", At: noon, Prompt: "retries must not sleep", Evidence: views.OnlyMade,
				Memory: &views.BlameMemory{ID: "m_1", Title: "Retries wait by a timer.", Trust: mem.TrustUser},
			},
		})
	}
	return out, err
}

func (n *notebook) recap(_ context.Context, ask views.RecapRequest) (views.RecapResponse, error) {
	done, err := n.open(ask)
	defer done()
	out := views.RecapResponse{Since: ask.Since}
	for i := range 60 {
		out.Days = append(out.Days, views.RecapDay{
			Day: fmt.Sprintf("2026-%02d-%02d", 1+i/28, 1+i%28), ProjectName: "shop", Sessions: 1,
			Outcomes: []views.RecapItem{{Title: strings.Repeat("The fee is rounded. ", 10)}, {Title: "two"}, {Title: "three"}},
		})
	}
	return out, err
}

func (n *notebook) propose(_ context.Context, ask views.ProposeFileRequest) (views.ProposeFileResponse, error) {
	done, err := n.open(ask)
	defer done()
	out := views.ProposeFileResponse{}
	out.File = "AGENTS.md"
	out.Lines = []views.ProposedLine{{ID: "m_1", Text: "Always use tabs", Note: "m_1: said 9 times"}}
	out.Contradicted = []views.ContradictedLine{{
		Line: 3, Text: "Retries wait 30 s.", ID: "m_2", Title: "Retries wait 60 s.",
	}}
	return out, err
}

// askHistory plays one call of a server with the history tools and returns the text of its answer.
func askHistory(t *testing.T, n *notebook, name, args string) string {
	t.Helper()
	c := shop(n)
	c.Tools = ToolsMore
	w := dial(t, c)
	w.greet()
	got := w.say(call(name, args), true)
	w.leave()
	if len(got) > 2*MaxAnswer {
		t.Errorf("%s: %d bytes", name, len(got))
	}
	return strings.ReplaceAll(got, `\"`, `"`)
}

func TestTheHistoryToolsAnswerWithinTheirRoom(t *testing.T) {
	for _, tt := range []struct {
		name, args string
		want       []string
	}{
		{"blame", `{"file":"retry.go"}`, []string{
			`"lines":"1-10"`, `"commit":"91ec1e3f00"`, `"by":"only made the commit"`, `"prompt":"retries must not sleep"`,
			`"memory":"m_1"`, `"trust":"L3"`, `"next":{"file":"retry.go","from":`,
		}},
		{"blame", `{"file":"retry.go","from":9,"to":4}`, []string{"from and to name no lines"}},
		{"blame", `{}`, []string{"file is empty"}},
		{"blame", `{"file":"gone.go"}`, []string{"the project has no file gone.go", "name a file of the project"}},
		{"recap", `{"since":"2w"}`, []string{"1 session", "done: The fee is rounded.", "older days are left out"}},
		{"recap", `{"since":"2w","items":1}`, []string{"done: and 2 more"}},
		{"recap", `{"since":"someday"}`, []string{`"error":"bad_arguments"`}},
		{"propose", `{}`, []string{
			`"line":"Always use tabs"`, `"evidence":"m_1: said 9 times"`,
			"line 3: Retries wait 30 s.; m_2 says: Retries wait 60 s.",
			"the user runs: remanence propose AGENTS.md",
		}},
	} {
		got := askHistory(t, stocked(), tt.name, tt.args)
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s %s: no %q in\n%s", tt.name, tt.args, want, got)
			}
		}
	}
}

func TestTheHistoryToolsAreListedOnlyIfChosen(t *testing.T) {
	names := func(choice string) (all string) {
		for _, t := range listed(choice) {
			all += " " + t.name
		}
		return all
	}
	if got := names(""); got != names(ToolsCore) || strings.Contains(got, "blame") {
		t.Errorf("without a choice:%s", got)
	}
	if got := names(ToolsMore); !strings.HasSuffix(got, " blame recap propose") {
		t.Errorf("more:%s", got)
	}
	if got := names(ToolsAll); !strings.Contains(got, " blame recap propose ") {
		t.Errorf("all:%s", got)
	}
}
