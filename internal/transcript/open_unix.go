//go:build unix

package transcript

import (
	"io/fs"
	"syscall"
)

// noWait keeps the opening of a pipe from waiting for its other end.
const noWait = syscall.O_NONBLOCK

// onlyName reports whether a file has no second name, under which it may be
// anything.
func onlyName(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}
