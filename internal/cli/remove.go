package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// all lists what there is of ours on the disk. Files are named one by one: the
// directories may be shared with others. Of a data directory that is not the
// user's own it is only what lies in it.
func (p Paths) all() []string {
	var out []string
	patterns := []string{
		p.Database() + "*", p.Lock(),
		p.Spool(), filepath.Dir(p.Log()), filepath.Dir(p.Runtime()), p.Run, p.Notices(),
	}
	if p.home() {
		patterns = append(patterns, p.Installs(), p.Key(), filepath.Join(p.State, "edit-*"), p.Config)
	}
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			continue // only a malformed pattern, which no real path needs
		}
		for _, f := range found {
			if !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	return out
}

// remove erases what all lists, and the directories that are empty then.
func (p Paths) remove() error {
	var errs []error
	for _, f := range p.all() {
		if err := os.RemoveAll(f); err != nil {
			errs = append(errs, fmt.Errorf("erase %s: %w", f, err))
		}
	}
	for _, dir := range []string{p.Data, p.State, filepath.Dir(p.Config)} {
		_ = os.Remove(dir) // refuses what is not empty, which is meant
	}
	return errors.Join(errs...)
}
