//go:build unix

package llm

import (
	"os/exec"
	"runtime"
	"syscall"
)

// runGroup runs a command as the first of a group of processes, and ends the
// group with it.
func runGroup(cmd *exec.Cmd) error {
	// A child that ends with its parent ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = groupLeader()
	cmd.Cancel = func() error { return killGroup(cmd) }
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = killGroup(cmd) }()
	return cmd.Wait()
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
