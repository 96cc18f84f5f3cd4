package engine_test

import (
	"strings"
	"testing"

	"remanence/internal/mem"
)

// A turn that only commits is summarised by the subject of the commit: that files were committed says nothing later.
func TestACommitIsSummarisedByItsSubject(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "commit it"),
		ran("p1", "t1", "git add -A && git commit -m 'Retries use the fake clock'",
			"[main 1a2b3c4] Retries use the fake clock\n 8 files changed"),
		stop("p1", "Committed all 8 files."))
	sums := must(s.store.List(t.Context(), mem.Query{Session: "one", Within: "*", Kinds: []mem.Kind{mem.Summary}}))
	if want := "summary: committed 1a2b3c4: Retries use the fake clock"; titles(sums) != want {
		t.Errorf("got %q, want %q", titles(sums), want)
	}
}

// A command that was called wrongly does not stay open once it was called rightly; how it is called is the fix.
func TestACommandThatWasCalledWronglyIsFixedByTheRightCall(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "run the tests"),
		failed("p1", "t1", "rtk bun run test", "Exit code 2\nerror: unrecognized subcommand 'bun'"),
		ran("p1", "t2", "bun run test", "12 pass"), stop("p1", "They pass."))
	open := must(s.store.List(t.Context(), mem.Query{
		Session: "one", Within: "*", Kinds: []mem.Kind{mem.Command}, Open: true,
	}))
	if len(open) > 0 {
		t.Errorf("still open: %s", titles(open))
	}
	fixes := must(s.store.List(t.Context(), mem.Query{
		Session: "one", Within: "*", Kinds: []mem.Kind{mem.ErrorFix},
	}))
	if !strings.Contains(titles(fixes), "`rtk bun run test` failed (unrecognized subcommand 'bun')") ||
		!strings.Contains(titles(fixes), "done by `bun run test`") {
		t.Errorf("the fix is %q", titles(fixes))
	}
}

// The right call may fail for a reason of its own first: both failures have their fix then.
func TestAWrongCallAndAFailureOfTheRightOneAreTwoFixes(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "run the tests"),
		failed("p1", "t1", "rtk bun run test", "Exit code 2\nerror: unrecognized subcommand 'bun'"),
		failed("p1", "t2", "bun run test", "Exit code 1\n(fail) fee > rounds up"),
		edited("p1", "t3", "/home/dev/shop/fee.ts", "floor", "ceil"),
		ran("p1", "t4", "bun run test 2>&1 | tail -3", " 12 pass\n 0 fail\nRan 12 tests across 3 files."),
		stop("p1", "They pass."))
	fixes := titles(must(s.store.List(t.Context(), mem.Query{
		Session: "one", Within: "*", Kinds: []mem.Kind{mem.ErrorFix},
	})))
	wants(t, "fixes", fixes, "unrecognized subcommand 'bun'), done by `bun run test`", "fixed in fee.ts")
	wantsNot(t, "summary", s.summaries("one")[0].Body, "works now")
}

// A session is named by what it committed, or by the plan that it carried out, and not by the check at the end.
func TestASessionIsNamedByItsCommitOrItsPlan(t *testing.T) {
	const plan = "Implement the following plan:\n\n# Plan: Retry with the fake clock\n\n## Steps\n- use it in `send.go`\n"
	turn := []mem.Event{
		start("startup"), prompt("p1", plan), edited("p1", "t1", "/home/dev/shop/send.go", "time.After", "clock.After"),
		stop("p1", "All 12 tests pass and lint is clean."),
	}
	s := newStage(t)
	s.play(turn...)
	wants(t, "the turn's summary", titles(s.summaries("one")), "summary: implemented: Retry with the fake clock")
	s.play(prompt("p2", "commit this"), ran("p2", "t2", "git commit -am 'Retries use the fake clock'",
		"[main 1a2b3c4] Retries use the fake clock"),
		stop("p2", "The commit includes: `send.go` uses `clock.After`, because `time.After` cannot be set in a test."),
		mem.Event{Kind: mem.SessionEnd, Source: "other"})
	wants(t, "the session's summary", s.summaries("one")[0].Title, "committed 1a2b3c4: Retries use the fake clock")
	for _, mm := range s.words("one") {
		if mm.Source.PromptID == "p2" && mm.Kind != mem.Summary {
			t.Errorf("kept of the answer that only repeats: %s", mm.Title)
		}
	}
	if got := s.summaries("one")[0].Title; strings.Contains(got, "implemented") {
		t.Errorf("the session's summary says the plan beside its commit: %s", got)
	}
	wants(t, "the next briefing", s.play(in("two", start("startup"))...).Context,
		"last request: Implement the following plan: Retry with the fake clock")
}

func TestACommitOfWhichNothingIsPrintedIsNamedByItsSubject(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "commit"), ran("p1", "t1",
		"rtk git add fee.go && rtk git commit -m \"$(cat <<'EOF'\nRound the fee up\n\n- fee.go: ceil\nEOF\n)\"",
		"ok ✓ 8 files changed"), stop("p1", "Done. Committed all 8 files."))
	if got := titles(s.summaries("one")); !strings.Contains(got, "committed Round the fee up") ||
		strings.Contains(got, "8 files") {
		t.Errorf("got\n%s", got)
	}
}

// What an agent says of git after a request for a commit is left out even where no commit was made: it often guesses.
func TestTheAnswerToARequestForACommitIsNoSummary(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "commit"),
		failed("p1", "t1", "git commit -m 'Round the fee up'", "Exit code 1\nno changes added to commit"),
		stop("p1", "The post-commit hook amended the previous commit, and put both changes of the fee into it."))
	if got := titles(s.summaries("one")); got != "" {
		t.Errorf("got %s", got)
	}
}

// The title of a plan may say no more than "Improve X", and the first sentence of the answer that a name was imported.
func TestThePlanThatWasCarriedOutIsSummarisedWithItsChange(t *testing.T) {
	summary := func(title string) string {
		s := newStage(t)
		s.play(start("startup"),
			prompt("p1", "Implement the following plan:\n\n# Plan: "+title+"\n\n## Steps\n- see `fee.ts`\n"),
			edited("p1", "t1", "/home/dev/shop/fee.ts", "floor(x)", "import { round_half } from 'm';\nroundHalfEven(x)"),
			stop("p1", "Done. Here is what I did:\n\n- Imported `round_half` from the library\n"+
				"- Replaced `floor` with `roundHalfEven` in `fee.ts`, because `floor` lost a cent of every third order"))
		return s.summaries("one")[0].Body
	}
	wants(t, "the turn's summary", summary("Improve the rounding"),
		"implemented: Improve the rounding; Replaced `floor` with `roundHalfEven`")
	wantsNot(t, "beside a long title", summary("Improve the rounding"+strings.Repeat(" of fees", 19)), "Replaced")
}

// Between a failure and the success of a command much may be changed. The fix names first what the failure names, and
// then what was changed first.
func TestAFixNamesTheFileOfItsFailureFirst(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make it pass"),
		failed("p1", "t1", "bun run test", "Exit code 1\n(fail) fee > rounds up\n at fee.test.ts:12"),
		edited("p1", "t2", "/home/dev/shop/cart.ts", "let a", "const a"),
		edited("p1", "t3", "/home/dev/shop/fee.test.ts", "toBe(2)", "toBe(3)"),
		edited("p1", "t4", "/home/dev/shop/notes.md", "two", "three"),
		ran("p1", "t5", "bun run test", " 12 pass\n 0 fail"), stop("p1", "It passes."))
	fixes := must(s.store.List(t.Context(), mem.Query{
		Session: "one", Within: "*", Kinds: []mem.Kind{mem.ErrorFix},
	}))
	wants(t, "the fix", titles(fixes), "fixed in fee.test.ts and 2 other files")
	wants(t, "its steps", fixes[0].Body, "Edited cart.ts: replaced 'let a' with 'const a'\nEdited notes.md")
}

// That a check of the work passes in the end is said only where nothing else is known of a turn.
func TestACheckThatPassesInTheEndIsNoPartOfAnOutcome(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "round it up"),
		edited("p1", "t1", "/home/dev/shop/fee.ts", "floor(total( x ))", "ceil(total( x ))"),
		failed("p1", "t2", "bun run lint", "Exit code 1\n$ biome check --error-on-warnings\nfee.ts:3:1 format"),
		edited("p1", "t3", "/home/dev/shop/fee.ts", "total( x )", "total(x)"),
		ran("p1", "t4", "bun run lint", "No fixes applied."),
		stop("p1", "The fee is rounded up with `ceil` now, since `floor` lost a cent of every third order."))
	wantsNot(t, "the turn's summary", s.summaries("one")[0].Body, "works now")
}
