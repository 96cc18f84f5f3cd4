//go:build e2e

package e2e

import (
	"strings"
	"testing"
)

// inHand is what a session works on when its context is cut: a check that
// still fails, files read and changed, a figure, an open item.
func inHand(last turn) []turn {
	return []turn{
		bash("sh check.sh"),
		reads("retry.conf"),
		edits("check.sh", "echo ok", "echo fine"),
		last,
	}
}

const stillOpen = "The check still fails. The slowest of the 12 senders took 417 ms. Still open: the gateway " +
	"timeout is not covered by a test."

// workInHand is what has to be back in view after a compaction.
func workInHand() []string {
	return []string{
		"CONTEXT RESTORED (post-compaction)",
		"last request: make the check pass before port 8443 opens",
		"`sh check.sh` exit 3", "retry limit must be a number",
		"retry.conf", "check.sh",
		"417 ms",
		"gateway timeout",
	}
}

func TestWorkInHandIsInjectedAfterCompact(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	turns := append(inHand(says(stillOpen)),
		says("I go on.").given(append(workInHand(), "THE-SUMMARY")...))
	r := u.run(session{
		script:  scene(map[string]any{"compact_summary": "THE-SUMMARY: the root cause was a comet."}, turns...),
		prompts: []string{"make the check pass before port 8443 opens", "/compact", "go on with it"},
		stream:  true,
	})
	compacted(t, r)
	if ms := u.finds("comet"); len(ms) > 0 {
		t.Errorf("the client's summary became a memory: %+v", ms)
	}
}

func TestWorkInHandIsInjectedAfterAutomaticCompaction(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.run(session{script: script(says(stillOpen)), prompts: []string{"how slow are the senders?"}})
	r := u.run(session{
		script: scene(map[string]any{"compact_summary": "THE-SUMMARY"},
			bash("sh check.sh"),
			reads("retry.conf"),
			edits("check.sh", "echo ok", "echo fine").filling(),
			bash("true").given("THE-SUMMARY", "CONTEXT RESTORED (post-compaction)",
				"last request: make the check pass before port 8443 opens", "`sh check.sh` exit 3", "retry.conf",
				"gateway timeout"),
			says("Done."),
		),
		prompts: []string{"make the check pass before port 8443 opens"},
	})
	compacted(t, r)
}

// compacted judges how the hooks behaved around the compaction of a session.
func compacted(t *testing.T, r ran) {
	t.Helper()
	hooks := r.hooks()
	for _, event := range []string{"PreCompact", "PostCompact"} {
		if len(hooks[event]) != 1 {
			t.Errorf("%s came %d times, want once", event, len(hooks[event]))
		}
		wantsSilence(t, event, r.printed(event))
	}
	summarizing := r.requests("compact")
	if len(summarizing) != 1 {
		t.Fatalf("%d requests for a summary, want 1", len(summarizing))
	}
	_, instructions, _ := cutLast(summarizing[0], "detailed summary")
	wantsNot(t, "the summariser's instructions", instructions, "remanence", "[Memory", "checkpoint")
	if ids := r.sent("SessionStart", "session_id"); len(ids) != 2 || ids[0] != ids[1] {
		t.Errorf("sessions started: %v, want the same one twice", ids)
	}
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// What went before a compaction is out of view, so it may be injected again; what
// was injected after it may not.
func TestMemoriesAreInjectedAgainOnceAfterCompaction(t *testing.T) {
	u := learned(t)
	r := u.run(session{
		script: script(
			says("one").given("jittered backoff"),
			says("two").given("jittered backoff"),
			says("three"),
		),
		prompts: []string{aboutSending, "/compact", aboutSending, "and " + aboutSending},
		stream:  true,
	})
	if starts := r.injections("SessionStart"); len(starts) != 2 {
		t.Fatalf("%d briefings, want one at the start and one after the compaction:\n%s", len(starts),
			strings.Join(starts, "\n"))
	} else {
		wants(t, "restore", starts[1], "jittered backoff")
	}
	wantsNot(t, "recall after the restore", strings.Join(r.injections("UserPromptSubmit"), "\n"), "jittered backoff")
}
