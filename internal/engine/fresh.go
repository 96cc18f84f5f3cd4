package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Files is one look at the files of a project, named relative to it. It is
// bounded: past its bounds nothing is known of a file.
type Files interface {
	// Anchors ties the first mem.MaxAnchors of files to what they hold, but for
	// those of which that is not known or that were written after at.
	Anchors(files []string, at time.Time) []mem.Anchor
	// Freshness compares files with what they held. A file not written after
	// since counts as unchanged.
	Freshness(anchors []mem.Anchor, since time.Time) mem.Freshness
	Close()
}

// knowledge are the kinds that say how things are: what they say of a file may
// no longer be so when the file is another. The rest tells what happened.
func knowledge() []mem.Kind {
	return []mem.Kind{
		mem.FileNote, mem.Gotcha, mem.Decision, mem.Convention, mem.ErrorFix, mem.Howto, mem.Rationale, mem.TradeOff, mem.Fact,
		mem.Discovery, mem.Preference,
	}
}

// anchored ties what memories know to what their files hold now.
func anchored(ms []mem.Memory, look func() Files) {
	for i := range ms {
		m := &ms[i]
		if len(m.Files) == 0 || len(m.Anchors) > 0 || m.Project == "" || !slices.Contains(knowledge(), m.Kind) {
			continue
		}
		if files := look(); files != nil {
			m.Anchors = files.Anchors(m.Files, m.Updated)
		}
	}
}

// view is what a moment sees of the project's files. The zero value sees nothing.
type view struct {
	open   func() Files
	files  Files
	states map[string]mem.Freshness // by id of the memory
}

// look begins to look at a project's files when it is first asked to.
func (e *Engine) look(p mem.Project) *view {
	v := &view{states: map[string]mem.Freshness{}}
	if e.Look != nil && p.Root != "" {
		v.open = func() Files { return e.Look(p) }
	}
	return v
}

func (v *view) at() Files {
	if v.files == nil && v.open != nil {
		v.files = v.open()
	}
	return v.files
}

func (v *view) close() {
	if v.files != nil {
		v.files.Close()
	}
}

// freshness is how the files of a memory stand. A memory of another project,
// or of none, has no files here.
func (m *moment) freshness(mm mem.Memory) mem.Freshness {
	if len(mm.Anchors) == 0 || mm.Project != m.project.Key {
		return mem.Fresh
	}
	s, known := m.view.states[mm.ID]
	if files := m.view.at(); !known && files != nil {
		s = files.Freshness(mm.Anchors, mm.Created)
		m.view.states[mm.ID] = s
	}
	return s
}

// standing is how the files of hits stand, of those that are tied to files of
// the project.
func (e *Engine) standing(p mem.Project, hits []mem.Hit) map[string]mem.Freshness {
	m := moment{project: p, view: e.look(p)}
	defer m.view.close()
	out := map[string]mem.Freshness{}
	for _, h := range hits {
		if len(h.Memory.Anchors) > 0 && h.Memory.Project == p.Key && m.view.open != nil {
			out[h.Memory.ID] = m.freshness(h.Memory)
		}
	}
	return out
}

// stale reports whether a memory is about nothing but files that are gone.
func (m *moment) stale(mm mem.Memory) bool {
	if mm.Kind != mem.FileNote && mm.Kind != mem.Change {
		return false
	}
	return m.freshness(mm) == mem.FileGone && len(mm.Anchors) == len(mm.Files)
}

// ordered sorts what is worth telling by what is known of each memory itself:
// how its files stand and, where the words of a question decided, its use.
func (m *moment) ordered(q question, hits []mem.Hit) []mem.Hit {
	s := rank.Standing{
		Now: m.At, Use: m.settings.Use, Stale: func(mm mem.Memory) bool { return m.freshness(mm) != mem.Fresh },
	}
	if q.strict {
		s.Use.Prompt = rank.NoUse
	}
	return s.Order(hits)
}

// belongs reports whether a memory is of the project at hand: it was learned
// here, or one of its tags is part of the path of the project.
func (m *moment) belongs(mm mem.Memory) bool {
	if mm.Project != "" {
		return mm.Project == m.project.Key
	}
	if mm.Note.File != "" { // its file says where it belongs, the hints where that is
		return slices.ContainsFunc(mm.Projects, func(p string) bool { return slices.Contains(m.hinted().Tags, strings.ToLower(p)) })
	}
	parts := strings.FieldsFunc(strings.ToLower(m.project.Root+"/"+m.project.Name), func(r rune) bool { return r == '/' || r == '\\' })
	return slices.ContainsFunc(append(slices.Clone(mm.Tags), mm.Concepts...), func(tag string) bool {
		return slices.Contains(parts, strings.ToLower(tag))
	})
}

// confirmed are a memory's anchors as of now: a person who puts a hand to it
// has the files before him. Nil where they cannot be looked at.
func (e *Engine) confirmed(ctx context.Context, mm mem.Memory) []mem.Anchor {
	if len(mm.Files) == 0 || !slices.Contains(knowledge(), mm.Kind) {
		return nil
	}
	ps, err := e.Store.Projects(ctx, mm.Project)
	if mm.Project == "" || err != nil || len(ps) == 0 {
		return nil
	}
	v := e.look(ps[0])
	defer v.close()
	mm.Anchors = nil
	mm.Updated = e.Now()
	list := []mem.Memory{mm}
	anchored(list, v.at)
	return list[0].Anchors
}
