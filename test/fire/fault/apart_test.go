//go:build fire && linux

package fault

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// inside marks the process that has a mount table of its own.
const inside = "REMANENCE_FAULT_APART"

// apart runs the tests in a process with a mount table of its own, so that they
// can mount what they like and leave nothing behind: as root, or as one's own
// root in a user namespace. Where neither is allowed they run here, and those
// that mount are skipped.
func apart(run func() int) int {
	if os.Getenv(inside) != "" {
		if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
			fmt.Fprintln(os.Stderr, "own mount table:", err)
		}
		return run()
	}
	runtime.LockOSThread() // the child dies with the thread that made it
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), inside+"=1")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "own mount table:", err)
		return run()
	}
	err := cmd.Wait()
	var ended *exec.ExitError
	if errors.As(err, &ended) && ended.ExitCode() > 0 {
		return ended.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// mount mounts something over a directory until the scene ends.
func (s *scene) mount(source, dir, kind string, flags uintptr, data string) {
	s.t.Helper()
	if os.Getenv(inside) == "" {
		s.missing("a mount table of one's own")
	}
	s.need(os.MkdirAll(dir, 0o700))
	if err := syscall.Mount(source, dir, kind, flags, data); err != nil {
		s.t.Fatalf("mount %s on %s: %v", kind, dir, err)
	}
	s.t.Cleanup(func() {
		for syscall.Unmount(dir, syscall.MNT_DETACH) == nil {
			continue
		}
	})
}
