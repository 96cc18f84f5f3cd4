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

// closeFilesOnExec does nothing: only the files named at the start are inherited.
func closeFilesOnExec() {}

// CheckDir returns an error unless dir is a directory. It inherits its access list
// from the user's profile.
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
