//go:build unix

package daemon

import "syscall"

// maxOpenFiles returns how many files this process may open; 0 if unknown.
func maxOpenFiles() uint64 {
	var r syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r) != nil {
		return 0
	}
	return uint64(r.Cur) //nolint:unconvert // signed on some systems
}
