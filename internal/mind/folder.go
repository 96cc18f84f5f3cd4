package mind

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"remanence/internal/chars"
	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// Bounds of what is read of a project. Its files are foreign input: they may be
// huge, or not be files at all.
const (
	maxFile   = 1 << 20
	maxConfig = 64 << 10
)

// staleLock is the age from which a lock was left behind. So was one that is as
// far in the future as aheadLock: the clock has been put right since.
const (
	staleLock = 30 * time.Second
	aheadLock = time.Hour
)

// lockName is the file that a writer holds.
const lockName = ".write-lock"

// Errors of the state files.
var (
	// ErrUnsafe is the error of a file that is not a plain file of the user: a link, a second name of another file, a
	// file of another user, or no file.
	ErrUnsafe   error = fileError("not a plain file of yours")
	ErrHuge     error = fileError("too large")
	ErrBinary   error = fileError("not text")
	ErrUnmerged error = fileError("two versions of it stand in it, and one has to be chosen")
	errReadOnly error = fileError("read-only")
	ErrBusy     error = fileError("another process is writing")
)

// fileError is why a file cannot be used; it is a mem.ErrUnsafe.
type fileError string

func (u fileError) Error() string { return string(u) }

// Is makes errors.Is find mem.ErrUnsafe.
func (u fileError) Is(target error) bool { return target == mem.ErrUnsafe }

// folder is a directory below the root of a project. All access goes through
// the root: nothing outside of it is opened, wherever links lead.
type folder struct {
	root *os.Root
	dir  string
	put  func(f *os.File, b []byte) (int, error) // writes; nil means (*os.File).Write
}

// openFolder opens a directory of a project that is no link.
func openFolder(project, dir string) (*folder, error) {
	root, err := os.OpenRoot(project)
	if err != nil {
		return nil, err
	}
	info, err := root.Lstat(dir)
	if err == nil && (!info.IsDir() || !fsx.OwnedByUser(info)) {
		err = ErrUnsafe
	}
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &folder{root: root, dir: dir}, nil
}

func (d *folder) close() { _ = d.root.Close() }

func (d *folder) path(name string) string { return path.Join(d.dir, name) }

// stamp identifies a version of a file. The zero value means that there is no file.
type stamp struct {
	size    int64
	written time.Time
	inode   uint64
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime(), fsx.Inode(info)} }

// look is the stamp of a file that may be opened.
func (d *folder) look(name string) (stamp, error) {
	info, err := d.root.Lstat(d.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		return stamp{}, nil
	}
	if err != nil {
		return stamp{}, err
	}
	if !info.Mode().IsRegular() || !fsx.OwnedByUser(info) || !fsx.OneName(info) {
		return stamp{}, ErrUnsafe
	}
	return stampOf(info), nil
}

// read is the content of a file, and its stamp. A file that is not there is
// empty and has none.
func (d *folder) read(name string, most int64) ([]byte, stamp, error) {
	st, err := d.look(name)
	if err != nil || st == (stamp{}) {
		return nil, st, err
	}
	if st.size > most {
		return nil, st, fmt.Errorf("%w: %d bytes, %d are read", ErrHuge, st.size, most)
	}
	b, st, err := d.readFrom(name, 0, most+1)
	switch {
	case err != nil:
		return nil, st, err
	case int64(len(b)) > most:
		return nil, st, ErrHuge
	case !readable(b):
		return nil, st, ErrBinary
	case chars.HasConflictMarkers(string(b)):
		return nil, st, ErrUnmerged
	}
	return b, st, nil
}

// readFrom reads so many bytes of a file at most, whatever they are.
func (d *folder) readFrom(name string, from, most int64) ([]byte, stamp, error) {
	file, info, err := fsx.Open(d.root, d.path(name), fsx.Options{OneName: true, Owner: fsx.OwnedByUser})
	if errors.Is(err, fsx.ErrUnsafe) {
		return nil, stamp{}, ErrUnsafe
	}
	if err != nil {
		return nil, stamp{}, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.NewSectionReader(file, from, most))
	return b, stampOf(info), err
}

// tail are the last lines of a file, in so many bytes, and its stamp.
func (d *folder) tail(name string, most int64) ([]string, stamp, error) {
	st, err := d.look(name)
	if err != nil || st == (stamp{}) {
		return nil, st, err
	}
	from := max(0, st.size-most)
	b, st, err := d.readFrom(name, from, most)
	if err != nil {
		return nil, st, err
	}
	lines := strings.Split(string(b), "\n")
	if from > 0 {
		lines = lines[1:] // it may be half of one
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.TrimRight(l, "\r") == "" })
	return lines, st, nil
}

// errChanged says that a file was changed while it was to be written.
var errChanged = errors.New("changed meanwhile")

// saltSize is the length in bytes of the random part of a temporary name.
const saltSize = 6

// replace puts b in the place of a file that still has the given stamp, whole or
// not at all.
func (d *folder) replace(name string, b []byte, was stamp) error {
	mode := fs.FileMode(0o644)
	if info, err := d.root.Lstat(d.path(name)); err == nil {
		mode = info.Mode().Perm()
	}
	if mode&0o200 == 0 { // its owner's word; a new file in its place would go round it
		return errReadOnly
	}
	var salt [saltSize]byte
	_, _ = rand.Read(salt[:])
	var stale error
	err := fsx.Replace(d.root, d.path(name), b, fsx.Replacement{
		Temp:  "." + path.Base(name) + "." + hex.EncodeToString(salt[:]) + ".tmp",
		Mode:  mode,
		Write: d.put,
		Prepare: func(f *os.File) error {
			if was != (stamp{}) {
				_ = f.Chmod(mode) // the umask does not count; some disks have no modes
			}
			return nil
		},
		Check: func() error {
			var now stamp
			if now, stale = d.look(name); stale == nil && now != was {
				stale = errChanged
			}
			return stale
		},
	})
	switch {
	case stale != nil:
		return stale
	case errors.Is(err, fsx.ErrNotDurable): // the file is in place
		return nil
	}
	return translateError(err)
}

// create makes a file of the folder. It returns an fs.ErrExist if there is one.
func (d *folder) create(name string, b []byte, how fsx.Replacement) error {
	how.Write = d.put
	err := fsx.WriteNew(d.root, d.path(name), b, how)
	if errors.Is(err, fsx.ErrNotDurable) { // the file is in place
		return nil
	}
	return err
}

// sweep takes away what writing left that was killed.
func (d *folder) sweep(now time.Time) error {
	var errs []error
	for _, dir := range []string{d.dir, d.path(checkpointDir)} {
		list, _ := fs.ReadDir(d.root.FS(), dir) // what cannot be looked through stays
		for _, e := range list {
			info, err := e.Info()
			if err == nil && info.Mode().IsRegular() && isTempName(e.Name()) && now.Sub(info.ModTime()) > staleLock {
				errs = append(errs, d.root.Remove(path.Join(dir, e.Name())))
			}
		}
	}
	return errors.Join(errs...)
}

// isTempName reports whether replace gives such a name to what it writes.
func isTempName(name string) bool {
	rest, isTemp := strings.CutSuffix(name, ".tmp")
	i := strings.LastIndexByte(rest, '.')
	salt, err := hex.DecodeString(rest[i+1:])
	return isTemp && i > 0 && rest[0] == '.' && err == nil && len(salt) == saltSize
}

// lock takes the lock of the folder, and removes an abandoned one. The caller calls unlock, which leaves the lock
// of another process alone: a lock that is held too long counts as abandoned.
func (d *folder) lock(ctx context.Context, now func() time.Time) (unlock func(), err error) {
	mine := []byte(now().UTC().Format(time.RFC3339Nano) + " " + rand.Text() + "\n")
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, 200*time.Millisecond) {
		err := d.create(lockName, mine, fsx.Replacement{NoSync: true})
		if err == nil {
			return func() { d.unlock(mine, now) }, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, translateError(err)
		}
		gone, err := d.removeStaleLock(now)
		if err != nil { // trying again would never end
			return nil, fmt.Errorf("take away %s, which was left behind: %w", lockName, translateError(err))
		}
		if gone {
			continue
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", ErrBusy, ctx.Err())
		case <-time.After(wait):
		}
	}
}

// removeStaleLock takes a lock away that was left behind. It looks again when it is
// alone: another may have taken it away by then, and hold its own.
func (d *folder) removeStaleLock(now func() time.Time) (gone bool, err error) {
	if !d.lockIsStale(now) {
		return false, nil
	}
	release, alone := d.lockDir()
	defer release()
	if !alone || !d.lockIsStale(now) {
		return false, nil
	}
	if err := d.root.Remove(d.path(lockName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	return true, nil
}

func (d *folder) lockIsStale(now func() time.Time) bool {
	info, err := d.root.Lstat(d.path(lockName))
	if err != nil {
		return false
	}
	age := now().Sub(info.ModTime())
	return age > staleLock || age < -aheadLock
}

// unlock takes the lock away, if it is still the one that was taken.
func (d *folder) unlock(mine []byte, now func() time.Time) {
	release, alone := d.lockDir()
	defer release()
	if !alone && d.lockIsStale(now) {
		return // another process is removing it
	}
	if b, _, err := d.read(lockName, maxConfig); err == nil && bytes.Equal(b, mine) {
		_ = d.root.Remove(d.path(lockName))
	}
}

// reasonOf is an error without the path of the file that it is about.
func reasonOf(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// translateError names errors of the system as callers know them.
func translateError(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", mem.ErrFull, err)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w: %w", mem.ErrReadOnly, err)
	}
	return err
}
