//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestATurnEndedByAnAPIErrorIsKept(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	broken := map[string]any{
		"name": "broken", "match": "limit must be a number", "on": "any", "loop": true,
		"turns": []turn{{"status": 400, "error_type": "invalid_request_error", "error_message": "scripted bad request"}},
	}
	cut := u.run(session{
		script:  scene(map[string]any{"conversations": []any{broken}}, bash("sh check.sh")),
		prompts: []string{"make the check pass"}, fails: true,
	})
	if n := len(cut.hooks()["StopFailure"]); n > 1 { // none where the client left sooner than the call began
		t.Fatalf("StopFailure came %d times, want once at most", n)
	}
	r := u.run(session{script: script(says("I see.")), prompts: []string{"where did we stop?"}})
	wants(t, "next session", r.injected(), "last request: make the check pass",
		"failing: Command failed (exit 3): sh check.sh")
}

// killsTheWorker is the command with which a session kills the worker under it.
const killsTheWorker = `kill -9 $(sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' ~/.local/state/remanence/run/runtime.json)`

func TestNothingIsLostWhenTheDaemonIsKilledDuringASession(t *testing.T) {
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
	if failed := r.hooks()["PostToolUseFailure"]; len(failed) != 1 {
		t.Fatalf("failed calls: %v, want the check alone", failed)
	}
	injected := u.run(session{script: script(says("I know.")), prompts: []string{aboutSending}}).injected()
	wants(t, "next session", injected, "fixed: `sh check.sh`", "jittered backoff", "gateway timeout",
		"last request: what is still open then?")
	wants(t, "the fix", u.keeps("fixed in retry.conf").Title, "`sh check.sh` failed (")
	if decision := u.keeps("jittered backoff"); decision.Source.Prompt != 1 {
		t.Errorf("the decision of the first prompt is kept as of prompt %d", decision.Source.Prompt)
	}
}

func TestNothingIsLostWhenTheDaemonIsKilledBetweenSessions(t *testing.T) {
	u := learned(t)
	u.keeps("gateway timeout")
	before := u.worker().PID
	if err := syscall.Kill(before, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	injected := u.run(session{script: script(says("I know.")), prompts: []string{aboutSending}}).injected()
	wants(t, "next session", injected, "exit 3", "fixed in retry.conf", "jittered backoff", "must not hold a unit",
		"gateway timeout", "last request: make the check pass")
	if now := u.worker().PID; now == before {
		t.Errorf("the worker is still %d, which was killed", now)
	}
}

func TestANewerProgramReplacesTheDaemon(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	old := u.copied(filepath.Join(u.dir, "old/remanence"), time.Now().Add(-24*time.Hour))
	u.run(session{program: old, script: "learn.json", prompts: []string{"make the check pass"}})
	u.keeps("gateway timeout")
	r := u.run(session{script: script(says("I know.")), prompts: []string{aboutSending}})
	wants(t, "the newer program's session", r.injected(), "exit 3", "jittered backoff", "gateway timeout",
		"last request: make the check pass")
	if exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", u.worker().PID)); exe != binary {
		t.Errorf("the worker is %q, want %q", exe, binary)
	}
}

// As where a plugin and the settings bring a program each.
func TestANewerProgramReplacesADaemonThatJustStarted(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.remanence("add", "the webhook sender uses jittered backoff", "-k", "decision")
	u.remanence("daemon", "stop")
	old := u.copied(filepath.Join(u.dir, "old/remanence"), time.Now().Add(-24*time.Hour))
	wants(t, "the older program's session", u.opens(old, "a0000000-0000-4000-8000-000000000001"), "jittered backoff")
	wants(t, "the newer program's session", u.opens(binary, "a0000000-0000-4000-8000-000000000002"), "jittered backoff")
}

// A worker that is killed takes connections until the kernel has buried it.
func TestADaemonKilledDuringARequestIsStartedAgain(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.remanence("add", "the webhook sender uses jittered backoff", "-k", "decision")
	pid := u.worker().PID
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if !eventually(func() bool { return halted(pid) }) {
		t.Fatalf("process %d does not stop", pid)
	}
	socket := u.worker().Socket
	before := connections(socket)
	go func() {
		eventually(func() bool { return connections(socket) > before })
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}()
	wants(t, "the session that asked it", u.opens(binary, "a0000000-0000-4000-8000-000000000001"), "jittered backoff")
}

// halted reports whether every thread of a process has stopped: until then it may answer.
func halted(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, file := range threads {
		stat, _ := os.ReadFile(file)
		if !bytes.Contains(stat, []byte(") T ")) {
			return false
		}
	}
	return len(threads) > 0
}

// connections counts those that a socket has, taken or not, and the socket itself.
func connections(socket string) int {
	all, _ := os.ReadFile("/proc/net/unix")
	return bytes.Count(all, []byte(" "+socket+"\n"))
}

func TestADaemonKilledAtItsStartIsStartedAgain(t *testing.T) {
	u := newUser(t)
	u.newProject("")
	u.remanence("add", "the webhook sender uses jittered backoff", "-k", "decision")
	u.remanence("daemon", "stop")
	wants(t, "first session", u.opens(binary, "a0000000-0000-4000-8000-000000000001"), "jittered backoff")
	if err := syscall.Kill(u.worker().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wants(t, "second session", u.opens(binary, "a0000000-0000-4000-8000-000000000002"), "jittered backoff")
}
