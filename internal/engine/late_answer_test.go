package engine_test

import (
	"testing"
	"time"

	"remanence/internal/mem"
)

// A client on a busy machine reports the end of a turn before its transcript has the answer.
func TestAnAnswerThatIsWrittenLateIsKept(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "what shall we throw with?"), ran("p1", "t1", "sh check.sh", "ok"))
	before := s.clock.Add(-time.Minute)
	s.said = []mem.Quote{{Who: "user", Text: "what shall we throw with?", At: before}}
	for _, text := range []string{"", "I decided to let the shell see."} { // before the tool ran
		if text != "" {
			s.said = append(s.said, mem.Quote{Who: "assistant", Text: text, At: before})
		}
		e := stop("p1", "")
		e.Transcript = "/home/dev/.copilot/session-state/one/events.jsonl"
		if text == "" {
			s.play(e)
		}
		s.clock = s.clock.Add(10 * time.Second)
		s.works()
		if got := s.words("one"); len(got) > 0 {
			t.Fatalf("kept before the answer was written:\n%s", titles(got))
		}
	}
	const answer = "I decided to use a ballista instead of a catapult, because it is lighter."
	s.said = append(s.said, mem.Quote{Who: "assistant", Text: answer, At: s.clock})
	s.clock = s.clock.Add(10 * time.Second)
	s.works()
	if got := titles(s.words("one")); got != "decision: "+answer {
		t.Errorf("kept %q, want the answer's decision", got)
	}
}
