package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// systemCommands let a script be a stranger on the person's machine. What they
// hold is let go at the script's end, or by release.
func systemCommands() map[string]func(*testscript.TestScript, bool, []string) {
	held := map[string]*os.File{}
	keep := func(ts *testscript.TestScript, name string) *os.File {
		f, err := os.OpenFile(ts.MkAbs(name), os.O_RDWR, 0)
		ts.Check(err)
		held[ts.MkAbs(name)] = f
		ts.Defer(func() { _ = f.Close() })
		return f
	}
	return map[string]func(*testscript.TestScript, bool, []string){
		// hold FILE takes the kernel's lock on a file.
		"hold": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(syscall.Flock(int(keep(ts, args[0]).Fd()), syscall.LOCK_EX|syscall.LOCK_NB))
		},
		// lockdb FILE locks a database as a program does that writes to it alone:
		// the bytes are SQLite's.
		"lockdb": func(ts *testscript.TestScript, _ bool, args []string) {
			l := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 1 << 30, Len: 512}
			ts.Check(syscall.FcntlFlock(keep(ts, args[0]).Fd(), syscall.F_SETLK, &l))
		},
		"release": func(ts *testscript.TestScript, _ bool, args []string) {
			ts.Check(held[ts.MkAbs(args[0])].Close())
		},
		// waitfor N waits until so many daemons run.
		"waitfor": func(ts *testscript.TestScript, _ bool, args []string) {
			want, err := strconv.Atoi(args[0])
			ts.Check(err)
			work := ts.Getenv("WORK")
			have := daemonPIDs(work)
			for end := time.Now().Add(takeIn); len(have) != want; have = daemonPIDs(work) {
				if time.Now().After(end) {
					ts.Fatalf("daemons: %v, want %d", have, want)
				}
				time.Sleep(20 * time.Millisecond)
			}
		},
		// halt stops the daemon, which then holds its lock and answers nobody.
		"halt": func(ts *testscript.TestScript, _ bool, _ []string) {
			pid := runtimePID(ts.Getenv("WORK"))
			ts.Check(syscall.Kill(pid, syscall.SIGSTOP))
			ts.Defer(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			for end := time.Now().Add(takeIn); !halted(pid); time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					ts.Fatalf("process %d does not stop", pid)
				}
			}
		},
	}
}

// daemonPIDs names each daemon of a script once.
func daemonPIDs(work string) []int {
	pids := daemonsOf(work)
	slices.Sort(pids)
	return slices.Compact(pids)
}

// halted reports whether every thread of a process has stopped. One that waits
// for the disk stops only after that.
func halted(pid int) bool {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, t := range tasks {
		stat, err := os.ReadFile(t)
		if _, state, ok := bytes.Cut(stat, []byte(") ")); err != nil || !ok || state[0] != 'T' {
			return false
		}
	}
	return len(tasks) > 0
}
