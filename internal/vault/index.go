package vault

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// The index stands between two lines of ours; what is before and after them is
// the person's.
const (
	indexBegin = "<!-- remanence: index of memory/, written anew when it changes -->"
	indexEnd   = "<!-- remanence: end of index -->"
)

// WriteIndex writes the index of all memories anew. A file that has no place for
// it is the person's and left alone. Where not all files are listed, those that
// are not keep their entries as long as they are there.
func (v *Vault) WriteIndex() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	root, err := v.open()
	if err != nil {
		return err
	}
	defer root.Close()
	files, whole, err := list(root)
	if err != nil {
		return err
	}
	entries := map[string]string{} // by file; empty for one that has none
	for _, f := range files {
		name := f.name
		entries[name] = ""
		b, _, err := readNote(root, name)
		if err != nil {
			continue // reported by those who look
		}
		if n := parseNote(name, string(b)); n.Status != string(mem.Forgotten) && n.Type != "index" {
			entry := vaultfile.IndexEntry(n.Name, n.Description, n.File)
			entries[name] = "- " + strings.ReplaceAll(entry, "<!--", "&lt;!--") // it may quote our own markers
		}
	}
	return changeFile(root, indexFile, func(was string) string {
		all := maps.Clone(entries)
		if !whole {
			keepEntries(root, was, all)
		}
		lines := []string{indexBegin}
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if all[name] != "" {
				lines = append(lines, all[name])
			}
		}
		return indexed(was, strings.Join(append(lines, indexEnd), "\n"))
	})
}

// keepEntries adds to all what an index says of files that are not in all and
// still there.
func keepEntries(root *os.Root, was string, all map[string]string) {
	_, rest, _ := strings.Cut(was, indexBegin)
	block, _, _ := strings.Cut(rest, indexEnd)
	for line := range strings.Lines(block) {
		_, link, _ := strings.Cut(line, "](")
		name, _, ok := strings.Cut(link, ".md)")
		name += ".md"
		if _, listed := all[name]; !ok || listed || !ours(name) {
			continue
		}
		if _, err := root.Lstat(filepath.FromSlash(name)); !errors.Is(err, fs.ErrNotExist) {
			all[name] = strings.TrimRight(line, "\r\n")
		}
	}
}

// sortedNames are the names of files in their order.
func sortedNames(files []dirEntry) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.name
	}
	slices.Sort(names)
	return names
}

// indexed is a text with the block in its place.
func indexed(was, block string) string {
	if strings.TrimSpace(was) == "" {
		return "# Memory\n\n" + block + "\n"
	}
	before, rest, open := strings.Cut(was, indexBegin)
	_, after, closed := strings.Cut(rest, indexEnd)
	if !open || !closed {
		return was
	}
	return before + block + after
}

// State returns the status of the vault. critical are files that are always injected.
func (v *Vault) State(critical []string) (Status, error) {
	s := Status{
		Dir: v.Dir, Found: v.There(), Bad: []vaultfile.BadFile{}, Conflicts: []string{},
		MissingCritical: []string{}, DuplicateIDs: []string{}, WithoutInvariant: []string{}, Index: "none",
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	root, err := v.open()
	if errors.Is(err, ErrNone) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	defer root.Close()
	files, _, err := list(root)
	if err != nil {
		return s, err
	}
	ids := map[string]string{}
	for _, name := range sortedNames(files) {
		b, _, err := readNote(root, name)
		if err != nil {
			s.Bad = append(s.Bad, vaultfile.BadFile{File: name, Why: reason(err)})
			continue
		}
		s.Notes++
		n := parseNote(name, string(b))
		if n.ID != "" && ids[n.ID] != "" {
			s.DuplicateIDs = append(s.DuplicateIDs, name)
		}
		ids[n.ID] = name
		if n.Critical && n.Invariant == "" {
			s.WithoutInvariant = append(s.WithoutInvariant, name)
		}
	}
	for name, there := range map[string]*bool{identityFile: &s.Identity, userFile: &s.User} {
		b, _, err := readFile(root, name)
		*there = err == nil && pageText(string(b)) != ""
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.Bad = append(s.Bad, vaultfile.BadFile{File: name, Why: reason(err)})
		}
	}
	if b, _, err := readFile(root, indexFile); err == nil {
		if s.Index = "yours"; strings.Contains(string(b), indexBegin) && strings.Contains(string(b), indexEnd) {
			s.Index = "written"
		}
	}
	for _, name := range critical {
		if _, err := root.Lstat(filepath.FromSlash(vaultfile.Path(name))); err != nil {
			s.MissingCritical = append(s.MissingCritical, name)
		}
	}
	_, hints, err := v.hintsText()
	if s.Hints = hints; err == nil && hints != "" {
		_, err = v.Hints("")
	}
	if err != nil {
		s.Bad = append(s.Bad, vaultfile.BadFile{File: hintsFile, Why: reason(err)})
	}
	s.Conflicts = append(s.Conflicts, conflicts(root)...)
	return s, nil
}
