//go:build fire

package crash

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"remanence/internal/spool"
	"remanence/test/tier"
	"remanence/test/world"
)

// herd is how many hooks start at once. Hooks agree on who starts a worker, so
// some would-be workers run with them that agreed with no other process.
const (
	herd     = 200
	starters = 20
)

// startWindow is how long a second worker would need to show itself.
const startWindow = 300 * time.Millisecond

// soon asks for two seconds.
func soon(ok func() bool) bool {
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return true
		}
	}
	return ok()
}

// bring waits for a worker that a hook started, beside the earlier ones. A machine
// that is out of breath lets no hook come as far as a start, or holds the next
// ones off for some seconds. Then a later one brings the worker.
func bring(t *testing.T, p *world.Person, earlier int) {
	t.Helper()
	for n := 0; n < 30 && !soon(func() bool { return served(t, p) > earlier }); n++ {
		t.Log("no worker so far")
		p.Hook(p.Payload("SessionStart.startup", map[string]any{"session_id": "after"}))
	}
}

func TestManyHooksAtOnceStartOneDaemon(t *testing.T) {
	places := []struct {
		name   string
		before func(*testing.T, *world.Person)
	}{
		{"nothing there", func(*testing.T, *world.Person) {}},
		{"what a killed worker leaves", leaveStale},
	}
	rounds := tier.Runs(10, 100)
	for round := range rounds {
		place := places[round%len(places)]
		t.Run(fmt.Sprintf("%d %s", round+1, place.name), func(t *testing.T) {
			p := newPerson(t)
			place.before(t, p)
			earlier := served(t, p)
			watch := watchLock(t, p)
			inTime := stampede(t, p)
			bring(t, p, earlier)
			time.Sleep(startWindow) // any other started process has tried by then
			holders := watch()
			started := served(t, p) - earlier

			p.Hook(p.Payload("SessionStart.resume", map[string]any{"session_id": "after"})) // what was spooled is taken in
			if st, ok := drained(p); !ok {
				t.Fatalf("left in the spool: %+v", st)
			}
			p.StopWorker()
			checkHerd(t, p, holders, started, inTime)
		})
	}
}

// leaveStale leaves a runtime file and a socket without an owner.
func leaveStale(t *testing.T, p *world.Person) {
	t.Helper()
	rt := p.StartWorker()
	for _, pid := range p.Workers() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if !p.Eventually(func() bool { return len(p.Workers()) == 0 }) {
		t.Fatal("the worker outlives its end")
	}
	if _, err := os.Lstat(rt.Socket); err != nil {
		t.Fatalf("a killed worker leaves no socket: %v", err)
	}
	// A process that ends has no command line any more, and its sockets a little longer.
	if !p.Eventually(func() bool {
		c, err := net.Dial("unix", rt.Socket)
		if err == nil {
			_ = c.Close()
		}
		return err != nil
	}) {
		t.Fatal("a process answers at a dead socket")
	}
}

// inTime is how soon after the barrier a hook has to have ended for its hard
// limit not to have come before: two cores that have far too much to do end
// many of a herd by it, and some before they can count that.
const inTime = 240 * time.Millisecond

// stampede has the herd wait before its first instruction and lets it go at
// once. It returns the marks of those who ended in time.
func stampede(t *testing.T, p *world.Person) []string {
	t.Helper()
	wait, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	for i := range herd + starters {
		cmd := p.Command("daemon", "run", "--background")
		if i < herd {
			cmd = p.HookCommand(scene{
				mark: mark(int64(i)), session: fmt.Sprint("herd-", i%20),
				kind: kinds[i%len(kinds)],
			}.payload(p))
		}
		// The shell stands at the barrier; after it, it is the hook, or a worker.
		cmd.Args = append([]string{"sh", "-c", `read -r _ <&3; exec 3<&-; exec "$@"`, "sh"}, cmd.Args...)
		cmd.Path = "/bin/sh"
		cmd.ExtraFiles = []*os.File{wait}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	_ = wait.Close()
	begun := time.Now()
	_ = release.Close()
	var all sync.WaitGroup
	var mu sync.Mutex
	var quick []string
	for _, cmd := range cmds[herd:] {
		go func() { _ = cmd.Wait() }() // one of them may be the worker, and serves on
	}
	for i, cmd := range cmds[:herd] {
		all.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("hook %d: %v, want status 0", i, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if time.Since(begun) < inTime {
				quick = append(quick, mark(int64(i)))
			}
		})
	}
	all.Wait()
	return quick
}

// watchLock notes who holds the worker's lock, as the system reports it, until
// the function returned is called.
func watchLock(t *testing.T, p *world.Person) (holders func() map[string]bool) {
	t.Helper()
	seen, over := map[string]bool{}, make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for {
			for _, pid := range lockHolders(p) {
				seen[pid] = true
			}
			select {
			case <-over:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	return func() map[string]bool {
		close(over)
		all.Wait()
		return seen
	}
}

// lockHolders are the pids that hold the worker's lock now.
func lockHolders(p *world.Person) []string {
	info, err := os.Stat(filepath.Join(p.Data(), "worker.lock"))
	if err != nil {
		return nil
	}
	inode := fmt.Sprintf(":%d ", info.Sys().(*syscall.Stat_t).Ino)
	locks, _ := os.ReadFile("/proc/locks")
	var pids []string
	for line := range strings.Lines(string(locks)) {
		if f := strings.Fields(line); strings.Contains(line, inode) && len(f) > 4 && f[1] == "FLOCK" {
			pids = append(pids, f[4])
		}
	}
	return pids
}

// served is how many workers have logged that they serve.
func served(t *testing.T, p *world.Person) int {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(p.State(), "log", "remanence.log"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return len(regexp.MustCompile(`msg="worker started"`).FindAll(log, -1))
}

// drained waits until nothing is in the spool.
func drained(p *world.Person) (st spool.Stat, ok bool) {
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if st, err = p.Spool().Stat(); err == nil && st.Records == 0 {
			return st, true
		}
	}
	return st, false
}

// checkHerd fails the test if not one worker served, if an event of the herd is
// kept twice, or if one is not kept whose hook had its time.
func checkHerd(t *testing.T, p *world.Person, holders map[string]bool, started int, quick []string) {
	t.Helper()
	got := stored(t, openDatabase(t, p))
	kept, doubled := 0, 0
	for i := range herd {
		n := got[mark(int64(i))]
		kept += min(n, 1)
		doubled += max(n-1, 0)
	}
	delete(got, "") // the starts of a session after the stampede
	dropped, reasons := 0, spool.Counters(filepath.Join(p.State(), "spool"))
	for _, n := range reasons {
		dropped += int(n)
	}
	lost := slices.DeleteFunc(slices.Clone(quick), func(m string) bool { return got[m] == 1 })
	t.Logf("%d hooks, %d ended within %s: %d held the lock, %d served; kept %d, doubled %d, counted as lost %d %v",
		herd, len(quick), inTime, len(holders), started, kept, doubled, dropped, reasons)
	if len(holders) != 1 || started != 1 {
		t.Errorf("%d processes held the lock (%v), %d served, want one", len(holders), holders, started)
	}
	if len(lost) > 0 || doubled > 0 || len(got) != kept {
		t.Errorf("not kept in spite of their time %v, doubled %d, never sent %d; want none", lost, doubled, len(got)-kept)
	}
}
