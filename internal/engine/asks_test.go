package engine_test

import (
	"strings"
	"testing"

	"remanence/internal/mem"
)

func TestAssentIsNotTheLastRequest(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "[Image #1] move the legend of the revenue chart below the axis"),
		edited("p1", "t1", "/home/dev/shop/chart.tsx", "top", "bottom"),
		stop("p1", "The legend of the revenue chart is below the axis now."),
		prompt("p2", "yes"), edited("p2", "t2", "/home/dev/shop/chart.tsx", "8px", "16px"),
		stop("p2", "Done. The legend has a margin of 16 px now."),
		prompt("p3", "great, thanks!"), stop("p3", "You're welcome!"),
		prompt("p4", "thx, brb"), stop("p4", "Take your time!"), prompt("p5", "perfect. that's it for today"),
		stop("p5", "See you!"),
		mem.Event{Kind: mem.SessionEnd})
	injected := s.play(in("two", start("startup"))...).Context
	wants(t, "briefing", injected, "last request: move the legend of the revenue chart below the axis")
	wantsNot(t, "briefing", injected, "[Image #1]", "great, thanks", "brb", "for today", "Done.", "welcome")
	for _, sum := range s.summaries("one") {
		if strings.HasPrefix(sum.Title, "yes") || strings.HasPrefix(sum.Title, "great") {
			t.Errorf("a summary is called %q", sum.Title)
		}
	}
	wants(t, "summary of the turn", titles(s.summaries("one")), "summary: The legend has a margin of 16 px now;")
}

func TestASessionIsNamedForTheFirstPromptThatAsks(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "continue"), prompt("p2", "move the legend of the revenue chart"))
	if got := s.session("one").FirstPrompt; got != "move the legend of the revenue chart" {
		t.Errorf("called %q", got)
	}
	s.play(in("two", start("startup"), prompt("p1", "/fix-issue 123"))...)
	if got := s.session("two").FirstPrompt; got != "/fix-issue 123" {
		t.Errorf("a command that asks: called %q", got)
	}
}

func TestASessionIsNotNamedForItsGreeting(t *testing.T) {
	for said, want := range map[string]string{
		"Hello there! Thanks for last week! The invoice has no total.": "The invoice has no total.",
		"Moin! die Rechnung hat keine Summe":                           "die Rechnung hat keine Summe",
		"おはよう。請求書に合計がない。直して。":                                          "請求書に合計がない。直して。",
		"Hello world does not compile. Fix it.":                        "Hello world does not compile. Fix it.",
		"No! Two decimals.":                                            "No! Two decimals.",
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", said))
		if got := s.session("one").FirstPrompt; got != want {
			t.Errorf("%q: called %q, want %q", said, got, want)
		}
	}
}

func TestASessionIsNamedForTheRequestThatWasBrokenOff(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "set up vitest for the cart"), prompt("p2", "no, use pnpm!"),
		edited("p2", "t1", "/home/dev/shop/cart.test.ts", "a", "b"), stop("p2", "The cart has three tests now."),
		prompt("p3", "and for the forms"), edited("p3", "t2", "/home/dev/shop/form.test.ts", "a", "b"),
		stop("p3", "The forms have five tests now."), mem.Event{Kind: mem.SessionEnd})
	if got := s.summaries("one")[0]; got.Summary.Request != "set up vitest for the cart" ||
		!strings.Contains(got.Title, "The cart has three tests now") {
		t.Errorf("called %q, asked %q", got.Title, got.Summary.Request)
	}
}

func TestWhatCameOfATurnIsNoApology(t *testing.T) {
	for answer, want := range map[string]string{
		"Found it. The cursor holds microseconds, not milliseconds.": "The cursor holds microseconds, not " +
			"milliseconds; changed cursor.ts",
		"You're right, sorry about that. The cursor holds microseconds now.": "The cursor holds microseconds now; changed " +
			"cursor.ts",
		"Erledigt. Die Ports der Dienste sind unverändert.": "Die Ports der Dienste sind unverändert; changed cursor.ts",
		"Done.": "changed cursor.ts",
	} {
		s := newStage(t)
		s.play(start("startup"), prompt("p1", "why does the cursor of the second page fail?"),
			edited("p1", "t1", "/home/dev/shop/cursor.ts", "a", "b"), stop("p1", answer))
		for _, sum := range s.summaries("one") {
			if got := sum.Summary.Completed; !strings.HasPrefix(got, want) {
				t.Errorf("%q: completed is %q, want %q", answer, got, want)
			}
		}
	}
}

func TestARuleEndsBeforeTheRequestBehindIt(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "we always deploy with `make ship`. fix the typo in the notes"),
		stop("p1", "The typo in the notes is fixed."))
	got := titles(s.words("one"))
	wants(t, "kept", got, "convention: we always deploy with `make ship`.")
	wantsNot(t, "kept", got, "fix the typo")
}

func TestFixIsInjectedWithItsCause(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "the type check fails, please mend it"),
		failed("p1", "t1", "pnpm tsc", "Exit code 2\nmoney.ts(8,3): error TS2322"),
		edited("p1", "t2", "/home/dev/shop/money.ts", "number", "bigint"), edited("p1", "t3", "/home/dev/shop/refund.ts", "x",
			"y"), ran("p1", "t4", "pnpm tsc", ""),
		stop("p1", "1. `money.ts`: `toCents` returned a `number` where a `bigint` is declared. Fixed by wrapping the "+
			"result in `BigInt(...)`."))
	got := titles(s.words("one"))
	wants(t, "kept", got, "`toCents` returned a `number` where a `bigint` is declared. Fixed by wrapping")
	wantsNot(t, "kept", got, "error_fix: Fixed by", "failed (exit 2")
}

// A session in which nothing was done or learned leaves the state of the work as it was, and is listed
// nowhere. One that was broken off at its prompt is the state.
func TestASessionThatLeftNothingIsPassedOver(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "move the legend of the revenue chart below the axis"),
		edited("p1", "t1", "/home/dev/shop/chart.tsx", "top", "bottom"),
		stop("p1", "The legend of the revenue chart is below the axis now."), mem.Event{Kind: mem.SessionEnd})
	s.play(in("two", start("startup"), prompt("q1", "go on with the chart"), stop("q1", "I go on."),
		mem.Event{Kind: mem.SessionEnd})...)
	injected := s.play(in("three", start("startup"))...).Context
	wants(t, "briefing", injected, "last request: move the legend", "files in edit: chart.tsx")
	wantsNot(t, "briefing", injected, "go on with the chart")
	s.play(in("three", prompt("r1", "now the colours of the bars"))...)
	wants(t, "after a session that was broken off", s.play(in("four", start("startup"))...).Context,
		"last request: now the colours of the bars")
}
