//go:build unix

package api

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner returns an error if a file belongs to another user or others can write it.
func checkOwner(info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", info.Name())
	}
	if info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s can be written by others (mode %o)", info.Name(), info.Mode().Perm())
	}
	return nil
}
