//go:build unix

package project

import (
	"io/fs"
	"os"
	"syscall"
)

// noWait keeps the opening of a pipe from waiting for its other end.
const noWait = syscall.O_NONBLOCK

// trusted reports whether a file belongs to this user or to the system. The
// system's own user reads everybody's.
func trusted(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	me := os.Getuid()
	return ok && (me == 0 || st.Uid == 0 || int(st.Uid) == me)
}

// onlyName reports whether a file has no second name.
func onlyName(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}
