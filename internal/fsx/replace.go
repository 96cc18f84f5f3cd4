package fsx

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Replacement says how a file is replaced. The zero value makes a private file
// with a temporary name that nothing else uses.
type Replacement struct {
	Temp string      // temporary name in the directory of the file; "" means a random one that begins with a dot
	Mode fs.FileMode // mode of the new file, before the umask; 0 means 0o600

	Prepare func(*os.File) error                // sets mode or owner of the empty temporary file; nil does nothing
	Write   func(*os.File, []byte) (int, error) // writes the bytes given to Replace; nil means (*os.File).Write
	// called right before the renaming; an error keeps the old file; nil does nothing
	Check func() error

	NoSync bool // for a file that need not survive a power cut: sync neither it nor its directory
}

// Pending is a file that is written before it takes the place of another. It is
// an io.Writer. The caller calls Commit or Discard; Discard after Commit does nothing.
type Pending struct {
	file *os.File // nil after it was closed
	base Base
	name string
	temp string
	how  Replacement
	done bool
}

// Create makes the temporary file that takes the place of name. It returns an
// fs.ErrExist if a file with the temporary name exists.
func Create(base Base, name string, how Replacement) (*Pending, error) {
	p := &Pending{base: base, name: name, temp: how.Temp, how: how}
	if p.temp == "" {
		p.temp = "." + filepath.Base(name) + "." + rand.Text() + ".tmp"
	}
	p.temp = filepath.Join(filepath.Dir(name), filepath.Base(p.temp))
	var err error
	if p.file, err = base.OpenFile(p.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, modeOr(how.Mode)); err != nil {
		return nil, err
	}
	if how.Prepare != nil {
		if err := how.Prepare(p.file); err != nil {
			return nil, errors.Join(err, p.Discard())
		}
	}
	return p, nil
}

// Write writes to the temporary file.
func (p *Pending) Write(b []byte) (int, error) { return p.file.Write(b) }

// Commit puts the file in its place: it syncs and closes the file, calls Check,
// renames the file and syncs the directory, in this order. After an error other
// than ErrNotDurable the old file is in place and the temporary file is removed.
func (p *Pending) Commit() error {
	err := p.close()
	if err == nil && p.how.Check != nil {
		err = p.how.Check()
	}
	if err == nil {
		err = p.base.Rename(p.temp, p.name)
	}
	if err != nil {
		return errors.Join(err, p.Discard())
	}
	p.done = true
	if p.how.NoSync {
		return nil
	}
	if err := SyncDir(p.base, filepath.Dir(p.name)); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

// close makes the content durable and closes the file.
func (p *Pending) close() error {
	var err error
	if !p.how.NoSync {
		err = p.file.Sync()
	}
	err = errors.Join(err, p.file.Close())
	p.file = nil
	return err
}

// Discard removes the temporary file. It does nothing after Commit or Discard.
func (p *Pending) Discard() error {
	if p.done {
		return nil
	}
	p.done = true
	if p.file != nil {
		_ = p.file.Close()
	}
	if err := p.base.Remove(p.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Replace puts data in the place of the file name, whole or not at all. A reader
// sees the old or the new content. Errors are those of [Create] and [Pending.Commit].
func Replace(base Base, name string, data []byte, how Replacement) error {
	p, err := Create(base, name, how)
	if err != nil {
		return err
	}
	if err := how.write(p.file, data); err != nil {
		return errors.Join(err, p.Discard())
	}
	return p.Commit()
}

// Move gives a plain file another name, whole or not at all, also on another file
// system. A file with the new name is replaced.
func Move(from, to string) error {
	if os.Rename(from, to) == nil {
		return nil
	}
	in, _, err := Open(Host{}, from, Options{})
	if err != nil {
		return err
	}
	p, err := Create(Host{}, to, Replacement{})
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(p, in)
	if err := errors.Join(err, in.Close()); err != nil {
		return errors.Join(err, p.Discard())
	}
	if err := p.Commit(); err != nil {
		return err
	}
	return os.Remove(from)
}

// WriteNew makes the file name with data and syncs it and its directory. It
// returns an fs.ErrExist if the file exists. After another error than
// ErrNotDurable there is no file. Fields Temp and Check of how are not used.
func WriteNew(base Base, name string, data []byte, how Replacement) error {
	f, err := base.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, modeOr(how.Mode))
	if err != nil {
		return err
	}
	if how.Prepare != nil {
		err = how.Prepare(f)
	}
	if err == nil {
		err = how.write(f, data)
	}
	if err == nil && !how.NoSync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, base.Remove(name))
	}
	if how.NoSync {
		return nil
	}
	if err := SyncDir(base, filepath.Dir(name)); err != nil {
		return fmt.Errorf("%w: %w", ErrNotDurable, err)
	}
	return nil
}

func (r Replacement) write(f *os.File, data []byte) error {
	write := r.Write
	if write == nil {
		write = (*os.File).Write
	}
	_, err := write(f, data)
	return err
}

func modeOr(mode fs.FileMode) fs.FileMode {
	if mode == 0 {
		return 0o600
	}
	return mode
}
