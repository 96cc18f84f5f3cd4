package storetest

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

// memory finds by exact id, nil if there is none.
func (s *Mem) memory(id string) *memory {
	for _, m := range s.memories {
		if m.ID == id {
			return m
		}
	}
	return nil
}

// putMemory keeps a new memory, or adds to the one that it repeats.
func (d *deed) putMemory(m mem.Memory) string {
	m = cloned(m)
	m.Project = d.key(m.Project)
	if m.Scope == mem.ScopeUser {
		m.Project = ""
	}
	byContent := m.Key == ""
	if byContent {
		m.Key = fmt.Sprintf("h_%q", []string{string(m.Kind), string(m.Scope), m.Title, m.Body})
	}
	ss := d.sessionOf(m.Session, m.Project, m.Source.Agent)
	if t := d.findTurn(ss, m.Source.PromptID); t != nil && m.Trust < mem.TrustUser {
		m.Trust = min(m.Trust, t.Trust)
	}
	if m.Source.Prompt == 0 {
		m.Source.Prompt = d.promptOf(ss, m.Source.PromptID)
	}
	for _, old := range d.memories {
		if old.Key == m.Key && old.session == ss && (ss != nil || old.Project == m.Project) {
			if byContent && (old.Title != m.Title || old.Body != m.Body) {
				m.Key += "_" + old.ID
				continue // one with the longer key is newer
			}
			d.repeat(old, m)
			d.supersede(old.Memory, m.Supersedes)
			return old.ID
		}
	}
	n := d.next("m_")
	m.ID = short("m_", n)
	if m.Status == "" {
		m.Status = mem.Active
	}
	if m.Created.IsZero() {
		m.Created = clean(d.now())
	}
	if m.Updated.IsZero() {
		m.Updated = m.Created
	}
	d.memories = append(d.memories, &memory{m, n, ss, m.Kind.Named()})
	d.supersede(m, m.Supersedes)
	return m.ID
}

// supersede marks the memory that m takes the place of.
func (d *deed) supersede(m mem.Memory, id string) {
	if old := d.memory(id); old != nil && old.ID != m.ID && (old.Status == mem.Active || old.Status == mem.Archived) {
		old.Status, old.Updated = mem.Superseded, clean(d.now())
	}
}

// promptOf returns the number of the prompt that a memory was learned in.
func (d *deed) promptOf(ss *session, promptID string) int {
	if ss == nil {
		return 0
	}
	if promptID == "" && ss == d.session && d.turn != nil && d.turn.Number > 0 {
		return d.turn.Number
	}
	if promptID == "" {
		return ss.Prompts
	}
	if t := d.findTurn(ss, promptID); t != nil {
		return t.Number
	}
	return 0
}

func (d *deed) repeat(old *memory, m mem.Memory) {
	if m.Kind == mem.Utterance && old.Kind == m.Kind && m.Title == old.Title && m.Body == old.Body && m.Trust == old.Trust {
		return
	}
	before := cloned(old.Memory)
	defer func() { old.unwoven = old.unwoven || old.Kind.Named() && readsElse(before, old.Memory) }()
	old.Source = m.Source
	old.Title, old.Body, old.Facts, old.Concepts, old.Summary, old.Index = m.Title, m.Body, m.Facts, m.Concepts, m.Summary, m.Index
	old.Tool, old.Command, old.ExitCode, old.Resolved = m.Tool, m.Command, m.ExitCode, m.Resolved
	old.Files, old.Tags, old.Modified = union(old.Files, m.Files), union(old.Tags, m.Tags), union(old.Modified, m.Modified)
	old.Anchors = mem.Reanchored(old.Anchors, m.Anchors)
	if m.Trust < old.Trust || m.Trust == mem.TrustUser {
		old.Trust = m.Trust
	}
	if old.Status == mem.Archived || m.Origin == mem.FromUserCommand && old.Status != mem.Active {
		old.Status, old.Hidden = mem.Active, time.Time{}
	}
	if m.Supersedes != "" && m.Supersedes != old.ID {
		old.Supersedes, old.unwoven = m.Supersedes, old.unwoven || old.Kind.Named()
		if old.Status != mem.Forgotten {
			old.Status = mem.Active
		}
	}
	old.Repeats++
	old.Updated = clean(d.now())
	if !m.Created.IsZero() {
		old.Updated = m.Created
	}
	if !m.Updated.IsZero() {
		old.Updated = m.Updated
	}
}

func (d *deed) edit(ed mem.Edit) {
	m := d.memory(ed.ID)
	if ed.From != "" && ed.From != m.Status {
		return
	}
	before := cloned(m.Memory)
	defer func() { m.unwoven = m.unwoven || m.Kind.Named() && readsElse(before, m.Memory) }()
	given := assign(&m.Title, ed.Title)
	given = assign(&m.Body, ed.Body) || given
	given = assign(&m.Index, ed.Index) || given
	given = assign(&m.Kind, ed.Kind) || given
	given = assign(&m.Scope, ed.Scope) || given
	given = assign(&m.Importance, ed.Importance) || given
	given = assign(&m.Trust, ed.Trust) || given
	given = assign(&m.Resolved, ed.Resolved) || given
	given = assign(&m.Pinned, ed.Pinned) || given
	given = assign(&m.Confidence, ed.Confidence) || given
	given = assign(&m.Invariant, ed.Invariant) || given
	given = assign(&m.HalfLife, ed.HalfLife) || given
	given = assign(&m.Evergreen, ed.Evergreen) || given
	given = assign(&m.MergedInto, ed.MergedInto) || given
	given = assign(&m.PromotedFrom, ed.Promoted) || given
	assign(&m.Note, ed.Note)
	if ed.Project != nil {
		m.Project, given = d.key(*ed.Project), true
	}
	if m.Scope == mem.ScopeUser {
		m.Project = ""
	}
	if ed.Files != nil {
		m.Files, given = some(ed.Files), true
	}
	if ed.Tags != nil {
		m.Tags, given = some(ed.Tags), true
	}
	if ed.Facts != nil {
		m.Facts, given = some(ed.Facts), true
	}
	if ed.Concepts != nil {
		m.Concepts, given = some(ed.Concepts), true
	}
	if ed.Projects != nil {
		m.Projects, given = some(ed.Projects), true
	}
	if ed.Anchors != nil {
		m.Anchors = append([]mem.Anchor(nil), ed.Anchors...)
	}
	if ed.Status != nil && *ed.Status != before.Status {
		m.Status, m.Hidden, given = *ed.Status, time.Time{}, true
		if m.Status == mem.Forgotten {
			m.Hidden = clean(d.now())
		}
	}
	if ed.Used != 0 && !slices.Contains(m.UsedIn, ed.UsedIn) {
		m.Uses += ed.Used
		m.LastUsed = clean(d.now())
		if m.Status == mem.Archived {
			m.Status = mem.Active
		}
		if ed.UsedIn != "" {
			m.UsedIn = append(m.UsedIn, ed.UsedIn)
			m.UsedIn = m.UsedIn[max(0, len(m.UsedIn)-mem.MaxUsedIn):]
		}
	}
	if c := ed.Counted; c != nil {
		m.Uses, m.Prevented, m.LastUsed = c.Uses, c.Prevented, clean(c.LastUsed)
	}
	m.Prevented += ed.Prevented
	if ed.Feedback != nil {
		m.Feedback = append(m.Feedback, *ed.Feedback)
		m.Feedback = m.Feedback[max(0, len(m.Feedback)-mem.MaxFeedback):]
	}
	m.Proposals = mem.ProposalsAfter(m.Proposals, ed)
	if given {
		m.Updated = clean(d.now())
	}
}

// readsElse reports whether a memory became another one to who looks for its names.
func readsElse(a, b mem.Memory) bool {
	return a.Kind != b.Kind || a.Title != b.Title || a.Body != b.Body || a.Index != b.Index || a.Invariant != b.Invariant ||
		!slices.Equal(a.Facts, b.Facts) || !slices.Equal(a.Files, b.Files) || !slices.Equal(a.Tags, b.Tags) || !slices.Equal(a.Concepts, b.Concepts)
}

func assign[T any](field, value *T) bool {
	if value == nil {
		return false
	}
	*field = *value
	return true
}

// some returns a copy of a list, nil for an empty one.
func some(v []string) []string {
	if len(v) == 0 {
		return nil
	}
	return slices.Clone(v)
}

// cloned shares nothing with m that can be changed.
func cloned(m mem.Memory) mem.Memory {
	m.Anchors = append([]mem.Anchor(nil), m.Anchors...)
	m.Feedback = append([]mem.Feedback(nil), m.Feedback...)
	m.Proposals = append([]mem.Proposal(nil), m.Proposals...)
	for _, l := range []*[]string{&m.Facts, &m.Concepts, &m.Tags, &m.Files, &m.Modified, &m.Projects, &m.UsedIn} {
		*l = some(*l)
	}
	if m.Summary != nil {
		text := *m.Summary
		m.Summary = &text
	}
	m.LastUsed, m.Created, m.Updated, m.Hidden = clean(m.LastUsed), clean(m.Created), clean(m.Updated), clean(m.Hidden)
	return m
}

// shown is a memory as it is given out.
func shown(m *memory) mem.Memory {
	v := cloned(m.Memory)
	v.Index = ""
	return v
}

// List implements mem.Store.
func (s *Mem) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if len(q.IDs) > 0 {
		named, err := s.named(q)
		if err != nil {
			return nil, err
		}
		found := make([]mem.Memory, 0, len(named))
		for _, m := range named {
			found = append(found, shown(m))
		}
		return found, nil
	}
	var found []mem.Memory
	for _, m := range s.newest() {
		if s.passes(m, q) {
			found = append(found, shown(m))
		}
	}
	switch q.Order {
	case mem.Oldest:
		slices.Reverse(found)
	case mem.ByImportance:
		slices.SortStableFunc(found, func(a, b mem.Memory) int {
			if a.Pinned != b.Pinned {
				return compare(rank(b), rank(a))
			}
			return compare(b.Importance, a.Importance)
		})
	case mem.ByUpdate:
		slices.SortStableFunc(found, func(a, b mem.Memory) int { return b.Updated.Compare(a.Updated) })
	}
	return page(found, q.Offset, q.Limit, mem.DefaultLimit), nil
}

func rank(m mem.Memory) float64 {
	if m.Pinned {
		return 1
	}
	return 0
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// newest returns every memory, newest first.
func (s *Mem) newest() []*memory {
	all := backwards(s.memories)
	slices.SortStableFunc(all, func(a, b *memory) int { return b.Created.Compare(a.Created) })
	return all
}

// named resolves the ids of q among the memories that q may see.
func (s *Mem) named(q mem.Query) ([]*memory, error) {
	var visible, found []*memory
	for _, m := range s.memories {
		if stands(m, q) {
			visible = append(visible, m)
		}
	}
	for _, id := range q.IDs {
		m, err := pick(visible, id, func(m *memory) string { return m.ID })
		if q.Whole && (err != nil || m.ID != id) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("memory %w", err)
		}
		found = append(found, m)
	}
	return found, nil
}

// stands reports whether m passes the filter of statuses.
func stands(m *memory, q mem.Query) bool {
	if len(q.Statuses) > 0 {
		return slices.Contains(q.Statuses, m.Status)
	}
	return q.Hidden || m.Status == mem.Active
}

// passes reports whether m passes every filter of q but ids and terms.
func (s *Mem) passes(m *memory, q mem.Query) bool {
	switch {
	case !stands(m, q),
		len(q.Scopes) > 0 && !slices.Contains(q.Scopes, m.Scope),
		len(q.Kinds) > 0 && !slices.Contains(q.Kinds, m.Kind),
		len(q.Kinds) == 0 && m.Kind == mem.Utterance,
		slices.Contains(q.NotKinds, m.Kind),
		q.Project != "" && m.Scope != mem.ScopeUser && m.Project != s.alias(q.Project),
		q.Session != "" && m.Session != q.Session,
		q.Session == "" && q.Within != "*" && m.Scope == mem.ScopeSession && (q.Within == "" || m.Session != q.Within),
		q.PromptID != "" && m.Source.PromptID != q.PromptID,
		q.File != "" && !slices.ContainsFunc(m.Files, func(f string) bool { return isFile(f, q.File) }),
		len(q.Tags) > 0 && !slices.ContainsFunc(m.Tags, func(t string) bool { return slices.Contains(q.Tags, t) }),
		q.Command != "" && m.Command != q.Command,
		q.Agent != "" && m.Source.Agent != q.Agent,
		q.Branch != "" && m.Branch != q.Branch,
		!q.After.IsZero() && m.Created.Before(q.After),
		!q.Before.IsZero() && !m.Created.Before(q.Before),
		!q.HiddenBefore.IsZero() && (m.Status != mem.Forgotten || !m.Hidden.Before(q.HiddenBefore)),
		m.Importance < q.MinImportance,
		m.Trust < q.MinTrust,
		q.Noted && m.Note.File == "",
		q.Proposed && len(m.Proposals) == 0,
		q.Unwoven && !m.unwoven,
		q.Open && m.Resolved:
		return false
	}
	return true
}

// isFile reports whether the file is asked for by name, directory or extension.
func isFile(file, asked string) bool {
	dir, _ := path.Split(file)
	if dir == "" {
		dir = "./"
	}
	if strings.HasPrefix(asked, ".") && path.Ext(file) == asked {
		return true
	}
	return file == asked || dir == asked
}
