//go:build fire

package home

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"remanence/test/tier"
	"remanence/test/world"
)

// quiet waits long enough for anything to come back, and proves that nothing did.
// What has let go of everything takes a little time to end.
func quiet(p *world.Person) {
	p.T.Helper()
	p.Eventually(func() bool { return len(p.Processes()) == 0 })
	for range 10 {
		if running := p.Processes(); len(running) > 0 {
			p.T.Errorf("still there or there again: %v", running)
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func TestADisabledProgramKeepsNothing(t *testing.T) {
	p, temp := newcomer(t)
	before := tree(t, p.Home, p.Project, temp)
	p.Run("install", "claude-code", "--yes")
	session(p, "one")
	session(p, "two")
	if len(p.Workers()) != 1 {
		t.Fatalf("workers: %v, want one", p.Workers())
	}
	if out := p.Run("search", "mutex"); !strings.Contains(out, "one mutex for each session") {
		t.Fatalf("nothing was kept: %s", out)
	}
	p.Run("uninstall", "--all", "--purge", "--yes")
	same(t, "after uninstall --purge", tree(t, p.Home, p.Project, temp), before)
	quiet(p)
	late(p, "two")
	quiet(p)
	same(t, "after late hooks", tree(t, p.Home, p.Project, temp), before)

	session(p, "three") // a client that starts anew still has hooks from somewhere
	if len(p.Workers()) != 1 {
		t.Errorf("a new client does not move in: workers %v", p.Workers())
	}
	p.Run("uninstall", "--all", "--purge", "--yes")
	same(t, "after a second uninstall --purge", tree(t, p.Home, p.Project, temp), before)
}

func TestUninstallWithoutPurgeKeepsOnlyTheMemories(t *testing.T) {
	p, temp := newcomer(t)
	before := tree(t, p.Home, temp)
	p.Run("install", "claude-code", "--yes")
	session(p, "one")
	p.Run("uninstall", "--all", "--yes")
	left := func() []string {
		var more []string
		for file, what := range tree(t, p.Home, temp) {
			if before[file] != what && !strings.HasPrefix(what, "d") {
				more = append(more, strings.TrimPrefix(file, p.Home))
			}
		}
		slices.Sort(more)
		return more
	}
	want := []string{
		"/.local/share/remanence/remanence.db", "/.local/share/remanence/worker.lock",
		"/.local/state/remanence/key", "/.local/state/remanence/made", "/.local/state/remanence/uninstalled",
	}
	got := slices.DeleteFunc(left(), func(f string) bool {
		// The database's own companions, and what was still on its way to it.
		return (strings.HasPrefix(f, "/.local/share/remanence/") || strings.HasPrefix(f, "/.local/state/remanence/spool/")) &&
			!slices.Contains(want, f)
	})
	if !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
	quiet(p)
	was := tree(t, p.Home, temp)
	late(p, "one")
	quiet(p)
	same(t, "after late hooks", tree(t, p.Home, temp), was)

	p.Run("install", "claude-code", "--yes")
	if a := p.Hook(p.Payload("SessionStart.startup",
		map[string]any{"session_id": "two", "source": "startup"})); !strings.Contains(string(a.Stdout),
		"one mutex for each session") {
		t.Errorf("after a new installation a session gets %s", a.Stdout)
	}
	p.Run("uninstall", "--all", "--purge", "--yes")
	same(t, "after uninstall --purge", tree(t, p.Home, temp), before)
}

// Hooks that are under way while everything goes bring nothing back.
func TestRunningHooksRestoreNothingAfterAnUninstall(t *testing.T) {
	for i := range tier.Runs(3, 100) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			p, temp := newcomer(t)
			before := tree(t, p.Home, temp)
			p.Run("install", "claude-code", "--yes")
			session(p, "one")
			done := make(chan struct{})
			var all sync.WaitGroup
			for k := range 4 {
				all.Go(func() {
					for n := 0; ; n++ {
						select {
						case <-done:
							return
						default:
						}
						name := []string{"PostToolUse.Bash", "UserPromptSubmit", "Stop"}[n%3]
						p.Hook(p.Payload(name, map[string]any{
							"session_id": "one", "prompt_id": fmt.Sprint("x", k, n),
							"tool_use_id": fmt.Sprint("y", k, n),
						}))
					}
				})
			}
			if i%2 == 1 { // and the worker dies in the middle of it
				for _, pid := range p.Workers() {
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			p.Run("uninstall", "--all", "--purge", "--yes")
			close(done)
			all.Wait()
			quiet(p)
			same(t, "after uninstall --purge", tree(t, p.Home, temp), before)
		})
	}
}

// The path of its socket is too long for its own directory, so that it is in the temporary one.
func TestUninstallRemovesTheSocketThatAKilledDaemonLeftElsewhere(t *testing.T) {
	p, temp := newcomer(t)
	before := tree(t, p.Home, temp)
	p.Run("install", "claude-code", "--yes")
	session(p, "one")
	for _, pid := range p.Workers() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	quiet(p)
	if left, _ := filepath.Glob(filepath.Join(temp, "remanence-*", "worker-*.sock")); len(left) != 1 {
		t.Fatalf("sockets left: %q, want one", left)
	}
	p.Run("uninstall", "--all", "--purge", "--yes")
	same(t, "after uninstall --purge", tree(t, p.Home, temp), before)
}

// An uninstallation that was killed is finished by the next.
func TestAKilledUninstallIsCompletedByTheNext(t *testing.T) {
	rng := tier.Rand(t)
	for i := range tier.Runs(4, 200) {
		// Before the wait for hooks that are under way, and when all goes.
		after := time.Duration(rng.IntN(60)+1180*rng.IntN(2)) * time.Millisecond
		t.Run(fmt.Sprint(i), func(t *testing.T) { killedUninstall(t, after) })
	}
}

// killedUninstall kills an uninstallation so long after its start.
func killedUninstall(t *testing.T, after time.Duration) {
	p, temp := newcomer(t)
	before := tree(t, p.Home, temp)
	p.Run("install", "claude-code", "--yes")
	session(p, "one")
	cmd := p.Command("uninstall", "--all", "--purge", "--yes")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	p.Run("uninstall", "--all", "--purge", "--yes")
	quiet(p)
	same(t, "after the second", tree(t, p.Home, temp), before)
}
