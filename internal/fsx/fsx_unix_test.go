//go:build unix

package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestOpenDoesNotWaitForAPipe(t *testing.T) {
	bases(t, func(t *testing.T, base Base, dir string, at func(string) string) {
		must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
		for _, o := range []Options{{}, {FollowLinks: true}, {Flag: os.O_WRONLY | os.O_CREATE}} {
			if _, _, err := Open(base, at("pipe"), o); !errors.Is(err, ErrUnsafe) {
				t.Errorf("%+v: got %v, want %v", o, err, ErrUnsafe)
			}
		}
		d, err := OpenDir(base, at("pipe"))
		must(t, err)
		_ = d.Close()
	})
}

func TestAPipeThatAppearsWhileAFileIsOpenedIsRefused(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	write(t, dir, "file", "text")
	base := &swapping{times: 1, swap: func() { must(t, errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o600))) }}
	if _, _, err := Open(base, name, Options{}); !errors.Is(err, ErrUnsafe) {
		t.Errorf("got %v, want %v", err, ErrUnsafe)
	}
}

// readOnly refuses to make files, as a read-only file system does.
type readOnly struct{ Host }

func (readOnly) OpenFile(name string, _ int, _ fs.FileMode) (*os.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
}

func TestAReadOnlyFileSystemKeepsItsFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "old")
	name := filepath.Join(dir, "file")
	if err := Replace(readOnly{}, name, []byte("new"), Replacement{}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v, want %v", err, syscall.EROFS)
	}
	if err := WriteNew(readOnly{}, name+"2", []byte("new"), Replacement{}); !errors.Is(err, syscall.EROFS) {
		t.Errorf("got %v, want %v", err, syscall.EROFS)
	}
	wantFiles(t, dir, "file=old")
}

func TestModesDoNotDependOnTheUmask(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	must(t, Replace(Host{}, name, nil, Replacement{Prepare: func(f *os.File) error { return f.Chmod(0o666) }}))
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("got %v, %v; want the mode that was set", info.Mode(), err)
	}
}

func TestInformationComesFromTheSystem(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "file", "")
	must(t, os.Link(filepath.Join(dir, "file"), filepath.Join(dir, "second")))
	info, err := os.Stat(filepath.Join(dir, "file"))
	must(t, err)
	if Links(info) != 2 || OneName(info) || Inode(info) == 0 || !OwnedByUser(info) || !OwnedByUserOrRoot(info) {
		t.Errorf("got %d links, inode %d, owned %v", Links(info), Inode(info), OwnedByUser(info))
	}
}

// unsyncable opens a pipe in place of a directory: to sync it is an EINVAL, as on
// some network file systems.
type unsyncable struct{ Host }

func (unsyncable) OpenFile(string, int, fs.FileMode) (*os.File, error) {
	r, w, err := os.Pipe()
	return r, errors.Join(err, w.Close())
}

func TestADirectoryThatCannotBeSyncedIsNoError(t *testing.T) {
	if err := SyncDir(unsyncable{}, t.TempDir()); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}
