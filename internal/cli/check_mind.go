package cli

import (
	"path/filepath"
	"strings"

	"remanence/internal/inject"
	"remanence/internal/mem"
)

// checkMind looks at the state files of the project that the command is about.
func (a *app) checkMind() []checkItem {
	p, err := a.projectHere(nil)
	if err != nil {
		return nil
	}
	files, err := a.files()
	if err != nil {
		return nil // the configuration is a fault of its own
	}
	m, err := files.Look(p)
	dir := filepath.Join(p.Root, mem.MindDir)
	if filepath.IsAbs(m.Files) { // a worktree has those of the main one
		dir = m.Files
	}
	switch {
	case err != nil || !m.Present:
		return nil
	case !m.Trusted:
		return []checkItem{note("mind", faultForeignFiles.because("%s", dir))}
	case len(m.Warnings) > 0:
		return []checkItem{bad("mind", false, faultStateOld.because("%s", strings.Join(m.Warnings, "; ")))}
	case len(m.Sections) == 0:
		return []checkItem{bad("mind", false, faultStateOld.because("%s says nothing: a heading needs text on the next lines", filepath.Join(dir, "STATE.md")).fixedBy("write below its headings what is so"))}
	case files.Forgotten(p):
		return []checkItem{bad("mind", false, faultStateOld.because("%s was last written %s ago and the last session changed files", filepath.Join(dir, "STATE.md"), inject.Age(a.sys.Now().Sub(m.Written))))}
	}
	return []checkItem{good("mind", false, "state files are read from %s", dir)}
}
