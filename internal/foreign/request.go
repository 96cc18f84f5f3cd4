package foreign

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"remanence/internal/api"
	"remanence/internal/curate"
	"remanence/internal/mem"
)

// Bounds of one request of an import: its memories and sessions, and their size as JSON.
const (
	maxPart      = 1000
	maxPartBytes = 1 << 20
)

// Place counts what of an import goes to one project.
type Place struct {
	Name     string
	Memories int
	Sessions int
	Known    bool // a project here; others are kept under their name
}

// AllProjects names the place of memories that hold in all projects.
const AllProjects = "all projects"

// Requests returns the requests that import what was read, and what goes where. Memories of no project go to the
// project here; with only set everything does.
func Requests(read api.ExportedMemories, places *Places, only bool) ([]curate.ImportRequest, []Place, error) {
	counts := map[string]*Place{}
	place := func(name string, user bool) (ref string, count *Place) {
		var shown string
		known := true
		switch name = cmp.Or(name, read.Project); {
		case user && !only:
			shown = AllProjects
		case only, name == "":
			ref, shown = places.ref(places.here), places.here.Name
		default:
			ref, shown, known = name, name, false
			if at := places.Find(name); at.Key != "" {
				ref, shown, known = places.ref(at), at.Name, true
			}
		}
		if counts[shown] == nil {
			counts[shown] = &Place{Name: shown, Known: known}
		}
		return ref, counts[shown]
	}
	b := batches{}
	for _, one := range read.Sessions {
		var count *Place
		one.Project, count = place(one.Project, false)
		count.Sessions++
		if err := b.add(one, func(r *curate.ImportRequest) { r.Sessions = append(r.Sessions, one) }); err != nil {
			return nil, nil, err
		}
	}
	for _, m := range read.Memories {
		var count *Place
		m.Project, count = place(m.Project, m.Scope == mem.ScopeUser)
		count.Memories++
		if err := b.add(m, func(r *curate.ImportRequest) { r.Memories = append(r.Memories, m) }); err != nil {
			return nil, nil, err
		}
	}
	var out []Place
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, *counts[name])
	}
	return b.parts, out, nil
}

// batches divides an import into requests.
type batches struct {
	parts []curate.ImportRequest
	n     int
	size  int
}

func (b *batches) add(item any, put func(*curate.ImportRequest)) error {
	text, err := json.Marshal(item)
	if err != nil {
		return err
	}
	if b.n++; len(b.parts) == 0 || b.n > maxPart || b.size+len(text) > maxPartBytes {
		b.parts, b.n, b.size = append(b.parts, curate.ImportRequest{}), 1, 0
	}
	b.size += len(text)
	put(&b.parts[len(b.parts)-1])
	return nil
}
