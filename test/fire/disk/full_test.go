//go:build fire && linux

package disk

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/test/world"
)

// small mounts a file system of so many KB and returns what fills it up but for
// some KB, and what makes room again.
func small(t *testing.T, dir string, kb int) (fill func(left int), free func()) {
	t.Helper()
	needRoot(t)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("small", dir, "tmpfs", 0, fmt.Sprintf("size=%dk,mode=0700", kb)); err != nil {
		t.Skipf("NOT PROVED: cannot mount a small file system: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
	ballast := filepath.Join(dir, "ballast")
	fill = func(left int) {
		f, err := os.OpenFile(ballast, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var st unix.Statfs_t
		if err := unix.Statfs(dir, &st); err != nil {
			t.Fatal(err)
		}
		if n := int64(st.Bavail)*st.Bsize - int64(left)<<10; n > 0 {
			_, _ = f.Write(make([]byte, n)) // another process may have taken some of it meanwhile
		}
	}
	return fill, func() {
		if err := os.Remove(ballast); err != nil {
			t.Fatal(err)
		}
	}
}

// fat is an event of a tool whose output is long.
func fat(p *world.Person, id string) mem.Event {
	e := mem.Event{
		Agent: "claude-code", At: time.Now().UTC(), Kind: mem.PostToolUse, Session: "full", PromptID: "prompt",
		Root: p.Project, Cwd: p.Project,
		Tool: "Bash", ToolUseID: id, Input: []byte(`{"command":"go test"}`),
		Response: []byte(`{"stdout":"` + strings.Repeat(id+" ", 1500) + `"}`),
	}
	e.Identify(id)
	return e
}

// untilFull hands events to the worker until it takes no more, 300 at most, and
// returns the ids of those that it acknowledged.
func untilFull(t *testing.T, p *world.Person, c api.Client, name string) (acked []string, cause error) {
	t.Helper()
	for i := range 300 {
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		id := fmt.Sprintf("%s-%d", name, i)
		_, err := c.Handle(ctx, fat(p, id))
		stop()
		if err != nil {
			return acked, err
		}
		acked = append(acked, id)
	}
	return acked, nil
}

// hooks calls n hooks and returns the ids of their events.
func hooks(t *testing.T, p *world.Person, name string, n int) (sent []string) {
	t.Helper()
	for i := range n {
		id := fmt.Sprintf("%s-%d", name, i)
		polite(t, id, p.Hook(p.Payload("PostToolUse.Bash", map[string]any{"session_id": "full", "tool_use_id": id})))
		sent = append(sent, id)
	}
	return sent
}

// TestAFullDiskOfTheDatabaseLosesNothing fills the file system of the database
// while events come; the spool has room.
func TestAFullDiskOfTheDatabaseLosesNothing(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	fill, free := small(t, p.Data(), 8<<10)
	rt := p.StartWorker()
	sent := hooks(t, p, "before", 3)
	fill(300)
	acked, err := untilFull(t, p, rt.Client("full"), "fat")
	if err == nil {
		t.Fatal("the disk is full, and the worker acknowledges all the same")
	}
	t.Logf("full after %d events: %v", len(acked), err)
	sent = append(append(sent, acked...), hooks(t, p, "while", 6)...)
	notDamaged(t, p)
	p.StopWorker()
	sent = append(sent, hooks(t, p, "restarted", 3)...)
	notDamaged(t, p)
	free()
	sent = append(sent, hooks(t, p, "after", 3)...)
	allThere(t, p, sent, 0)
}

// TestAFullFileSystemKeepsWhatWasAcknowledged has database and spool on one file
// system that fills up: what comes then is lost, and reported as lost.
func TestAFullFileSystemKeepsWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	fill, free := small(t, filepath.Join(p.Home, ".local"), 8<<10)
	rt := p.StartWorker()
	kept := hooks(t, p, "before", 3)
	fill(300)
	acked, err := untilFull(t, p, rt.Client("full"), "fat")
	if err == nil {
		t.Fatal("the disk is full, and the worker acknowledges all the same")
	}
	fill(0)
	lost := hooks(t, p, "while", 20)
	notDamaged(t, p)
	free()
	kept = append(append(kept, acked...), hooks(t, p, "after", 3)...)
	settle(t, p)
	got := tools(t, p)
	for _, id := range kept {
		if got[id] != 1 {
			t.Errorf("%s is there %d times, want once", id, got[id])
		}
	}
	missing := 0
	for _, id := range lost {
		if got[id] == 0 {
			missing++
		}
	}
	out, _ := p.Command("doctor").CombinedOutput()
	t.Logf("%d of %d events of the time without room are lost", missing, len(lost))
	if missing > 0 && !strings.Contains(string(out), "REM-H014") {
		t.Errorf("%d events are lost, and the doctor does not say so:\n%s", missing, out)
	}
	p.StopWorker()
}

func notDamaged(t *testing.T, p *world.Person) {
	t.Helper()
	if code := troubleOf(p); code == "REM-S002" {
		t.Error("a full disk is taken for a damaged database")
	}
}

// limited makes a command one whose files cannot grow beyond so many KB.
func limited(cmd *exec.Cmd, kb int) {
	args := append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, kb), "bash", cmd.Path}, cmd.Args[1:]...)
	cmd.Path, cmd.Args = "/bin/bash", append([]string{"bash"}, args...)
}

// TestAFileSizeLimitLosesNothing gives a worker a limit of file sizes: a write
// is cut short, the next one fails, and the kernel sends a signal.
func TestAFileSizeLimitLosesNothing(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	p.StartWorker()
	p.StopWorker()
	for i, kb := range []int{350, 401, 877} {
		cmd := p.Command("daemon", "run")
		limited(cmd, kb)
		begun := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if !p.Eventually(func() bool { rt, err := p.Runtime(); return err == nil && rt.Started.After(begun) }) {
			t.Fatal("the worker does not start")
		}
		rt, err := p.Runtime()
		if err != nil {
			t.Fatal(err)
		}
		acked, err := untilFull(t, p, rt.Client("limit"), fmt.Sprint("fat", i))
		if err == nil {
			t.Fatalf("no limit of %d KB was met", kb)
		}
		t.Logf("%d KB: full after %d events: %v", kb, len(acked), err)
		sent := slices.Concat(acked, hooks(t, p, fmt.Sprint("while", i), 4))
		notDamaged(t, p)
		endWorkers(p)
		if err := cmd.Wait(); err != nil {
			t.Logf("the limited worker: %v", err)
		}
		allThere(t, p, sent, 0)
	}
}

// TestAHookUnderAFileSizeLimitExitsZero gives hooks a limit that cuts their
// record in the spool short.
func TestAHookUnderAFileSizeLimitExitsZero(t *testing.T) {
	t.Parallel()
	p := world.NewPerson(t)
	p.StartWorker()
	p.StopWorker()
	var sent []string
	for i, kb := range []int{0, 1, 2, 3, 4, 100} {
		hold(t, p)
		id := fmt.Sprintf("limit-%d", i)
		cmd := p.HookCommand(p.Payload("PostToolUse.Bash", map[string]any{
			"session_id": "full", "tool_use_id": id, "tool_response": map[string]string{"stdout": strings.Repeat("long ", 500)},
		}))
		limited(cmd, kb)
		polite(t, id, p.Await(cmd))
		sent = append(sent, id)
	}
	allThere(t, p, sent, 3) // where nothing may grow, no count can either
}
