//go:build unix

package api

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

const rootDir = "/"

func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// closeFilesOnExec marks every open file of this process, inherited ones too, as
// close-on-exec.
func closeFilesOnExec() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		for fd := 3; fd < 256; fd++ {
			syscall.CloseOnExec(fd)
		}
		return
	}
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}

// CheckDir returns an error unless dir is a directory that this user owns and no other user can enter. A symbolic link
// is not a directory.
func CheckDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s can be entered by others (mode %o)", dir, info.Mode().Perm())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	return nil
}
