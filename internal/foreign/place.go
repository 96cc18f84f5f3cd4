package foreign

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"remanence/internal/api"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/transcript"
)

// Places finds the projects here that names of another tool mean.
type Places struct {
	known []mem.Project // that are stored
	here  mem.Project   // that need not be

	agents Agents
	dirs   map[string][]string // of sessions, by the name of their project
	files  map[string][]string // absolute paths that records of a project name
	cwds   map[string]string   // directories in which agents worked, by the names that tools give them
	found  map[string]mem.Project
}

// Agents says where the transcripts of agents are.
type Agents struct {
	Folder string // with a folder for each of Claude Code's projects
	Home   string // below which other clients keep theirs
}

// NewPlaces returns the places for what was read.
func NewPlaces(read api.ExportedMemories, known []mem.Project, here mem.Project, agents Agents) *Places {
	p := &Places{
		known: known, here: here, agents: agents, dirs: read.Dirs,
		files: map[string][]string{}, found: map[string]mem.Project{},
	}
	for _, m := range read.Memories {
		for _, file := range append(m.Files, m.Modified...) {
			if m.Project != "" && filepath.IsAbs(file) && len(p.files[m.Project]) < maxFiles {
				p.files[m.Project] = append(p.files[m.Project], file)
			}
		}
	}
	return p
}

// maxFiles bounds the files by which a project is looked for.
const maxFiles = 200

// Find returns the project here that a name means: by its key, name, directory or remote; by a directory of its
// sessions; by a file that its records name; by a directory in which the agent worked. The zero value if there is none.
func (p *Places) Find(name string) mem.Project {
	at, ok := p.found[name]
	if !ok {
		at = p.find(name)
		p.found[name] = at
	}
	return at
}

func (p *Places) find(name string) mem.Project {
	for _, one := range append(slices.Clone(p.known), p.here) {
		if name == one.Key || strings.EqualFold(name, one.Name) || name == one.Root || name == one.Origin {
			return one
		}
	}
	for _, one := range p.known {
		if one.Origin != "" && strings.EqualFold(path.Base(one.Origin), path.Base(name)) {
			return one
		}
	}
	for _, dir := range p.dirs[name] {
		if at, ok := p.at(dir); ok {
			return at
		}
	}
	if at, ok := p.at(name); ok {
		return at
	}
	for _, file := range p.files[name] {
		for dir := filepath.Dir(file); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if !strings.EqualFold(filepath.Base(dir), path.Base(name)) {
				continue
			}
			if at, ok := p.at(dir); ok {
				return at
			}
		}
	}
	if p.cwds == nil {
		p.cwds = map[string]string{}
		// Without them other ways are left.
		sessions, _ := transcript.List(context.Background(), p.agents.Folder, p.agents.Home)
		for _, s := range sessions {
			low := strings.ToLower(filepath.ToSlash(s.Cwd))
			p.cwds[path.Base(low)], p.cwds[path.Join(path.Base(path.Dir(low)), path.Base(low))] = s.Cwd, s.Cwd
		}
	}
	at, _ := p.at(p.cwds[strings.ToLower(name)])
	return at
}

// at returns the project of a directory, as it is stored if it is; ok is false if the directory does not exist.
func (p *Places) at(dir string) (at mem.Project, ok bool) {
	if info, err := os.Stat(dir); !filepath.IsAbs(dir) || err != nil || !info.IsDir() {
		return at, false
	}
	at, err := project.Identify(dir)
	if err != nil {
		return at, false
	}
	for _, one := range p.known {
		if one.Key == at.Key || one.Root == at.Root || at.Common != "" && one.Common == at.Common {
			return one, true
		}
	}
	return at, true
}

// ref names a project in a request: by its key, or by its directory if it is not stored yet.
func (p *Places) ref(at mem.Project) string {
	if at.Root == "" || slices.ContainsFunc(p.known, func(o mem.Project) bool { return o.Key == at.Key }) {
		return at.Key
	}
	return at.Root
}
