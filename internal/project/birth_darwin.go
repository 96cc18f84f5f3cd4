package project

import (
	"os"
	"syscall"
	"time"
)

// birth is the number of a file or directory in its file system and when it was
// created. It follows no link.
func birth(path string) (inode uint64, at time.Time, ok bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return 0, time.Time{}, false
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, time.Time{}, false
	}
	return st.Ino, time.Unix(st.Birthtimespec.Unix()), true
}
