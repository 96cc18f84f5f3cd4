//go:build !linux

package daemon

import "errors"

// Process is a process that has to do with a file of ours.
type Process struct {
	PID      int
	Name     string
	IsDaemon bool // a daemon
}

// Lockers and Openers need /proc; elsewhere they find no process.
func Lockers(...string) []Process { return nil }

// Openers returns the processes that have a file open; none are known here.
func Openers(string) []Process { return nil }

func (Process) Terminate() error { return errors.ErrUnsupported }
