package engine_test

import (
	"testing"

	"remanence/internal/mem"
)

// If the daemon is killed between storing an event and answering it, the hook that delivers the event again gets the
// injection of the receipt. A second hook that reports the same event does not.
func TestLostAnswerIsGivenAgainOnRedelivery(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.settings.Budgets.SessionStart = 0
	asks := prompt("q1", "why did two logins race for the session lock?")
	asks.Session = "second"
	s.play(in("second", start("startup"))...)
	injected := s.play(asks)
	wants(t, "the first time", injected.Context, "login race")
	if got := s.play(asks); !got.Empty() {
		t.Errorf("a second report of it is injected\n%s", got.Context)
	}
	asks.Redelivered = true
	if got := s.play(asks); got.Context != injected.Context {
		t.Errorf("asked again, injected\n%s\nwant\n%s", got.Context, injected.Context)
	}
	asks.InjectionOff = true
	if got := s.play(asks); !got.Empty() {
		t.Errorf("injected although injections are off:\n%s", got.Context)
	}
	if rs, err := s.store.Receipts(t.Context(), mem.ReceiptQuery{Session: "second", Trigger: "prompt"}); err != nil ||
		len(rs) != 1 {
		t.Errorf("%d receipts of it, %v; want one", len(rs), err)
	}
}

// A hook that had no answer in time keeps its event in the spool. The receipt that the daemon wrote meanwhile was not
// injected.
func TestUndeliveredInjectionIsInjectedAgain(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.settings.Budgets.SessionStart = 0
	s.play(in("second", start("startup"))...)
	asks := prompt("q1", "why did two logins race for the session lock?")
	asks.Session = "second"
	injected := s.play(asks)
	wants(t, "the first time", injected.Context, "login race")

	asks.Agent, asks.At, asks.Root = "claude-code", s.clock, "/home/dev/shop"
	asks.Identify("spooled")
	for range 2 { // a batch of the spool may come again
		if err := s.Replay(t.Context(), []mem.Event{asks}); err != nil {
			t.Fatal(err)
		}
	}
	if rs, err := s.store.Receipts(t.Context(), mem.ReceiptQuery{Session: "second", Trigger: "prompt"}); err != nil ||
		len(rs) != 0 {
		t.Errorf("%d receipts of undelivered injections, %v; want none", len(rs), err)
	}
	again := prompt("q2", "why did two logins race for the session lock, again?")
	again.Session = "second"
	wants(t, "when it is asked again", s.play(again).Context, "login race")
}
