package daemon

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Process is a process that has to do with a file of ours.
type Process struct {
	PID      int
	Name     string
	IsDaemon bool // a daemon
}

// Lockers are the processes that hold a lock on one of the files, as the kernel
// has it. Those of other users or containers may be missing.
func Lockers(files ...string) []Process {
	table, err := os.ReadFile("/proc/locks")
	if err != nil {
		return nil
	}
	var found []Process
	for line := range strings.Lines(string(table)) {
		// 1: FLOCK  ADVISORY  WRITE 4121 08:01:131099 0 EOF, after "->" one that waits
		f := strings.Fields(line)
		if len(f) < 6 || f[1] == "->" {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		if err != nil || pid <= 0 || slices.ContainsFunc(found, func(p Process) bool { return p.PID == pid }) {
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

// Openers are the processes that have a file open. Only this user's are seen.
func Openers(file string) []Process {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var found []Process
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

func processOf(pid int) Process {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	name, _ := os.ReadFile(filepath.Join(dir, "comm"))
	args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	return Process{pid, strings.TrimSpace(string(name)), bytes.Contains(args, []byte("\x00daemon\x00run"))}
}

// Terminate asks a daemon of ours, also one that was stopped, to finish and end.
func (p Process) Terminate() error {
	proc, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	if err := proc.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return proc.Signal(syscall.SIGCONT)
}
