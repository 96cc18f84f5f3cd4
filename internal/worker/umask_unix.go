//go:build unix

package worker

import "syscall"

// closeUmask makes every file and directory born private to this user.
func closeUmask() { syscall.Umask(0o077) }
