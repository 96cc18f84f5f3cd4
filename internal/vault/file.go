package vault

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"unicode/utf8"

	"remanence/internal/chars"
	"remanence/internal/fsx"
)

// What keeps a file from being read or replaced.
var (
	errNotPlain = errors.New("is no plain file of yours under one name")
	errLarge    = fmt.Errorf("is larger than %d KiB", maxFile>>10)
	errBinary   = errors.New("is no text in UTF-8")
	errUnmerged = errors.New("holds two versions, of which one has to be chosen")
	errChanged  = errors.New("was changed meanwhile")
)

// openFile opens a plain file of the person's below root, or makes it, if flag
// says so. It never waits, and follows no link to its last part.
func openFile(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := fsx.Open(root, filepath.FromSlash(name), fsx.Options{
		Flag: flag, OneName: true, NoPollable: true, Owner: fsx.OwnedByUserOrRoot,
	})
	if errors.Is(err, fsx.ErrUnsafe) {
		err = errNotPlain
	}
	return f, info, err
}

// readFile reads a plain file of the person's below root.
func readFile(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	f, info, err := openFile(root, name, os.O_RDONLY)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if info.Size() > maxFile {
		return nil, nil, errLarge
	}
	b, err := fsx.ReadAll(f, maxFile)
	switch {
	case errors.Is(err, fsx.ErrTooLarge):
		err = errLarge
	case err != nil:
	case !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0:
		err = errBinary
	}
	return b, info, err
}

// readNote reads the file of a memory. A file with the marks of an unfinished merge is refused.
func readNote(root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	b, info, err := readFile(root, name)
	if err == nil && chars.HasConflictMarkers(string(b)) {
		err = errUnmerged
	}
	return b, info, err
}

// unfinished ends the name of a file on its way to take another's place.
const unfinished = ".remanence-tmp"

// replaceFile puts text in the place of a file, whole or not at all. was is what
// it held when the text was made, nil if it was not there: if it holds something
// else by now nothing is written, errChanged.
func replaceFile(root *os.Root, name string, was, text []byte) error {
	now, info, err := readFile(root, name)
	mode := fs.FileMode(0o600)
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
	case errors.Is(err, fs.ErrNotExist):
		return errChanged
	case err != nil:
		return err
	case was == nil || !bytes.Equal(now, was):
		return errChanged
	case bytes.Equal(now, text):
		return nil
	default:
		mode = info.Mode().Perm()
	}
	if err := root.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o700); err != nil {
		return err
	}
	return fsx.Replace(root, filepath.FromSlash(name), text, fsx.Replacement{
		Temp: "." + path.Base(name) + "-" + rand.Text()[:8] + unfinished,
		Prepare: func(f *os.File) error {
			_ = f.Chmod(mode) // some disks have no modes
			return nil
		},
		Check: func() error { return checkUnchanged(root, name, was) },
	})
}

// checkUnchanged looks once more, right before the exchange: what an editor saved
// while the text was on its way stays.
func checkUnchanged(root *os.Root, name string, was []byte) error {
	now, _, err := readFile(root, name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && was == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), err == nil && (was == nil || !bytes.Equal(now, was)):
		return errChanged
	}
	return err
}

// hashOf names a content.
func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}
