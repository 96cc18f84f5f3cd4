package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// OpenDir opens what should be a directory for reading. It never waits, also not
// for a pipe in its place; reading names from anything else is an error.
func OpenDir(base Base, dir string) (*os.File, error) {
	return base.OpenFile(dir, os.O_RDONLY|noWait, 0)
}

// SyncDir makes the names in a directory durable. It does nothing where
// directories cannot be synced, as on Windows and on some network file systems.
func SyncDir(base Base, dir string) error {
	if !syncsDirs {
		return nil
	}
	d, err := OpenDir(base, dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// MakePrivateDir makes a directory and its missing parents with mode 0o700,
// whatever the umask. A directory that exists keeps its mode.
func MakePrivateDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := MakePrivateDir(up); err != nil {
			return err
		}
	}
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(dir, 0o700)
}
