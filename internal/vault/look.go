package vault

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// cachedNote is a file as it was when last read.
type cachedNote struct {
	hash    string
	size    int64
	written time.Time
	unsure  bool   // it was written so lately that it may be written again within the same tick of its clock
	why     string // it was left out
}

// settled is the age from which a file's time shows whether it changed.
const settled = 2 * time.Second

// Look compares the vault with its last known content and passes the differences to keep. If keep succeeds, they
// are known, and only later changes are read again. known is called once, for what an earlier process stored. Only
// one call runs at a time.
func (v *Vault) Look(known func() ([]mem.Note, error), keep func(vaultfile.Changes) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return nil // one that is away, as on a disk that is not there, has not lost its files
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if v.files == nil {
		notes, err := known()
		if err != nil {
			return fmt.Errorf("known notes: %w", err)
		}
		files := map[string]cachedNote{}
		for _, n := range notes {
			files[n.File] = cachedNote{hash: n.Hash, size: n.Size, written: n.Written, unsure: n.Size == unsettled}
		}
		v.files = files
	}
	now, look, err := v.compare(root)
	if err != nil {
		return err
	}
	if len(look.Notes)+len(look.Gone) > 0 {
		if err := keep(look); err != nil {
			return err
		}
	}
	v.files = now
	return nil
}

// compare reads what differs from v.files.
func (v *Vault) compare(root *os.Root) (map[string]cachedNote, vaultfile.Changes, error) {
	var look vaultfile.Changes
	files, whole, err := list(root)
	if err != nil {
		return nil, look, err
	}
	now := make(map[string]cachedNote, len(files))
	for _, f := range files {
		name := f.name
		was, known := v.files[name]
		s := was
		if !known || s.unsure || s.size != f.size || !s.written.Equal(f.written) {
			s = v.read(root, name, was, &look)
		}
		if s.why != "" {
			look.Bad = append(look.Bad, vaultfile.BadFile{File: name, Why: s.why})
		}
		now[name] = s
	}
	for _, name := range slices.Sorted(maps.Keys(v.files)) {
		_, there := now[name]
		switch {
		case there:
		case !whole: // it may be one of those that are not listed
			now[name] = v.files[name]
		case v.files[name].hash != "":
			look.Gone = append(look.Gone, name)
		}
	}
	slices.SortStableFunc(look.Bad, func(a, b vaultfile.BadFile) int { return strings.Compare(a.File, b.File) })
	slices.SortStableFunc(look.Notes, func(a, b vaultfile.Note) int { return strings.Compare(a.File, b.File) })
	return now, look, nil
}

// read reads one file. One that cannot be read keeps what was known of it.
func (v *Vault) read(root *os.Root, name string, was cachedNote, look *vaultfile.Changes) cachedNote {
	b, info, err := readNote(root, name)
	if err != nil {
		was.why = reason(err)
		was.unsure = true
		return was
	}
	s := cachedNote{
		hash: hashOf(b), size: info.Size(), written: info.ModTime(),
		unsure: time.Since(info.ModTime()) < settled,
	}
	if s.hash != was.hash {
		n := parseNote(name, string(b))
		n.Note, n.Changed = noteOf(name, s), changedAt(info)
		n.Front, n.End = around(string(b))
		look.Notes = append(look.Notes, n)
	}
	return s
}

func noteOf(name string, s cachedNote) mem.Note {
	n := mem.Note{File: name, Hash: s.hash, Size: s.size, Written: s.written.UTC()}
	if s.unsure { // nor is it for a later process
		n.Size = unsettled
	}
	return n
}

// unsettled replaces the size of a file that was written too recently for its time to show a later change.
const unsettled = -1

// reason returns the error of a file without its path.
func reason(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// dirEntry is a file as its directory lists it.
type dirEntry struct {
	name    string
	size    int64
	written time.Time
}

// list returns the files of memories. whole is false if there are more than the limit, or if some cannot be read.
// Hidden files are no memories, nor are the copies that wait for the person.
func list(root *os.Root) (files []dirEntry, whole bool, err error) {
	d, err := fsx.OpenDir(root, memoryDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("list %s: %w", memoryDir, err)
	}
	defer d.Close()
	names, err := d.Readdirnames(maxFiles)
	broken := err != nil && !errors.Is(err, io.EOF)
	if broken && len(names) == 0 {
		return nil, false, fmt.Errorf("list %s: %w", memoryDir, err)
	}
	whole = !broken && len(names) < maxFiles
	files = make([]dirEntry, 0, len(names))
	for _, base := range names {
		if !strings.HasSuffix(base, ".md") || strings.HasPrefix(base, ".") || base == indexFile ||
			strings.Contains(base, conflictMark) {
			continue
		}
		f := dirEntry{name: memoryDir + "/" + base}
		var isDir bool
		f.size, f.written, isDir, err = lookAt(root, d, base)
		switch {
		case err == nil && !isDir:
			files = append(files, f)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			whole = false
		}
	}
	return files, whole, nil
}

// conflictMark is in the name of a copy that waits for the person.
const conflictMark = ".conflict-"

// conflicts are those copies.
func conflicts(root *os.Root) []string {
	var out []string
	entries, _ := fs.ReadDir(root.FS(), memoryDir) // none where nothing can be listed
	for _, e := range entries {
		if strings.Contains(e.Name(), conflictMark) {
			out = append(out, path.Join(memoryDir, e.Name()))
		}
	}
	return out
}
