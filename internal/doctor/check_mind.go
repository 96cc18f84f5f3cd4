package doctor

import (
	"path/filepath"
	"strings"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/daemon"
	"remanence/internal/fault"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// checkProjectFile looks at the configuration file of the project that the command is about.
func (a *Checks) checkProjectFile() []Check {
	p, err := a.ProjectHere(nil)
	if err != nil {
		return nil
	}
	file := config.ProjectFile(p.Root)
	if !config.Exists(file) {
		return nil
	}
	if book := (&daemon.TrustList{Paths: a.Paths}); !book.Trusts(p) {
		return []Check{note("project", fault.ForeignFiles.Because("%s", file).
			WithMessage("the repository's own configuration is not trusted, so it is not read"))}
	}
	f, warnings, err := config.ReadProjectFile(p.Root)
	switch {
	case err != nil:
		return []Check{Bad("project", false, fault.Config.Because("%v", err).FixedBy("edit "+file))}
	case len(warnings) > 0:
		return []Check{Bad("project", false,
			fault.Config.Because("%s: %s", file, strings.Join(warnings, "; ")).FixedBy("edit "+file))}
	}
	return []Check{Good("project", false, "%s is read: %s", file, projectFileEffect(p, f))}
}

// projectFileEffect describes what a configuration file sets.
func projectFileEffect(p mem.Project, f mem.ProjectFile) string {
	var parts []string
	if f.ID != "" {
		part := "id " + f.ID
		if p.Common == "" {
			part += " (without effect outside of git)"
		}
		parts = append(parts, part)
	}
	if f.Name != "" {
		parts = append(parts, "name "+f.Name)
	}
	if n := len(f.ExcludePaths); n > 0 {
		parts = append(parts, ui.Plural(n, "excluded path", "excluded paths"))
	}
	if n := len(f.TokenBudgets); n > 0 {
		parts = append(parts, ui.Plural(n, "token budget", "token budgets"))
	}
	if len(parts) == 0 {
		return "it sets nothing"
	}
	return ui.OneLine(strings.Join(parts, ", "))
}

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
