package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/spool"
)

// all lists what there is of ours on the disk. Files are named one by one: the
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
	files = append(files, p.Transcripts(), p.Lock(), p.Spool(), filepath.Dir(p.Log()), filepath.Dir(p.Runtime()), p.Run, p.Notices(), p.upkeep(), p.inbox(), p.spare())
	if p.home() {
		files = append(files, p.Installs(), p.Key(), p.MCPToken(), p.trustedFile(), p.commandDir(), p.Config)
	}
	var out []string
	for _, f := range files {
		if exists(f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// remove erases what all lists, and the directories that are empty then: ours,
// and those that were made for them.
func (p Paths) remove() error {
	if err := erase(p.all()); err != nil {
		return err
	}
	// Whoever is killed on the way is to find the rest the next time: what tells
	// of it goes last, and with it what keeps hooks out.
	made := p.madeDirs()
	last := slices.Index(made, p.Work) + 1
	rest := append(slices.Clone(made[:max(0, last-1)]), p.Data, filepath.Dir(p.Config), filepath.Dir(p.spare()))
	removeEmpty(append(rest, made[last:]...))
	err := erase([]string{p.leftMark(), p.made()})
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
	gone := []string{filepath.Dir(p.Log()), filepath.Dir(p.Runtime()), p.Run, p.Notices(), p.upkeep(), p.inbox(), p.spare()}
	if spool.Open(spool.Config{Dir: p.Spool()}).Empty() {
		gone = append(gone, p.Spool())
	}
	err := erase(gone)
	_ = os.Remove(filepath.Dir(p.spare()))
	return err
}

func erase(files []string) error {
	var errs []error
	for _, f := range files {
		if err := os.RemoveAll(f); err != nil {
			errs = append(errs, fmt.Errorf("erase %s: %w", f, err))
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
