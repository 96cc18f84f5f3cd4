package vault

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt is when a file was last written or renamed. Unlike the time it
// shows, nobody can set it.
func changedAt(info fs.FileInfo) time.Time {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime()
	}
	return time.Unix(st.Ctimespec.Unix())
}
