//go:build unix

package worker

import "syscall"

// closeUmask makes new files and directories private to this user.
func closeUmask() { syscall.Umask(0o077) }
