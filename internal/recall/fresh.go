package recall

import (
	"context"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// Standing is how the files of hits stand, of those that are tied to files of
// the project.
func (e *Service) Standing(p mem.Project, hits []mem.Hit) map[string]mem.Freshness {
	m := event.Context{Project: p, Files: e.Event.OpenFiles(p)}
	defer m.Files.Close()
	out := map[string]mem.Freshness{}
	for _, h := range hits {
		if len(h.Memory.Anchors) > 0 && h.Memory.Project == p.Key && m.Files.Open != nil {
			out[h.Memory.ID] = m.Freshness(h.Memory)
		}
	}
	return out
}

// Belongs reports whether a memory is of the project at hand: it was learned
// here, or one of its tags is part of the path of the project.
func Belongs(ec event.Context, hints vaultfile.Hints, mm mem.Memory) bool {
	if mm.Project != "" {
		return mm.Project == ec.Project.Key
	}
	if mm.Note.File != "" { // its file says where it belongs, the hints where that is
		return slices.ContainsFunc(mm.Projects, func(p string) bool {
			return slices.Contains(hints.Tags, strings.ToLower(p))
		})
	}
	parts := strings.FieldsFunc(strings.ToLower(ec.Project.Root+"/"+ec.Project.Name), func(r rune) bool {
		return r == '/' || r == '\\'
	})
	return slices.ContainsFunc(append(slices.Clone(mm.Tags), mm.Concepts...), func(tag string) bool {
		return slices.Contains(parts, strings.ToLower(tag))
	})
}

// Confirmed are a memory's anchors as of now: a person who puts a hand to it
// has the files before him. Nil where they cannot be looked at.
func (e *Service) Confirmed(ctx context.Context, mm mem.Memory) []mem.Anchor {
	if len(mm.Files) == 0 || !slices.Contains(event.Knowledge(), mm.Kind) {
		return nil
	}
	ps, err := e.Store.Projects(ctx, mm.Project)
	if mm.Project == "" || err != nil || len(ps) == 0 {
		return nil
	}
	v := e.Event.OpenFiles(ps[0])
	defer v.Close()
	mm.Anchors = nil
	mm.Updated = e.Now()
	list := []mem.Memory{mm}
	event.Anchored(list, v.At)
	return list[0].Anchors
}

// VaultHints are the vault's hints on the event's project; the zero value without a vault.
func (e *Service) VaultHints(ec event.Context) vaultfile.Hints {
	v := e.Event.CurrentVault()
	if v == nil {
		return vaultfile.Hints{}
	}
	h, err := v.Hints(ec.Project.Root)
	e.Event.LogDegraded("project hints", err)
	return h
}
