package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// OwnFiles lists the files of Remanence on the disk. In directories that may be shared, it lists files one by one. Of a
// data directory that is not the default one, it lists only files inside it.
func (p Paths) OwnFiles() []string {
	begin := []string{p.Database()} // begins, with any suffix
	if p.isDefault() {
		begin = append(begin, filepath.Join(p.State, "edit-"))
	}
	var files []string
	for _, prefix := range begin {
		entries, _ := os.ReadDir(filepath.Dir(prefix)) // none that can be read is none
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), filepath.Base(prefix)) {
				files = append(files, filepath.Join(filepath.Dir(prefix), e.Name()))
			}
		}
	}
	files = append(files, p.Lock(), p.Notices(), p.Upkeep(), p.Inbox(), p.FallbackDir())
	files = append(files, p.filesNamed(p.Transcripts(), "*/????-??-??__*.jsonl", "*/????-??-??__*.jsonl.part")...)
	files = append(files, p.Spooled()...)
	files = append(files, p.RunFiles()...)
	if p.isDefault() {
		files = append(files, p.Installs(), p.Key(), p.MCPToken(), p.TrustedFile(), p.decisionsLock(), p.CommandDir(),
			p.Config)
	}
	var out []string
	for _, f := range files {
		if Exists(f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// Spooled returns the files of the spool.
func (p Paths) Spooled() []string {
	return p.filesNamed(p.Spool(), "log.lock", "drain.lock", "count/*", "pending/events.log", "pending/part-*.log",
		"pending/*.rec", "pending/*.tmp")
}

// RunFiles returns the files that a running daemon and its hooks leave.
func (p Paths) RunFiles() []string {
	log := p.filesNamed(filepath.Dir(p.Log()), "remanence.log", "remanence-*.log")
	run := p.filesNamed(filepath.Dir(p.Runtime()), "runtime.json", ".runtime-*", ".try-*", "hold", "shy", "slow", "start",
		"start.lock", "trouble.json", "worker-*.sock")
	if p.isDefault() {
		run = append(run, p.Run)
	}
	return append(log, run...)
}

// filesNamed returns a directory, or only the files in it with the names given if it contains others too, such as the
// log of another program.
func (p Paths) filesNamed(dir string, names ...string) []string {
	var files []string
	under := os.DirFS(dir)
	for _, name := range names {
		found, _ := fs.Glob(under, name) // only a malformed pattern fails
		files = append(files, found...)
	}
	alone := p.isDefault()
	if !alone {
		alone = nil == fs.WalkDir(under, ".", func(file string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && !slices.Contains(files, file) {
				return fs.ErrExist
			}
			return err
		})
	}
	if alone {
		return []string{dir}
	}
	for i := range files {
		files[i] = filepath.Join(dir, files[i])
	}
	return files
}

// RemoveOwn erases all files, then the empty directories that were created for them.
func (p Paths) RemoveOwn() error {
	if err := p.EraseFiles(p.OwnFiles()); err != nil {
		return err
	}
	// The list of created directories and the mark that disables hooks are removed last, so that an interrupted run
	// can be repeated.
	made := p.madeDirs()
	last := slices.Index(made, p.Work) + 1
	rest := append(slices.Clone(made[:max(0, last-1)]), p.Data, filepath.Dir(p.Config), filepath.Dir(p.FallbackDir()))
	removeEmpty(append(rest, made[last:]...))
	err := p.EraseFiles([]string{p.UninstalledMark(), p.made()})
	removeEmpty(append([]string{p.Work}, made...))
	return err
}

// removeEmpty removes directories in their order; one that holds anything stays.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}

// EraseFiles removes files, and the directories below p.Work that become empty.
func (p Paths) EraseFiles(files []string) error {
	var errs []error
	for _, f := range files {
		if err := os.RemoveAll(f); err != nil {
			errs = append(errs, fmt.Errorf("erase %s: %w", f, err))
		}
		for dir := filepath.Dir(f); strings.HasPrefix(dir, p.Work+string(filepath.Separator)); dir = filepath.Dir(dir) {
			_ = os.Remove(dir)
		}
	}
	return errors.Join(errs...)
}

// madeDirs returns the directories that an installation created, the innermost first. Entries that are not our own
// directories or their parents are ignored, since others may have written the list.
func (p Paths) madeDirs() []string {
	b, err := ReadSmall(p.made())
	if err != nil {
		return nil
	}
	var dirs []string
	for _, dir := range strings.Split(string(b), "\n") {
		for _, ours := range []string{p.Work, p.Data, filepath.Dir(p.Config)} {
			if filepath.IsAbs(dir) && (dir == ours || strings.HasPrefix(ours, dir+string(filepath.Separator))) &&
				!slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Reverse(dirs)
	return dirs
}
