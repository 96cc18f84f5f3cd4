//go:build e2e

package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// injectedTwice lists the memories that were injected into one conversation more than once.
func injectedTwice(injections string) []string {
	seen, twice := map[string]bool{}, []string{}
	for _, id := range regexp.MustCompile(`\bm_[0-9a-z]+`).FindAllString(injections, -1) {
		if seen[id] {
			twice = append(twice, id)
		}
		seen[id] = true
	}
	return twice
}

func TestAClearedConversationStartsWithThePreviousState(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: script(
			bash("sh check.sh"),
			says("It needs a number. Still open: the gateway timeout is not covered by a test."),
			says("I see.").
				given("=== SESSION BRIEFING ===", "last request: make the check pass",
					"failing: Command failed (exit 3): sh check.sh", "gateway timeout").
				without("CONTEXT RESTORED"),
		),
		prompts: []string{"make the check pass", "/clear", "where were we?"},
		stream:  true,
	})
	starts, ends := r.sent("SessionStart", "session_id"), r.sent("SessionEnd", "reason")
	if len(starts) != 2 || starts[0] == starts[1] {
		t.Errorf("sessions started: %v, want two", starts)
	}
	if len(ends) == 0 || ends[0] != "clear" {
		t.Errorf("sessions ended for: %v, want clear first", ends)
	}
	var now struct {
		Counts struct{ Sessions int }
	}
	u.asks(&now, "status")
	if now.Counts.Sessions != 2 {
		t.Errorf("%d sessions are kept, want 2", now.Counts.Sessions)
	}
}

func TestAResumedConversationGetsNothingThatIsInView(t *testing.T) {
	u := learned(t)
	r := u.run(session{
		script:  script(says("one").given("jittered backoff", "gateway timeout"), says("two").given("jittered backoff")),
		prompts: []string{aboutSending, "once more, " + aboutSending},
	})
	if got := r.sent("SessionStart", "source"); strings.Join(got, " ") != "startup resume" {
		t.Fatalf("sessions started by %v, want startup and resume", got)
	}
	if twice := injectedTwice(r.injected()); len(twice) > 0 {
		t.Errorf("injected twice: %v in\n%s", twice, r.injected())
	}
	if n := strings.Count(r.last(), "jittered backoff"); n != 1 {
		t.Errorf("the decision is %d times in view, want once", n)
	}
}

func TestAForkGetsNothingThatItsParentGot(t *testing.T) {
	u := learned(t)
	parent := u.run(session{script: script(says("one")), prompts: []string{aboutSending}})
	fork := u.run(session{
		args: "--continue --fork-session", script: script(says("two").given("jittered backoff")),
		prompts: []string{"once more, " + aboutSending},
	})
	if got := fork.sent("SessionStart", "source"); strings.Join(got, " ") != "fork" {
		t.Fatalf("session started by %v, want fork", got)
	}
	if a, b := parent.sent("SessionStart", "session_id")[0], fork.sent("SessionStart", "session_id")[0]; a == b {
		t.Errorf("the fork is session %s, as its parent", b)
	}
	if twice := injectedTwice(parent.injected() + fork.injected()); len(twice) > 0 {
		t.Errorf("injected twice: %v in\n%s", twice, fork.injected())
	}
}

// A resumed session gets what was learned elsewhere in the meantime.
func TestAResumedConversationGetsWhatIsNew(t *testing.T) {
	u := learned(t)
	u.run(session{script: script(says("one")), prompts: []string{aboutSending}})
	u.remanence("add", "the webhook sender waits at most 90 seconds", "-k", "decision")
	u.run(session{
		args: "--continue", script: script(says("two").given("at most 90 seconds")),
		prompts: []string{"once more, " + aboutSending},
	})
}
