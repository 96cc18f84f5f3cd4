package project

import (
	"time"

	"golang.org/x/sys/unix"
)

// birth is the number of a file or directory in its file system and when it was
// created. It follows no link.
func birth(path string) (inode uint64, at time.Time, ok bool) {
	var st unix.Statx_t
	const want = unix.STATX_INO | unix.STATX_BTIME
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, want, &st)
	if err != nil || st.Mask&want != want {
		return 0, time.Time{}, false
	}
	return st.Ino, time.Unix(st.Btime.Sec, int64(st.Btime.Nsec)), true
}
