package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// Write changes the file of a memory, last read as was, and returns it as it is then. Parts that the change does
// not name keep every byte. If someone else changed the file meanwhile, it is left alone: a change of its text is
// written to a copy beside it and errConflict returned; other changes are not made and vaultfile.ErrBehind
// returned. A missing file is created if the change is whole.
func (v *Vault) Write(was mem.Note, c vaultfile.NoteChange) (mem.Note, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	root, err := v.open()
	if err != nil {
		return was, err
	}
	defer root.Close()
	if !ours(was.File) {
		return was, fmt.Errorf("%s: %w", was.File, errNotPlain)
	}
	note, err := v.write(root, was, c)
	if err != nil && !errors.Is(err, errConflict) && !errors.Is(err, vaultfile.ErrBehind) {
		err = fmt.Errorf("write %s: %w", was.File, err)
	}
	return note, err
}

func (v *Vault) write(root *os.Root, was mem.Note, c vaultfile.NoteChange) (mem.Note, error) {
	b, _, err := readNote(root, was.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Whole:
		b = nil
	case errors.Is(err, fs.ErrNotExist):
		return was, vaultfile.ErrBehind
	case err != nil:
		return was, err
	}
	old := string(b)
	if b == nil && c.Body != nil && was.Front != "" {
		old = was.Front + strings.ReplaceAll(strings.TrimSpace(*c.Body), "\n", parseFront(was.Front).eol) + was.End
		c.ID = nil // the file is known by its name, as before
	}
	text, err := changed(was.File, old, c)
	if err != nil {
		return was, err
	}
	if b != nil && hashOf(b) != was.Hash {
		return was, v.beside(root, was.File, text, c)
	}
	err = replaceFile(root, was.File, b, []byte(text))
	if errors.Is(err, errChanged) {
		return was, v.beside(root, was.File, text, c)
	}
	if err != nil {
		return was, err
	}
	info, err := root.Lstat(filepath.FromSlash(was.File))
	if err != nil {
		return was, err
	}
	s := cachedNote{hash: hashOf([]byte(text)), size: info.Size(), written: info.ModTime(), unsure: true}
	if v.files != nil {
		v.files[was.File] = s
	}
	now := noteOf(was.File, s)
	now.State, now.Uses, now.Prevented = was.State, was.Uses, was.Prevented
	now.Front, now.End = around(text)
	return now, nil
}

// maxFront bounds the frontmatter that is kept of a file, in bytes.
const maxFront = 8 << 10

// around returns what stands before and behind the body of a file; nothing of one without frontmatter or with a very
// long one.
func around(text string) (front, end string) {
	f := parseFront(text)
	body := strings.TrimLeft(text[f.body:], " \t\r\n")
	front = text[:len(text)-len(body)]
	if f.none || len(front) > maxFront {
		return "", ""
	}
	end = body[len(strings.TrimRight(body, " \t\r\n")):]
	return front, end[:min(len(end), 80)]
}

// beside keeps in a copy what cannot be written without losing another's work.
func (v *Vault) beside(root *os.Root, name, text string, c vaultfile.NoteChange) error {
	if !c.Text() {
		return vaultfile.ErrBehind
	}
	stem := strings.TrimSuffix(name, ".md")
	for i := range 100 {
		file := fmt.Sprintf("%s%s%s-%d.md", stem, conflictMark, time.Now().UTC().Format("20060102-150405"), i)
		err := replaceFile(root, file, nil, []byte(text))
		if errors.Is(err, errChanged) {
			continue
		}
		if err != nil {
			return fmt.Errorf("keep a copy of %s: %w", name, err)
		}
		return errConflict
	}
	return errConflict
}

// ours reports whether a name is one that memories have.
func ours(name string) bool {
	return path.Dir(name) == memoryDir && strings.HasSuffix(name, ".md") && !strings.HasPrefix(path.Base(name), ".") &&
		path.Clean(name) == name &&
		filepath.IsLocal(filepath.FromSlash(name))
}

// Erase takes the file of a memory away, with the copies of it that wait for the
// person. One that is not there is gone already.
func (v *Vault) Erase(name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if !ours(name) {
		return fmt.Errorf("%s: %w", name, errNotPlain)
	}
	names := []string{name}
	for _, c := range conflicts(root) {
		if strings.HasPrefix(c, strings.TrimSuffix(name, ".md")+conflictMark) {
			names = append(names, c)
		}
	}
	for _, n := range names {
		if err := root.Remove(filepath.FromSlash(n)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", n, err)
		}
	}
	delete(v.files, name)
	if err := fsx.SyncDir(root, memoryDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
