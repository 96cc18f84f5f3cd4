package doctor

import (
	"path/filepath"
	"strings"

	"remanence/internal/fault"
	"remanence/internal/inject"
	"remanence/internal/workstate"
)

// checkMind looks at the state files of the project that the command is about.
func (a *Checks) checkMind() []Check {
	p, err := a.ProjectHere(nil)
	if err != nil {
		return nil
	}
	files, err := a.Files()
	if err != nil {
		return nil // the configuration is a fault of its own
	}
	m, err := files.Look(p)
	dir := filepath.Join(p.Root, workstate.Dir)
	if filepath.IsAbs(m.Files) { // a worktree has those of the main one
		dir = m.Files
	}
	switch {
	case err != nil || !m.Present:
		return nil
	case !m.Trusted:
		return []Check{note("mind", fault.ForeignFiles.Because("%s", dir))}
	case len(m.Warnings) > 0:
		return []Check{Bad("mind", false, fault.StateOld.Because("%s", strings.Join(m.Warnings, "; ")))}
	case len(m.Sections) == 0:
		return []Check{Bad("mind", false, fault.StateOld.Because("%s says nothing: a heading needs text on the next lines",
			filepath.Join(dir, "STATE.md")).FixedBy("write below its headings what is so"))}
	case files.Forgotten(p):
		return []Check{Bad("mind", false,
			fault.StateOld.Because("%s was last written %s ago and the last session changed files",
				filepath.Join(dir, "STATE.md"), inject.Age(a.Sys.Now().Sub(m.Written))))}
	}
	return []Check{Good("mind", false, "state files are read from %s", dir)}
}
