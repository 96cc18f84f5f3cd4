//go:build unix

package daemon

import "syscall"

// openFiles is how many files this process may have open; 0 if nobody says.
func maxOpenFiles() uint64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return uint64(r.Cur) //nolint:unconvert // signed on some systems
}
