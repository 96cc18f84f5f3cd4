//go:build unix

package mind

import (
	"errors"
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

// alone keeps other processes from taking the lock away until release is called.
// It reports false while another is at it. The system's own lock, on the directory,
// ends with its process; where a file system has none, nobody is kept away.
func (d *folder) alone() (release func(), ok bool) {
	dir, err := d.root.Open(d.dir)
	if err != nil {
		return func() {}, true
	}
	err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return func() { _ = dir.Close() }, !errors.Is(err, syscall.EWOULDBLOCK)
}
