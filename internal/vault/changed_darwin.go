package vault

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt returns when a file was last written or renamed. Unlike the modification time, it cannot be set.
func changedAt(info fs.FileInfo) time.Time {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return info.ModTime()
	}
	return time.Unix(st.Ctimespec.Unix())
}
