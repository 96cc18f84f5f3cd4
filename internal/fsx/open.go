package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Options are the conditions under which [Open] opens a file. The zero value
// opens a regular file for reading and follows no link in the last part of its name.
type Options struct {
	Flag        int         // flags of os.OpenFile; 0 means os.O_RDONLY
	Perm        fs.FileMode // mode of a file that os.O_CREATE makes, before the umask; 0 means 0o600
	FollowLinks bool        // accept a link that leads to a regular file

	OneName    bool                   // refuse a file with a second hard link
	NoPollable bool                   // refuse a file that can be waited for, such as a kernel's event source
	Owner      func(fs.FileInfo) bool // such as OwnedByUser; nil accepts every owner
}

// maxTries bounds how often Open starts again because the file was replaced meanwhile.
const maxTries = 5

// replacedError is an ErrUnsafe after which another try may succeed.
type replacedError struct{}

func (replacedError) Error() string { return ErrUnsafe.Error() + ": replaced while it was opened" }

func (replacedError) Unwrap() error { return ErrUnsafe }

// Open opens a regular file and returns what is known of it. Opening never
// waits, also not for a pipe that takes the file's place meanwhile. A file that o
// does not accept is an ErrUnsafe; other errors are those of base.
func Open(base Base, name string, o Options) (f *os.File, info fs.FileInfo, err error) {
	if o.Perm == 0 {
		o.Perm = 0o600
	}
	for range maxTries {
		f, info, err = o.open(base, name)
		if !errors.Is(err, replacedError{}) {
			break
		}
	}
	return f, info, err
}

func (o Options) open(base Base, name string) (*os.File, fs.FileInfo, error) {
	look := base.Lstat
	if o.FollowLinks {
		look = base.Stat
	}
	flag, created := o.Flag|noWait, false
	before, err := look(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && o.Flag&os.O_CREATE != 0:
		if created = !o.FollowLinks; created {
			flag |= os.O_EXCL // follows no link that is put there meanwhile
		}
	case err != nil:
		return nil, nil, err
	case !before.Mode().IsRegular():
		return nil, nil, fmt.Errorf("%w: %s", ErrUnsafe, describe(before.Mode()))
	}
	f, err := base.OpenFile(name, flag, o.Perm)
	if created && o.Flag&os.O_EXCL == 0 && errors.Is(err, fs.ErrExist) {
		return nil, nil, replacedError{}
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = o.check(f, before, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// check reports why an opened file is not acceptable. before is what its name
// led to before it was opened, nil for nothing.
func (o Options) check(f *os.File, before, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s", ErrUnsafe, describe(info.Mode()))
	case before != nil && !os.SameFile(before, info):
		return replacedError{}
	case o.OneName && !OneName(info):
		return fmt.Errorf("%w: it has a second name", ErrUnsafe)
	case o.Owner != nil && !o.Owner(info):
		return fmt.Errorf("%w: it belongs to another user", ErrUnsafe)
	case o.NoPollable && f.SetReadDeadline(time.Time{}) == nil:
		return fmt.Errorf("%w: reading it may wait", ErrUnsafe)
	}
	return nil
}

// describe names what a mode says a file is, if it is not a regular one.
func describe(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "it is a directory"
	case m&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	}
	return "it is a device, pipe or socket"
}

// OneName reports whether a file has no second hard link. It returns true if the system does not report hard links.
func OneName(info fs.FileInfo) bool { return Links(info) == 1 }
