//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// A person at the keyboard: allows one command, refuses another, compacts,
// leaves, and comes back.
func TestInteractiveSessionsAreCapturedAndGetMemories(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	first := u.run(session{
		script: script(
			bash("sh check.sh"),
			says("FIRST ANSWER. I decided to use jittered backoff instead of a fixed delay for the webhook sender."),
			bash("rm refused.txt"),
			says("SECOND ANSWER.").given("CONTEXT RESTORED", "`sh check.sh` exit 3", "last request: make the check pass"),
		),
		keys: strings.Join([]string{
			"wait (shortcuts|for agents|❯) 120", "idle 1",
			"type make the check pass",
			"wait (Do you want|proceed) 120", "idle 1", "key Enter",
			"wait FIRST ANSWER 120", "idle 1",
			"type /compact",
			"wait (Compacted|compacted) 120", "idle 1",
			"type remove the file",
			"wait (Do you want|proceed) 120", "idle 1", "key Escape", "idle 1",
			"type /exit", "idle 1",
		}, "\n") + "\n",
	})
	if n := len(first.hooks()["SessionEnd"]); n != 1 {
		t.Errorf("SessionEnd came %d times, want once", n)
	}
	second := u.run(session{
		script: script(says("THIRD ANSWER.").given("=== SESSION BRIEFING ===", "jittered backoff",
			"last request: remove the file", "- interrupted: remove the file")),
		keys: strings.Join([]string{
			"wait (shortcuts|for agents|❯) 120", "idle 1",
			"type " + aboutSending,
			"wait THIRD ANSWER 120", "idle 1",
			"type /exit", "idle 1",
		}, "\n") + "\n",
	})
	wantsNot(t, "second session", second.injected(), "refused.txt")
	wants(t, "recap", u.remanence("recap"), "interrupted: remove the file")
}
