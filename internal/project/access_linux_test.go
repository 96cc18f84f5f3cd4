package project_test

import (
	"io/fs"
	"syscall"
	"time"
)

// read reports whether a file was read lately.
func read(info fs.FileInfo) bool {
	st := info.Sys().(*syscall.Stat_t)
	return time.Since(time.Unix(st.Atim.Unix())) < 48*time.Hour
}
