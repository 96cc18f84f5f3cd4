// Command starter runs one program, given by its absolute path and arguments,
// with its own standard files and environment, and writes what the run cost to
// file 3: wall, user and system nanoseconds, the most memory resident, and the
// exit status.
//
// It is there to be small. A process made without copying its parent's memory,
// which is how Go makes one, starts with its parent's peak as its own: asked
// from a large parent, ru_maxrss is the parent's. A shell in between does not
// help, since the shell has inherited it already, in exec or as the sum over its
// children. Only a small parent that asks for its own child learns the child's
// peak, and then only what exceeds its own.
package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

func main() {
	const report = 3
	syscall.CloseOnExec(report)
	begun := time.Now()
	pid, err := syscall.ForkExec(os.Args[1], os.Args[1:], &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
	})
	if err != nil {
		fail(err)
	}
	var status syscall.WaitStatus
	var used syscall.Rusage
	for {
		_, err = syscall.Wait4(pid, &status, 0, &used)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	wall := time.Since(begun)
	if err != nil {
		fail(err)
	}
	fmt.Fprintln(os.NewFile(report, "report"), wall.Nanoseconds(), used.Utime.Nano(), used.Stime.Nano(), used.Maxrss,
		status.ExitStatus())
}

func fail(err error) {
	_, _ = os.Stderr.WriteString("starter: " + err.Error() + "\n")
	os.Exit(1)
}
