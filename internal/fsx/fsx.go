// Package fsx opens, reads and replaces files whose names other people or
// programs can influence. It refuses what is not a regular file, never waits for
// the other end of a pipe, and replaces files atomically and durably.
//
// It does not decide where files are, what they mean or who may see them, and it
// takes no locks. Start reading at [Open] and [Replace].
package fsx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Base is where names are looked up: an *os.Root, which no link can leave, or
// [Host]. Names below an *os.Root are relative to it.
type Base interface {
	Lstat(name string) (fs.FileInfo, error)
	Stat(name string) (fs.FileInfo, error)
	OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

// Host is the Base of the whole file system: names are paths as package os takes them.
type Host struct{}

// Lstat calls os.Lstat.
func (Host) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// Stat calls os.Stat.
func (Host) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// OpenFile calls os.OpenFile.
func (Host) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, perm)
}

// Rename calls os.Rename.
func (Host) Rename(from, to string) error { return os.Rename(from, to) }

// Remove calls os.Remove.
func (Host) Remove(name string) error { return os.Remove(name) }

// Errors that callers act on.
var (
	// ErrUnsafe is returned for a file that Options do not accept, such as a link,
	// a pipe, a directory, or a file that was replaced while it was opened.
	ErrUnsafe = errors.New("not a plain file")
	// ErrTooLarge is returned for a file with more bytes than the caller reads.
	ErrTooLarge = errors.New("too large")
	// ErrNotDurable is returned if a file is in place, but the sync of its directory
	// failed: a power cut may bring the former file back.
	ErrNotDurable = errors.New("directory not synced")
)

// ReadAll reads r to its end. It returns ErrTooLarge if r has more than limit
// bytes, and reads at most one byte beyond them.
func ReadAll(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, limit)
	}
	return b, nil
}

// ReadFile opens a file as [Open] does and reads it as [ReadAll] does. The file
// information is that of the opened file; it is nil if the file was not opened.
func ReadFile(base Base, name string, limit int64, o Options) ([]byte, fs.FileInfo, error) {
	f, info, err := Open(base, name, o)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, info, fmt.Errorf("%w: %d bytes, at most %d are read", ErrTooLarge, info.Size(), limit)
	}
	b, err := ReadAll(f, limit)
	return b, info, err
}
