package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
)

const clockError = "Exit code 1\nretry_test.go:9: undefined: clock.NewFake"

// again returns the line on a failure that occurred before, without its id and age; empty if the block has none.
func again(r mem.Reply) string {
	for line := range strings.Lines(r.Context) {
		if _, text, ok := strings.Cut(line, ": "); ok && strings.Contains(line, "failed in this way before") {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

func TestAFailureThatOccursAgainIsCounted(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the retry test pass"))
	if got := again(s.play(failed("p1", "t1", "go test ./retry", clockError))); got != "" {
		t.Errorf("the first failure says %q", got)
	}
	s.play(edited("p1", "t2", "/home/dev/shop/retry/clock.go", "real", "fake"))
	got := again(s.play(failed("p1", "t3", "go test ./retry", clockError)))
	want := "`go test ./retry` failed in this way before: once in this session. Edits of retry/clock.go did not help."
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := again(s.play(failed("p1", "t4", "go test ./retry", clockError))); got != "" {
		t.Errorf("it is said twice in a session: %q", got)
	}
	s.play(stop("p1", "It still fails."))

	s.clock = s.clock.Add(72 * time.Hour)
	s.inSession = "two"
	s.play(start("startup"), prompt("p2", "look at the retry test again"))
	got = again(s.play(failed("p2", "t5", "go test ./retry", clockError)))
	want = "`go test ./retry` failed in this way before: 3 times in an earlier session. " +
		"Edits of retry/clock.go did not help."
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestAnotherFailureOfTheCommandIsNotCounted(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the retry test pass"),
		failed("p1", "t1", "go test ./retry", clockError))
	got := s.play(failed("p1", "t2", "go test ./retry", "Exit code 1\nretry_test.go:30: connection refused by upstream"))
	if again(got) != "" {
		t.Errorf("another failure says %q", again(got))
	}
}

func TestTheCountOfAFailureComesBeforeTheFixOfAnotherOne(t *testing.T) {
	const refused = "Exit code 1\nretry_test.go:30: connection refused by upstream"
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the retry test pass"),
		failed("p1", "t1", "go test ./retry", clockError),
		edited("p1", "t2", "/home/dev/shop/retry/clock.go", "real", "fake"), ran("p1", "t3", "go test ./retry", "ok"),
		stop("p1", "It passes."))
	s.inSession = "two"
	s.play(start("startup"), prompt("p2", "run the tests"), failed("p2", "t4", "go test ./retry", refused),
		stop("p2", "The upstream is down."))
	s.inSession = "three"
	s.settings.Budgets.SessionStart = 0 // else the fix was injected already
	got := s.play(start("startup"), prompt("p3", "run the tests"), failed("p3", "t5", "go test ./retry", refused)).Context
	count, fix := strings.Index(got, "failed in this way before"), strings.Index(got, "clock.NewFake")
	if count < 0 || fix < 0 || fix < count {
		t.Errorf("the count at %d, the fix of another failure at %d in\n%s", count, fix, got)
	}
}

func TestAFailureBehindAPipeCountsAsOneThatTheClientReports(t *testing.T) {
	const piped = "go test ./retry 2>&1 | tail -20"
	output := strings.TrimPrefix(clockError, "Exit code 1\n") + "\nFAIL\tshop/retry [build failed]\n"
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the retry test pass"))
	if got := again(s.play(ran("p1", "t1", piped, output))); got != "" {
		t.Errorf("the first failure says %q", got)
	}
	title := "Command failed (exit 1): go test ./retry | Error: retry_test.go:9: undefined: clock.NewFake"
	if got := s.titles(); len(got) != 1 || !strings.HasPrefix(got[0], title) {
		t.Errorf("kept %q", got)
	}
	other := "retry_test.go:30: connection refused by upstream\nFAIL\tshop/retry\t0.1s\n"
	if got := again(s.play(ran("p1", "t2", piped, other))); got != "" {
		t.Errorf("another failure says %q", got)
	}
	s.play(ran("p1", "t3", piped, "ok  \tshop/retry\t0.1s\n--- the log of a test: error: refused\n"))
	got := again(s.play(failed("p1", "t4", "go test ./retry", clockError)))
	want := "`go test ./retry` failed in this way before: once in this session. It worked later."
	if got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestWhereItIsKnownWhatHelpedNoOtherFailureIsInjected(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the retry test pass"),
		failed("p1", "t1", "go test ./retry", clockError),
		edited("p1", "t2", "/home/dev/shop/retry/clock.go", "real", "fake"),
		ran("p1", "t3", "go test ./retry", "ok"), stop("p1", "It passes."),
		prompt("p2", "and now the limit"),
		failed("p2", "t4", "go test ./retry", "Exit code 1\n--- FAIL: TestLimit\n    limit_test.go:9: endless recursion"),
		edited("p2", "t5", "/home/dev/shop/retry/limit.go", "0", "3"),
		ran("p2", "t6", "go test ./retry", "ok"), stop("p2", "It passes."))
	s.inSession = "two"
	s.play(start("startup"), prompt("p3", "look at the retry test again"))
	r := s.play(failed("p3", "t7", "go test ./retry", clockError))
	wants(t, "the failure", r.Context, "failed in this way before", "fixed in clock.go")
	wantsNot(t, "the failure", r.Context, "limit.go")
}

func TestAFailureThatWasFixedSaysSo(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "make the retry test pass"),
		failed("p1", "t1", "go test ./retry", clockError),
		edited("p1", "t2", "/home/dev/shop/retry/clock.go", "real", "fake"),
		ran("p1", "t3", "go test ./retry", "ok"), stop("p1", "It passes."))
	s.clock = s.clock.Add(72 * time.Hour)
	s.inSession = "two"
	s.play(start("startup"), prompt("p2", "look at the retry test again"))
	r := s.play(failed("p2", "t4", "go test ./retry", clockError))
	want := "`go test ./retry` failed in this way before: once in an earlier session. " +
		"What helped (m_3): fixed in clock.go."
	if again(r) != want {
		t.Errorf("got  %q\nwant %q", again(r), want)
	}
}

func TestAFailureOfAnyEarlierSessionIsCounted(t *testing.T) {
	const refused = "Exit code 1\nretry_test.go:30: connection refused by upstream"
	play := func(s *stage, session, failure string, times int) string {
		t.Helper()
		s.clock = s.clock.Add(24 * time.Hour)
		s.inSession = session
		s.play(start("startup"), prompt("p"+session, "make the retry test pass"))
		said := ""
		for i := range times {
			said = again(s.play(failed("p"+session, fmt.Sprint("t", session, i), "go test ./retry", failure)))
		}
		s.play(stop("p"+session, "It still fails."))
		return said
	}
	for name, c := range map[string]struct {
		first int // times that it failed in the first session
		later string
		want  string
	}{
		"the same in all": {1, clockError, "`go test ./retry` failed in this way before: 9 times in 9 earlier sessions. " +
			"Nothing is known to have helped."},
		"more than once in the first": {3, clockError, "`go test ./retry` failed in this way before: " +
			"at least 9 times in 9 earlier sessions. Nothing is known to have helped."},
		"another one since": {1, refused, "`go test ./retry` failed in this way before: once in an earlier session. " +
			"Nothing is known to have helped."},
	} {
		s := newStage(t)
		play(s, "s0", clockError, c.first)
		for i := range 8 {
			play(s, fmt.Sprint("s", i+1), c.later, 1)
		}
		if got := play(s, "s9", clockError, 1); got != c.want {
			t.Errorf("%s: got  %q\nwant %q", name, got, c.want)
		}
		if got := play(s, "s10", "Exit code 1\nretry_test.go:7: no space left on device", 1); got != "" {
			t.Errorf("%s: after another failure: %q", name, got)
		}
	}
}
