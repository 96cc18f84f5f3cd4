package engine_test

import (
	"strings"
	"testing"
	"time"
)

// A client with a plugin and with hooks reports the start of a session twice, and does not wait for the first report
// before it reports the prompt.
func TestASessionThatStartsTwiceAtOnceIsBriefedOnce(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.inSession = "two"
	briefing := func(reply string) bool { return strings.Contains(reply, "SESSION BRIEFING") }
	if r := s.play(start("startup")); !briefing(r.Context) {
		t.Fatalf("the first start got %q", r.Context)
	}
	s.play(prompt("p2", "go on"))
	if r := s.play(start("startup")); r.Context != "" {
		t.Errorf("the second start got %q", r.Context)
	}
	s.inSession = "three"
	if r := s.play(start("startup")); !briefing(r.Context) {
		t.Errorf("another session got %q", r.Context)
	}
	s.inSession = "two"
	s.clock = s.clock.Add(time.Minute)
	if r := s.play(start("startup")); !briefing(r.Context) {
		t.Errorf("a later start got %q", r.Context)
	}
}
