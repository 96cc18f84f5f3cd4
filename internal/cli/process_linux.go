package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// process is a process that has to do with a file of ours.
type process struct {
	pid  int
	name string
	ours bool // a daemon
}

// lockers are the processes that hold a lock on one of the files, as the kernel
// has it. Those of other users or containers may be missing.
func lockers(files ...string) []process {
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil
	}
	var found []process
	for line := range strings.Lines(string(table)) {
		// 1: FLOCK  ADVISORY  WRITE 4121 08:01:131099 0 EOF, after "->" one that waits
		f := strings.Fields(line)
		if len(f) < 6 || f[1] == "->" {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		if err != nil || pid <= 0 || slices.ContainsFunc(found, func(p process) bool { return p.pid == pid }) {
			continue
		}
		for _, file := range files {
			if isFile(f[5], file) && hasOpen(pid, file) {
				found = append(found, processOf(pid))
				break
			}
		}
	}
	return found
}

// isFile reports whether a device and number of the kernel's table are a file's.
// The device is left to hasOpen: some file systems show two of them.
func isFile(place, file string) bool {
	info, err := os.Stat(file)
	if err != nil {
		return false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && strings.HasSuffix(place, ":"+strconv.FormatUint(st.Ino, 10))
}

// openers are the processes that have a file open. Only this user's are seen.
func openers(file string) []process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var found []process
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && hasOpen(pid, file) {
			found = append(found, processOf(pid))
		}
	}
	return found
}

func hasOpen(pid int, file string) bool {
	want, err := os.Stat(file)
	if err != nil {
		return false
	}
	fds, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/fd/*")
	for _, fd := range fds {
		if target, err := os.Readlink(fd); err != nil || !strings.HasPrefix(target, "/") {
			continue
		}
		if have, err := os.Stat(fd); err == nil && os.SameFile(have, want) {
			return true
		}
	}
	return false
}

func processOf(pid int) process {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	name, _ := os.ReadFile(filepath.Join(dir, "comm"))
	args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	return process{pid, strings.TrimSpace(string(name)), bytes.Contains(args, []byte("\x00daemon\x00run"))}
}

// askToEnd asks a daemon of ours, also one that was stopped, to finish and end.
func (p process) askToEnd() error {
	proc, err := os.FindProcess(p.pid)
	if err != nil {
		return err
	}
	if err := proc.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return proc.Signal(syscall.SIGCONT)
}
