//go:build unix

package mind

import (
	"io/fs"
	"os"
	"syscall"
)

// noWait keeps the opening of a pipe from waiting for its other end.
const noWait = syscall.O_NONBLOCK

// trustedOwner reports whether a file belongs to this user. The system's own
// user may write everybody's.
func trustedOwner(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	me := os.Getuid()
	return ok && (me == 0 || int(st.Uid) == me)
}

// onlyName reports whether a file has no second name.
func onlyName(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}

func inodeOf(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return st.Ino
}
