package event

import (
	"slices"
	"time"

	"remanence/internal/mem"
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

// Knowledge are the kinds that say how things are: what they say of a file may
// no longer be so when the file is another. The rest tells what happened.
func Knowledge() []mem.Kind {
	return []mem.Kind{
		mem.FileNote, mem.Gotcha, mem.Decision, mem.Convention, mem.ErrorFix, mem.Howto, mem.Rationale, mem.TradeOff,
		mem.Fact,
		mem.Discovery, mem.Preference,
	}
}

// Anchored ties what memories know to what their files hold now.
func Anchored(ms []mem.Memory, look func() Files) {
	for i := range ms {
		m := &ms[i]
		if len(m.Files) == 0 || len(m.Anchors) > 0 || m.Project == "" || !slices.Contains(Knowledge(), m.Kind) {
			continue
		}
		if files := look(); files != nil {
			m.Anchors = files.Anchors(m.Files, m.Updated)
		}
	}
}

// OpenedFiles is what a moment sees of the project's files. The zero value sees nothing.
type OpenedFiles struct {
	Open   func() Files
	files  Files
	states map[string]mem.Freshness // by id of the memory
}

// OpenFiles begins to look at a project's files when it is first asked to.
func (e *Service) OpenFiles(p mem.Project) *OpenedFiles {
	v := &OpenedFiles{states: map[string]mem.Freshness{}}
	if e.Look != nil && p.Root != "" {
		v.Open = func() Files { return e.Look(p) }
	}
	return v
}

// At returns the files, opened at the first call; nil if they are not read.
func (v *OpenedFiles) At() Files {
	if v.files == nil && v.Open != nil {
		v.files = v.Open()
	}
	return v.files
}

// Close closes what was opened.
func (v *OpenedFiles) Close() {
	if v.files != nil {
		v.files.Close()
	}
}

// Freshness is how the files of a memory stand. A memory of another project,
// or of none, has no files here.
func (m Context) Freshness(mm mem.Memory) mem.Freshness {
	if len(mm.Anchors) == 0 || mm.Project != m.Project.Key {
		return mem.Fresh
	}
	s, known := m.Files.states[mm.ID]
	if files := m.Files.At(); !known && files != nil {
		s = files.Freshness(mm.Anchors, mm.Created)
		m.Files.states[mm.ID] = s
	}
	return s
}

// Stale reports whether a memory is about nothing but files that are gone.
func (m Context) Stale(mm mem.Memory) bool {
	if mm.Kind != mem.FileNote && mm.Kind != mem.Change {
		return false
	}
	return m.Freshness(mm) == mem.FileGone && len(mm.Anchors) == len(mm.Files)
}
