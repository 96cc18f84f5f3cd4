package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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
		// halt stops the daemon, which then holds its lock and answers no request. It is
		// not stopped in the middle of a write: that would keep all others from the
		// database.
		"halt": func(ts *testscript.TestScript, _ bool, _ []string) {
			work := ts.Getenv("WORK")
			pid := runtimePID(work)
			ts.Defer(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
			for end := time.Now().Add(takeIn); ; {
				ts.Check(syscall.Kill(pid, syscall.SIGSTOP))
				for !halted(pid) && time.Now().Before(end) {
					time.Sleep(time.Millisecond)
				}
				if halted(pid) && !writes(pid, filepath.Join(work, "home", ".local", "share", "remanence", "remanence.db")) {
					return
				}
				if time.Now().After(end) {
					ts.Fatalf("process %d does not stop, or only in the middle of a write", pid)
				}
				ts.Check(syscall.Kill(pid, syscall.SIGCONT))
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

// writes reports whether a process has a database or a file beside it locked for
// itself alone, as the kernel has it.
func writes(pid int, database string) bool {
	table, _ := os.ReadFile("/proc/locks")
	for _, file := range []string{database, database + "-wal", database + "-shm"} {
		info, err := os.Stat(file)
		if err != nil {
			continue
		}
		inode := fmt.Sprintf(":%d", info.Sys().(*syscall.Stat_t).Ino)
		for line := range strings.Lines(string(table)) {
			// 1: POSIX  ADVISORY  WRITE 4121 08:01:131099 120 120
			f := strings.Fields(line)
			if len(f) > 5 && f[3] == "WRITE" && f[4] == strconv.Itoa(pid) && strings.HasSuffix(f[5], inode) {
				return true
			}
		}
	}
	return false
}

// halted reports whether every thread of a process has stopped. One that waits
// for the disk stops only after that.
func halted(pid int) bool {
	states := threads(pid)
	for _, state := range states {
		if state != 'T' {
			return false
		}
	}
	return len(states) > 0
}

// threads returns the state of each thread of a process, as the kernel writes
// it; 0 for one that ended meanwhile.
func threads(pid int) []byte {
	var states []byte
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, t := range tasks {
		stat, _ := os.ReadFile(t)
		_, state, ok := bytes.Cut(stat, []byte(") "))
		if !ok {
			state = []byte{0}
		}
		states = append(states, state[0])
	}
	return states
}
