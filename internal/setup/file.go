package setup

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"remanence/internal/fsx"
)

// maxFile bounds what is read as settings or as an install record, in bytes. People's settings are a few kilobytes.
const maxFile = 8 << 20

// file is a settings file as it was read.
type file struct {
	path   string      // as the agent names it
	target string      // with symbolic links followed; path if there is no file
	info   fs.FileInfo // of the target; nil if there is no file
	data   []byte
}

func (f file) exists() bool { return f.info != nil }

// read reads a settings file through its symbolic links. A missing file is no error; anything but a regular file is
// ErrNotFile.
func read(path string) (file, error) {
	f := file{path: path, target: path}
	_, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case errors.Is(err, syscall.ENOTDIR):
		return f, fmt.Errorf("%s: %w: %s is no directory", path, ErrNotFile, filepath.Dir(path))
	case err != nil:
		return f, fmt.Errorf("look at %s: %w", path, err)
	}
	f.target, err = filepath.EvalSymlinks(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, fmt.Errorf("%s: %w: it is a link that leads nowhere; make its target or remove it (%w)", path, ErrNotFile,
			err)
	case err != nil:
		return f, fmt.Errorf("%s: %w: it is a link that cannot be followed (%w)", path, ErrNotFile, err)
	}
	info, err := os.Stat(f.target)
	if err != nil {
		return f, fmt.Errorf("look at %s: %w", f.target, err)
	}
	if !info.Mode().IsRegular() {
		return f, fmt.Errorf("%s: %w but a %s", f.target, ErrNotFile, kindOf(info.Mode()))
	}
	f.info = info
	f.data, err = readBounded(f.target)
	return f, err
}

func kindOf(m fs.FileMode) string {
	if m.IsDir() {
		return "directory"
	}
	return "device, pipe or socket"
}

func readBounded(path string) ([]byte, error) {
	data, _, err := fsx.ReadFile(fsx.Host{}, path, maxFile, fsx.Options{FollowLinks: true})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// writable says why a file must not be replaced. Renaming would get around a file's read-only mode, and would part it
// from its other names.
func (f file) writable() error {
	if !f.exists() {
		return nil
	}
	if f.info.Mode().Perm()&0o200 == 0 {
		return fmt.Errorf("%s: %w (mode %v); make it writable first", f.target, ErrReadOnly, f.info.Mode().Perm())
	}
	if n := fsx.Links(f.info); n > 1 {
		return fmt.Errorf("%s: %w: it has %d names (hard links); make it a file of its own first", f.target, ErrNotFile, n)
	}
	return nil
}

// within refuses a file that a link leads out of the project: its settings may have come with a clone.
func (f file) within(root string) error {
	inside, err := filepath.EvalSymlinks(root)
	if err != nil {
		return fmt.Errorf("resolve project %s: %w", root, err)
	}
	at := f.target
	if !f.exists() {
		at = existing(filepath.Dir(f.path))
	}
	if at, err = filepath.EvalSymlinks(at); err != nil {
		return fmt.Errorf("resolve %s: %w", f.path, err)
	}
	rel, err := filepath.Rel(inside, at)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s: %w: a link leads out of the project to %s", f.path, ErrNotFile, at)
	}
	return nil
}

// existing returns the nearest directory upwards that is there.
func existing(dir string) string {
	for {
		if _, err := os.Lstat(dir); err == nil || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// missingDirs lists the directories that must be made for dir to be there, the outermost first.
func missingDirs(dir string) []string {
	var list []string
	for top := existing(dir); dir != top; dir = filepath.Dir(dir) {
		list = append([]string{dir}, list...)
	}
	return list
}

// tempName is the pattern of what is written before it takes a file's place.
const tempName = ".remanence-*.tmp"

// replace puts new bytes in the file's place at once or not at all, with the mode and owner it had; newMode is for a
// file that was not there. It is ErrChanged if the file is no longer what was read.
func (f file) replace(data []byte, newMode fs.FileMode) error {
	if err := f.writable(); err != nil {
		return err
	}
	var stale error
	err := fsx.Replace(fsx.Host{}, f.target, data, fsx.Replacement{
		Temp:    strings.Replace(tempName, "*", rand.Text(), 1),
		Prepare: func(tmp *os.File) error { return f.prepare(tmp, newMode) },
		Check: func() error {
			stale = f.unchanged()
			return stale
		},
	})
	if err == nil || stale != nil || errors.Is(err, fsx.ErrNotDurable) {
		return err
	}
	return writeError(f.target, err)
}

// prepare gives the temporary file the owner and mode of the file that it
// replaces, or newMode if there is none.
func (f file) prepare(tmp *os.File, newMode fs.FileMode) error {
	if !f.exists() {
		return tmp.Chmod(newMode)
	}
	if err := keepOwner(tmp, f.info); err != nil {
		return err
	}
	return tmp.Chmod(f.info.Mode().Perm())
}

// unchanged reads the file again.
func (f file) unchanged() error {
	now, err := read(f.path)
	if err != nil {
		return fmt.Errorf("%s: %w: %w", f.path, ErrChanged, err)
	}
	if now.exists() != f.exists() || now.target != f.target || !bytes.Equal(now.data, f.data) {
		return fmt.Errorf("%s: %w; nothing was written, try again", f.path, ErrChanged)
	}
	return nil
}

// remove takes the file away, if it still is what was read.
func (f file) remove() error {
	if err := f.writable(); err != nil {
		return err
	}
	if err := f.unchanged(); err != nil {
		return err
	}
	if err := os.Remove(f.target); err != nil {
		return writeError(f.target, err)
	}
	return fsx.SyncDir(fsx.Host{}, filepath.Dir(f.target))
}

func writeError(path string, err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("write %s: %w: %w", path, ErrReadOnly, err)
	}
	return fmt.Errorf("write %s: %w", path, err)
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
