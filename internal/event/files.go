package event

import (
	"slices"
	"time"

	"remanence/internal/mem"
)

// Files reads the files of a project, with paths relative to it. The work is bounded: beyond the bounds nothing is
// known of a file.
type Files interface {
	// Anchors returns the content hashes of the first mem.MaxAnchors files. Files that cannot be read, or that
	// were written after at, are left out.
	Anchors(files []string, at time.Time) []mem.Anchor
	// Freshness compares files with their anchors. A file that was not written after since counts as unchanged.
	Freshness(anchors []mem.Anchor, since time.Time) mem.Freshness
	Close()
}

// Knowledge lists the kinds that describe how things are. Such a statement may be wrong when the file has changed.
// Other kinds describe what happened.
func Knowledge() []mem.Kind {
	return []mem.Kind{
		mem.FileNote, mem.Gotcha, mem.Decision, mem.Convention, mem.ErrorFix, mem.Howto, mem.Rationale, mem.TradeOff,
		mem.Fact,
		mem.Discovery, mem.Preference,
	}
}

// Anchored sets the anchors of memories to the present content of their files.
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

// OpenedFiles opens the project's files when they are first needed. The zero value reads none.
type OpenedFiles struct {
	Open   func() Files
	files  Files
	states map[string]mem.Freshness // by id of the memory
	said   map[string]bool          // by id of the memory: whether the agent's own files say it
	says   func(agent string, since time.Time, m mem.Memory) bool
}

// OpenFiles returns the files of a project, which are opened when first needed.
func (e *Service) OpenFiles(p mem.Project) *OpenedFiles {
	v := &OpenedFiles{states: map[string]mem.Freshness{}, said: map[string]bool{}}
	if e.Instructed != nil && p.Root != "" {
		v.says = func(agent string, since time.Time, m mem.Memory) bool { return e.Instructed(p, agent, since, m) }
	}
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

// Close releases the files.
func (v *OpenedFiles) Close() {
	if v.files != nil {
		v.files.Close()
	}
}

// Freshness returns the state of a memory's files. A memory of another project, or of none, has no files here.
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

// Stale reports whether all files of a memory are missing.
func (m Context) Stale(mm mem.Memory) bool {
	if mm.Kind != mem.FileNote && mm.Kind != mem.Change {
		return false
	}
	return m.Freshness(mm) == mem.FileGone && len(mm.Anchors) == len(mm.Files)
}

// Instructed reports whether a file of instructions that the agent reads by itself, such as AGENTS.md, says what a
// memory does. Nothing is known of a subagent, which may not read it.
func (m Context) Instructed(mm mem.Memory) bool {
	if m.Files == nil || m.Files.says == nil || !m.Person() || mm.Kind != mem.Utterance &&
		!slices.Contains(Knowledge(), mm.Kind) {
		return false
	}
	said, known := m.Files.said[mm.ID]
	if !known {
		said = m.Files.says(m.Agent, m.SessionInfo.Created, mm)
		m.Files.said[mm.ID] = said
	}
	return said
}
