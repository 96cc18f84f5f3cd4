//go:build fire && linux

package crash

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"remanence/test/tier"
	"remanence/test/world"
)

// endings are how a process may come to its end.
var endings = map[string]func(*os.Process){
	"clean":   func(*os.Process) {},
	"SIGTERM": func(p *os.Process) { _ = p.Signal(syscall.SIGTERM) },
	"SIGINT":  func(p *os.Process) { _ = p.Signal(syscall.SIGINT) },
	"SIGKILL": func(p *os.Process) { _ = p.Kill() },
}

// adopt makes this process the parent of all orphans among its descendants for
// the time of the test, so that none can hide behind another parent.
func adopt(t *testing.T) {
	t.Helper()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatalf("become a sub-reaper: %v", err)
	}
	t.Cleanup(func() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
}

// descendants are all processes below this one that still run: pid and command.
// Those that have ended and wait for their parent to notice are noticed.
func descendants(t *testing.T) map[int]string {
	t.Helper()
	parents, dead := map[int]int{}, map[int]bool{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil || len(stats) == 0 {
		t.Fatalf("no processes to see: %v", err)
	}
	for _, f := range stats {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // it has just ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
		parents[pid], _ = strconv.Atoi(fields[1])
		dead[pid] = fields[0] == "Z"
	}
	found := map[int]string{}
	for pid := range parents {
		for up := parents[pid]; up > 1; up = parents[up] {
			if up == os.Getpid() && !dead[pid] {
				cmd, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				found[pid] = strings.ReplaceAll(string(cmd), "\x00", " ")
			}
		}
		if dead[pid] && parents[pid] == os.Getpid() {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
	return found
}

// onlyWorker waits until no descendant is left but one worker at most, for five
// seconds and what a busy machine needs more.
func onlyWorker(t *testing.T, p *world.Person) {
	t.Helper()
	var left map[int]string
	ok := p.Eventually(func() bool {
		left = descendants(t)
		workers := 0
		for _, cmd := range left {
			if strings.Contains(cmd, "daemon run") {
				workers++
			}
		}
		return workers <= 1 && len(left) == workers
	})
	if !ok {
		t.Errorf("still running: %v, want one worker at most", left)
	}
}

// waitForEnd waits until no descendant is left.
func waitForEnd(t *testing.T, p *world.Person) {
	t.Helper()
	if !p.Eventually(func() bool { return len(descendants(t)) == 0 }) {
		t.Errorf("still running: %v, want none", descendants(t))
	}
}

// noneAfterStop stops the worker and waits until no descendant is left. One
// that was just started may come up only after the request to leave.
func noneAfterStop(t *testing.T, p *world.Person) {
	t.Helper()
	if !p.Eventually(func() bool { p.Run("daemon", "stop"); return len(descendants(t)) == 0 }) {
		t.Errorf("still running: %v, want none", descendants(t))
	}
}

func TestNoHookLeavesAProcessBehind(t *testing.T) {
	adopt(t)
	for how, end := range endings {
		t.Run(how, func(t *testing.T) {
			p := newPerson(t)
			payload := scene{mark: mark(1), session: "s", kind: kinds[0]}.payload(p)
			cmd := p.HookCommand(nil)
			cmd.Stdin = nil
			in, err := cmd.StdinPipe()
			if err != nil || cmd.Start() != nil {
				t.Fatal("start a hook", err)
			}
			_, _ = in.Write(payload[:len(payload)/2]) // it waits for the rest
			end(cmd.Process)
			_, _ = in.Write(payload[len(payload)/2:])
			_ = in.Close()
			_ = cmd.Wait()
			onlyWorker(t, p)
			noneAfterStop(t, p)
		})
	}
}

func TestNoDaemonLeavesAProcessBehind(t *testing.T) {
	adopt(t)
	work := func(p *world.Person) {
		for i, kind := range kinds {
			p.Hook(scene{mark: mark(int64(i)), session: "s", kind: kind}.payload(p))
		}
	}
	for how, end := range endings {
		t.Run(how, func(t *testing.T) {
			p := newPerson(t)
			p.StartWorker()
			work(p)
			if how == "clean" {
				p.StopWorker()
			}
			for _, pid := range p.Workers() {
				proc, _ := os.FindProcess(pid)
				end(proc)
			}
			waitForEnd(t, p)
		})
	}
	t.Run("idle", func(t *testing.T) {
		p := newPerson(t)
		p.Env = append(p.Env, "REMANENCE_WORKER_IDLE_EXIT=1s")
		p.StartWorker()
		work(p)
		waitForEnd(t, p)
	})
}

func TestNoCommandLeavesAProcessBehind(t *testing.T) {
	adopt(t)
	r := tier.Rand(t)
	for _, args := range [][]string{
		{"install", "claude-code", "--yes"},
		{"doctor"},
		{"demo", "--fast"},
		{"daemon", "stop"},
		{"status"},
	} {
		for how, end := range endings {
			t.Run(args[0]+" "+how, func(t *testing.T) {
				p := newPerson(t)
				if args[0] == "daemon" {
					p.StartWorker()
				}
				cmd := p.Command(args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if how != "clean" {
					time.Sleep(time.Duration(r.IntN(200)) * time.Millisecond)
				}
				end(cmd.Process)
				_ = cmd.Wait()
				onlyWorker(t, p)
				noneAfterStop(t, p)
			})
		}
	}
}

func TestADaemonStartedByAHookInheritsNothing(t *testing.T) {
	p := newPerson(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	file, err := os.Create(filepath.Join(t.TempDir(), "open.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	given := []*os.File{w, r, socket, file}

	cmd := p.HookCommand(p.Payload("SessionStart.startup", map[string]any{"session_id": "s"}))
	cmd.ExtraFiles = given
	cmd.Env = append(cmd.Env, "ANTHROPIC_API_KEY=canary")
	cmd.WaitDelay = time.Minute
	stdout, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		t.Fatal("start a hook", err)
	}
	ended := make(chan struct{})
	go func() { // who reads the hook's output sees its end, though the worker lives on
		_, _ = io.Copy(io.Discard, bufio.NewReader(stdout))
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the hook's output stays open")
	}
	_ = cmd.Wait()
	bring(t, p, 0)
	if !p.Eventually(func() bool { _, err := p.Runtime(); return err == nil }) {
		t.Fatal("no worker")
	}
	rt, _ := p.Runtime()
	checkFiles(t, p, rt.PID, given)
	if env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", rt.PID)); err != nil ||
		bytes.Contains(env, []byte("canary")) {
		t.Errorf("the worker knows the hook's variables: %v", err)
	}
	_ = w.Close()
	if err := r.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("a process still holds the pipe: %d, %v", n, err)
	}
}

// checkFiles fails the test if a process has other files open than a worker's own.
func checkFiles(t *testing.T, p *world.Person, pid int, given []*os.File) {
	t.Helper()
	alien := map[string]bool{}
	for _, f := range given {
		name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		alien[name] = true
	}
	links, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil || len(links) < 4 {
		t.Fatalf("the worker's files cannot be seen: %v, %v", links, err)
	}
	for _, link := range links {
		name, err := os.Readlink(link)
		if err != nil {
			continue
		}
		fd, _ := strconv.Atoi(filepath.Base(link))
		own := strings.HasPrefix(name, p.Home) || strings.HasPrefix(name, "anon_inode:") ||
			strings.HasPrefix(name, "socket:") ||
			strings.HasPrefix(name, "/sys/fs/cgroup/") // where the language's runtime reads how many processors it has
		switch {
		case fd <= 2 && name != os.DevNull:
			t.Errorf("file %d is %s, want %s", fd, name, os.DevNull)
		case fd > 2 && (!own || alien[name]):
			t.Errorf("file %d is %s, which is not the worker's own", fd, name)
		}
	}
}
