package engine_test

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/curate"
	"remanence/internal/mem"
)

func TestAHandoffPageSaysEachThingOnce(t *testing.T) {
	s := newStage(t)
	if _, err := s.Views.Handoff(t.Context(), mem.ProjectRef{Project: "all"}); err == nil {
		t.Error("a page on all projects")
	}
	s.play(start("startup"), prompt("p1", "round the card fee half up"),
		failed("p1", "f1", "go test ./fee", "Exit code 1\nfee_test.go:9: fee of 1999 is 87, want 88"),
		edited("p1", "t1", "/home/dev/shop/fee.go", "x / 1000", "(x + 500) / 1000"),
		tool(mem.PostToolUse, "p1", "t2", "Bash", map[string]any{"command": "go test ./fee"}, map[string]any{"stdout": "ok"}),
		stop("p1", "The fee is rounded half up now, because the division cut the remainder off. Still open: the CSV export "+
			"does not show the fee."))
	s.play(in("two", start("startup"), prompt("p2", "now the refunds"),
		failed("p2", "f2", "go test ./refund", "Exit code 1\nrefund_test.go:4: not delivered"))...)
	s.remember(curate.AddRequest{Text: "we keep amounts as integer cents", Kind: mem.Convention})
	got, err := s.Views.Handoff(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	if got.Goal != "now the refunds" || got.Asked != "" || got.Status != "" {
		t.Errorf("goal %q, asked %q, status %q", got.Goal, got.Asked, got.Status)
	}
	if len(got.Sessions) != 2 || got.Sessions[0].ID != "s_2" ||
		!strings.Contains(got.Sessions[1].Outcome, "rounded half up") {
		t.Errorf("sessions %+v", got.Sessions)
	}
	if len(got.DeadEnds) != 1 || !strings.Contains(got.DeadEnds[0].Title, "go test ./refund") || len(got.Blockers) != 0 {
		t.Errorf("dead ends %+v, blockers %q; want the one that still fails, once", got.DeadEnds, got.Blockers)
	}
	if len(got.Open) != 1 || !strings.Contains(got.Open[0].Title, "CSV export") || got.Next == got.Open[0].Title {
		t.Errorf("open %+v, next %q", got.Open, got.Next)
	}
	s.play(in("three", start("startup"))...)
	if later, err := s.Views.Handoff(t.Context(), shop); err != nil || later.Goal != got.Goal {
		t.Errorf("goal %q after a session without a prompt, want %q; %v", later.Goal, got.Goal, err)
	}
	if len(got.Decisions) != 1 || len(got.Lessons) == 0 {
		t.Errorf("decisions %+v, lessons %+v", got.Decisions, got.Lessons)
	}
}

// What is asked last is named even if the session was closed since. What records work in git is of no use to whoever
// goes on, and neither is a check that passed later.
func TestAHandoffPageLeavesOutWhatIsOver(t *testing.T) {
	s := newStage(t)
	ran := func(id, command, output string) mem.Event {
		in, out := map[string]any{"command": command}, map[string]any{"stdout": output}
		return tool(mem.PostToolUse, "p1", id, "Bash", in, out)
	}
	s.play(start("startup"), prompt("p1", "round the card fee half up"),
		failed("p1", "f1", "npm run lint:strict", "Exit code 1\nfee.js:9: unused"),
		failed("p1", "f2", "sed -n 9p test.txt", "Exit code 1\nno such file"),
		failed("p1", "f3", "git commit -m 'round the fee'", "Exit code 1\nlint failed"),
		failed("p1", "f4", "npm run deploy:test", "Exit code 1\nno such host"),
		edited("p1", "t1", "/home/dev/shop/fee.js", "x / 1000", "(x + 500) / 1000"),
		ran("t2", "npm run lint", "ok"), ran("t3", "npm run test 2>&1 | tail -3", "ok"),
		ran("t4", "npm run test 2>&1 | grep -c ok", "3"), ran("t5", "npm run build:css", "ok"),
		ran("t6", "wrap npm run build | tail -3", "error: unrecognized subcommand 'npm'"),
		ran("t7", "git add test.js && git commit -m 'build it' && git status", "ok"),
		stop("p1", "The fee is rounded half up now."))
	s.play(prompt("p2", "now round the refunds, too"), stop("p2", "They are rounded half up, too."),
		mem.Event{Kind: mem.SessionEnd, PromptID: "end", Source: "other"})
	got, err := s.Views.Handoff(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	if got.Goal != "round the card fee half up" || got.Asked != "now round the refunds, too" || got.Status != "" {
		t.Errorf("goal %q, asked %q, status %q", got.Goal, got.Asked, got.Status)
	}
	ends := got.DeadEnds
	if len(ends) != 2 || !strings.Contains(ends[0].Title, "wrap npm run build") ||
		!strings.Contains(ends[1].Title, "npm run deploy:test") || len(got.Blockers) != 0 {
		t.Errorf("dead ends %+v, blockers %q, want the wrapped build and the deploy", ends, got.Blockers)
	}
	want := []string{"npm run build:css", "npm run test"}
	if !slices.Equal(got.Commands, want) {
		t.Errorf("commands %q, want %q", got.Commands, want)
	}
}
