package api

import (
	"fmt"
	"os"
	"syscall"
)

const rootDir = `C:\`

// From the Windows API: no console window, and not in the caller's group.
const (
	detachedProcess = 0x00000008
	newProcessGroup = 0x00000200
)

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: detachedProcess | newProcessGroup,
	}
}

// keepFilesHome has nothing to do: only the files named at the start are inherited.
func keepFilesHome() {}

// CheckDir proves that dir is a directory. Who may enter it is decided by the
// access list of the user's profile, which it inherits.
func CheckDir(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a directory", dir)
	}
	return nil
}
