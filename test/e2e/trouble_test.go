//go:build e2e

package e2e

import (
	"os"
	"syscall"
	"testing"
)

func TestTurnCutByAnAPIErrorIsNotLost(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	cut := u.run(session{
		script:  script(bash("sh check.sh"), turn{"status": 400, "error_type": "invalid_request_error", "error_message": "scripted bad request"}),
		prompts: []string{"make the check pass"}, fails: true,
	})
	if n := len(cut.hooks()["StopFailure"]); n != 1 {
		t.Fatalf("StopFailure came %d times, want once", n)
	}
	r := u.run(session{script: script(says("I see.")), prompts: []string{"where did we stop?"}})
	wants(t, "next session", r.told(), "last request: make the check pass", "failing: Command failed (exit 3): sh check.sh")
}

// killsTheWorker is the command with which a session kills the worker under it.
const killsTheWorker = `kill -9 $(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' ~/.local/state/remanence/run/runtime.json)`

func TestNothingIsLostWhenTheWorkerIsKilled(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	r := u.run(session{
		script: script(
			bash("sh check.sh"),
			bash(killsTheWorker),
			edits("retry.conf", "limit=many", "limit=5"),
			bash("sh check.sh"),
			says("I decided to use jittered backoff instead of a fixed delay for the webhook sender."),
			says("Still open: the gateway timeout is not covered by a test."),
		),
		prompts: []string{"make the check pass", "what is still open then?"},
	})
	if _, failed := r.hooks()["PostToolUseFailure"]; !failed || len(r.hooks()["PostToolUseFailure"]) != 1 {
		t.Fatalf("failed calls: %v, want the check alone", r.hooks()["PostToolUseFailure"])
	}
	if err := syscall.Kill(u.workerPID(), syscall.SIGKILL); err != nil && !os.IsNotExist(err) {
		t.Logf("kill the worker: %v", err)
	}
	told := u.run(session{script: script(says("I know.")), prompts: []string{aboutSending}}).told()
	wants(t, "after two kills", told, "`sh check.sh` failed (exit 3", "fixed in retry.conf", "jittered backoff", "gateway timeout",
		"last request: what is still open then?")
	u.keeps("jittered backoff")
	for _, m := range u.finds() {
		if m.Kind == "decision" && m.Source.Turn != 1 {
			t.Errorf("the decision of the first prompt is kept as of prompt %d", m.Source.Turn)
		}
	}
}
