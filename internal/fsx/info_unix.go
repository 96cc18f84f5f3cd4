//go:build unix

package fsx

import (
	"io/fs"
	"os"
	"syscall"
)

// noWait keeps the opening of a pipe from waiting for its other end.
const noWait = syscall.O_NONBLOCK

// Links returns the number of a file's hard links, or 0 if info does not come from this system. It returns 1 if the
// system does not report it.
func Links(info fs.FileInfo) int {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(st.Nlink)
	}
	return 0
}

// Inode returns the number of a file on its disk, 0 where there is none.
func Inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

// OwnedByUser reports whether a file belongs to the user of this process. It returns true for root, and if the system
// does not report owners.
func OwnedByUser(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	me := os.Getuid()
	return ok && (me == 0 || int(st.Uid) == me)
}

// OwnedByUserOrRoot reports whether a file belongs to the user of this process or to root. It returns true for root,
// and if the system does not report owners.
func OwnedByUserOrRoot(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return OwnedByUser(info) || ok && st.Uid == 0
}
