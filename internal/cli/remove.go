package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/spool"
)

// all lists what there is of ours on the disk. Files are named one by one where
// directories may be shared with others. Of a data directory that is not the
// user's own it is only what lies in it.
func (p Paths) all() []string {
	begin := []string{p.Database()} // with these, whatever comes after it
	if p.home() {
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
	files = append(files, p.Lock(), p.Notices(), p.upkeep(), p.inbox(), p.spare())
	files = append(files, p.ours(p.Transcripts(), "*/????-??-??__*.jsonl", "*/????-??-??__*.jsonl.part")...)
	files = append(files, p.spooled()...)
	files = append(files, p.bustle()...)
	if p.home() {
		files = append(files, p.Installs(), p.Key(), p.MCPToken(), p.trustedFile(), p.turn(), p.commandDir(), p.Config)
	}
	var out []string
	for _, f := range files {
		if exists(f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// spooled is what there is of the spool.
func (p Paths) spooled() []string {
	return p.ours(p.Spool(), "log.lock", "drain.lock", "count/*", "pending/events.log", "pending/part-*.log", "pending/*.rec", "pending/*.tmp")
}

// bustle is what a worker and hooks leave of their being there.
func (p Paths) bustle() []string {
	log := p.ours(filepath.Dir(p.Log()), "remanence.log", "remanence-*.log")
	run := p.ours(filepath.Dir(p.Runtime()), "runtime.json", ".runtime-*", ".try-*", "hold", "shy", "slow", "start", "start.lock", "trouble.json", "worker-*.sock")
	if p.home() {
		run = append(run, p.Run)
	}
	return append(log, run...)
}

// ours is a directory, or what in it has one of our names if there are others:
// in a data directory that is not the user's own somebody else may keep a log
// too.
func (p Paths) ours(dir string, names ...string) []string {
	var files []string
	under := os.DirFS(dir)
	for _, name := range names {
		found, _ := fs.Glob(under, name) // only a malformed pattern fails
		files = append(files, found...)
	}
	alone := p.home()
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

// remove erases what all lists, and the directories that are empty then: ours,
// and those that were made for them.
func (p Paths) remove() error {
	if err := p.erase(p.all()); err != nil {
		return err
	}
	// Whoever is killed on the way is to find the rest the next time: what tells
	// of it goes last, and with it what keeps hooks out.
	made := p.madeDirs()
	last := slices.Index(made, p.Work) + 1
	rest := append(slices.Clone(made[:max(0, last-1)]), p.Data, filepath.Dir(p.Config), filepath.Dir(p.spare()))
	removeEmpty(append(rest, made[last:]...))
	err := p.erase([]string{p.leftMark(), p.made()})
	removeEmpty(append([]string{p.Work}, made...))
	return err
}

// removeEmpty removes directories in their order; one that holds anything stays.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		_ = os.Remove(dir)
	}
}

// leave erases what only a worker and hooks need. What was remembered stays, and with it what is still on its
// way there, the secret that its marks are made with, and the configuration.
func (p Paths) leave() error {
	gone := append(p.bustle(), p.Notices(), p.upkeep(), p.inbox(), p.spare())
	if spool.Open(spool.Config{Dir: p.Spool()}).Empty() {
		gone = append(gone, p.spooled()...)
	}
	err := p.erase(gone)
	_ = os.Remove(filepath.Dir(p.spare()))
	return err
}

// erase removes files, and the directories that they leave empty in ours.
func (p Paths) erase(files []string) error {
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

// madeDirs are the directories that were made for ours, the innermost first. A
// list that could be anybody's counts for nothing: what it names must lie above
// our own.
func (p Paths) madeDirs() []string {
	b, err := readSmall(p.made())
	if err != nil {
		return nil
	}
	var dirs []string
	for _, dir := range strings.Split(string(b), "\n") {
		for _, ours := range []string{p.Work, p.Data, filepath.Dir(p.Config)} {
			if filepath.IsAbs(dir) && (dir == ours || strings.HasPrefix(ours, dir+string(filepath.Separator))) && !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	slices.Reverse(dirs)
	return dirs
}
