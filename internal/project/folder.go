package project

import (
	"io"
	"os"
	"path/filepath"
	"time"
)

// folder is a directory of git's own: sub below base. Its files are foreign
// input. They are opened below base and nowhere else, whatever links lie on the
// way or are put there meanwhile, and only if they are plain files of this user
// or of the system under one name: a second name may be that of another's file.
// One that takes a deadline can be waited for, whatever it calls itself.
type folder struct{ base, sub string }

func (d folder) path() string { return filepath.Join(d.base, d.sub) }

// open opens a file of the folder for reading. It never waits.
func (d folder) open(name string) (*os.File, error) {
	root, err := os.OpenRoot(d.base)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := openPlain(root, filepath.Join(d.sub, name))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !trusted(info) || !onlyName(info) {
		_ = f.Close()
		return nil, os.ErrInvalid
	}
	return f, nil
}

// openPlain opens a plain file below root for reading. It never waits.
func openPlain(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	f, err := root.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || f.SetReadDeadline(time.Time{}) == nil {
		_ = f.Close()
		return nil, os.ErrInvalid
	}
	return f, nil
}

// has reports whether there is anything of a name, a link that leads away included.
func (d folder) has(name string) bool {
	root, err := os.OpenRoot(d.base)
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Lstat(filepath.Join(d.sub, name))
	return err == nil
}

// small is the content of a small file; nothing if it may not be opened or is larger.
func (d folder) small(name string) string { return d.text(name, maxPointer) }

func (d folder) text(name string, max int64) string {
	f, err := d.open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, max+1))
	if err != nil || int64(len(b)) > max {
		return ""
	}
	return string(b)
}
