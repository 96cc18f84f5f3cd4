package mem

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"remanence/internal/chars"
)

// This file holds the rules by which stored rows change. Every back end calls them, and stores the result.

// ContentKey returns the Key of a memory that is written without one.
func (m Memory) ContentKey() string {
	h := sha256.New()
	for _, part := range []string{string(m.Kind), string(m.Scope), m.Title, m.Body} {
		_, _ = fmt.Fprintf(h, "%d:%s", len(part), part) // a hash never fails
	}
	return "h_" + hex.EncodeToString(h.Sum(nil)[:16])
}

// SameText reports whether two memories have the same title and body. A stored memory whose ContentKey
// matches, but whose text differs, was edited since: the new memory is then another statement. Its key
// is then ContentKey, "_" and the id of the stored memory.
func (m Memory) SameText(o Memory) bool { return m.Title == o.Title && m.Body == o.Body }

// CappedBy returns the trust of a memory from a turn: no more than the turn's, unless a person wrote or approved it.
func (m Memory) CappedBy(turn Trust) Trust {
	if m.Trust >= TrustUser {
		return m.Trust
	}
	return min(m.Trust, turn)
}

// WithoutBackfillTag returns a memory that is one with another: it has BackfillTag only if both have.
func (m Memory) WithoutBackfillTag(other Memory) Memory {
	if !slices.Contains(other.Tags, BackfillTag) {
		m.Tags = slices.DeleteFunc(slices.Clone(m.Tags), func(tag string) bool { return tag == BackfillTag })
	}
	return m
}

// New returns a memory as it is stored first, under an id.
func (m Memory) New(id string, now time.Time) Memory {
	m.ID, m.Status = id, cmp.Or(m.Status, Active)
	m.Created = cmp.Or(m.Created, now)
	m.Updated = cmp.Or(m.Updated, m.Created)
	return m
}

// Repeated returns a stored memory after next, which has the same key, was captured at now. It takes the text and
// source of next, and files and tags of both, except that BackfillTag stays only if both have it. Its trust is the
// lower of the two, unless a person wrote next. ok is false if nothing changes: an utterance with the same text and
// trust was read again.
func (m Memory) Repeated(next Memory, now time.Time) (merged Memory, ok bool) {
	if m.Kind == Utterance && next.Kind == Utterance && m.SameText(next) && m.Trust == next.Trust {
		return m, false
	}
	m.Source = next.Source
	m.Title, m.Body, m.Facts, m.Concepts = next.Title, next.Body, next.Facts, next.Concepts
	m.Summary, m.Index = next.Summary, next.Index
	m.Tool, m.Command, m.ExitCode, m.Resolved = next.Tool, next.Command, next.ExitCode, next.Resolved
	m.Files, m.Modified = union(m.Files, next.Files), union(m.Modified, next.Modified)
	m.Commits = unionCommits(m.Commits, next.Commits)
	m.Tags = union(m.WithoutBackfillTag(next).Tags, next.WithoutBackfillTag(m).Tags)
	m.Anchors = mergeAnchors(m.Anchors, next.Anchors)
	if next.Trust < m.Trust || next.Trust == TrustUser {
		m.Trust = next.Trust
	}
	if m.Status == Archived || next.Origin == FromUserCommand && m.Status != Active {
		m.Status, m.Hidden = Active, time.Time{}
	}
	if next.Replaces(m.ID) && m.Status != Forgotten {
		m.Status = Active
	}
	if next.Replaces(m.ID) {
		m.Supersedes = next.Supersedes
	}
	m.Repeats++
	m.Updated = cmp.Or(next.Updated, next.Created, now)
	return m, true
}

// Replaces reports whether a memory, stored under an id, supersedes another one.
func (m Memory) Replaces(id string) bool { return m.Supersedes != "" && m.Supersedes != id }

// union returns the elements of a, then those of b that a lacks.
func union(a, b []string) []string {
	if len(a) == 0 {
		return b
	}
	out := slices.Clip(a)
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// unionCommits returns the commits of a, then those of b that a lacks.
func unionCommits(a, b []Commit) []Commit {
	out := slices.Clip(a)
	for _, c := range b {
		if !slices.ContainsFunc(out, func(o Commit) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

// Apply returns a memory after an edit at now. ok is false if From keeps the edit from being applied.
func (ed Edit) Apply(m Memory, now time.Time) (edited Memory, ok bool) {
	if ed.From != "" && ed.From != m.Status {
		return m, false
	}
	changed := ed.setText(&m)
	changed = ed.setFields(&m) || changed
	if m.Scope == ScopeUser {
		m.Project = ""
	}
	if ed.Anchors != nil {
		m.Anchors = ed.Anchors
	}
	set(&m.Note, ed.Note)
	if ed.Status != nil && m.Status != *ed.Status {
		changed = changed || m.Status != Active || *ed.Status != Archived
		m.Status, m.Hidden = *ed.Status, time.Time{}
		if m.Status == Forgotten {
			m.Hidden = now
		}
	}
	ed.count(&m, now)
	if changed {
		m.Updated = now
	}
	return m, true
}

// setText sets what a memory is found by. It reports whether the edit has any of it.
func (ed Edit) setText(m *Memory) bool {
	changed := set(&m.Title, ed.Title)
	changed = set(&m.Body, ed.Body) || changed
	changed = set(&m.Index, ed.Index) || changed
	changed = set(&m.Invariant, ed.Invariant) || changed
	for _, list := range []struct {
		field *Strings
		value []string
	}{{&m.Files, ed.Files}, {&m.Tags, ed.Tags}, {&m.Facts, ed.Facts}, {&m.Concepts, ed.Concepts}} {
		if list.value != nil {
			*list.field, changed = list.value, true
		}
	}
	return changed
}

// setFields sets the other fields that change Memory.Updated. It reports whether the edit has any of them.
func (ed Edit) setFields(m *Memory) bool {
	changed := set(&m.Project, ed.Project)
	if ed.Projects != nil {
		m.Projects, changed = ed.Projects, true
	}
	changed = set(&m.MergedInto, ed.MergedInto) || changed
	changed = set(&m.PromotedFrom, ed.Promoted) || changed
	changed = set(&m.Kind, ed.Kind) || changed
	changed = set(&m.HalfLife, ed.HalfLife) || changed
	changed = set(&m.Evergreen, ed.Evergreen) || changed
	changed = set(&m.Confidence, ed.Confidence) || changed
	changed = set(&m.Scope, ed.Scope) || changed
	changed = set(&m.Importance, ed.Importance) || changed
	changed = set(&m.Trust, ed.Trust) || changed
	changed = set(&m.Resolved, ed.Resolved) || changed
	return set(&m.Pinned, ed.Pinned) || changed
}

// set assigns a value that is not nil and reports whether it did.
func set[T any](field, value *T) bool {
	if value == nil {
		return false
	}
	*field = *value
	return true
}

// count changes the counters of a memory, its feedback and its proposals.
func (ed Edit) count(m *Memory, now time.Time) {
	if ed.Used != 0 && !m.usedIn(ed.UsedIn.Turn) {
		use := ed.UsedIn
		use.At = cmp.Or(use.At, now)
		m.Uses += ed.Used
		if use.At.After(m.LastUsed) {
			m.LastUsed = use.At
		}
		if m.Status == Archived {
			m.Status = Active
		}
		if use.Turn != "" {
			m.UsedIn = newest(append(m.UsedIn, use), maxUsedIn)
		}
	}
	if c := ed.Counted; c != nil {
		m.Uses, m.Prevented, m.LastUsed = c.Uses, c.Prevented, c.LastUsed
	}
	m.Prevented += ed.Prevented
	if ed.Feedback != nil {
		m.Feedback = newest(append(m.Feedback, *ed.Feedback), maxFeedback)
	}
	m.Proposals = ed.proposals(m.Proposals)
}

// newest returns the last n elements of a list.
func newest[T any](list []T, n int) []T { return list[max(0, len(list)-n):] }

// proposals returns the proposals of a memory after the edit.
func (ed Edit) proposals(list []Proposal) []Proposal {
	if p := ed.Proposed; p != nil && !slices.ContainsFunc(list, func(o Proposal) bool { return o.ID == p.ID }) {
		list = newest(append(slices.Clone(list), *p), maxProposals)
	}
	if len(ed.Settled) == 0 {
		return list
	}
	left := slices.DeleteFunc(slices.Clone(list), func(p Proposal) bool { return slices.Contains(ed.Settled, p.ID) })
	if len(left) == 0 {
		return nil
	}
	return left
}

// TurnKey names the turn of an event with a change, or nil; "" if it belongs to none. If the client does not number
// turns, a prompt begins a turn that is named by the event's id.
func (e *Event) TurnKey(c *TurnChange) string {
	if e.PromptID == "" && c != nil && c.Person {
		return e.ID
	}
	return e.PromptID
}

// Apply returns a turn after a change. prompts is the number of prompts that its session had before. numbered reports
// that the turn is one more of them, and got its number now.
func (c TurnChange) Apply(t Turn, prompts int) (changed Turn, numbered bool) {
	if t.Text == "" {
		t.Text = c.Text
	}
	t.Private = t.Private || c.Private
	if c.Tainted {
		t.Trust = min(t.Trust, c.Taint)
	}
	if !c.Person || t.Number != 0 {
		return t, false
	}
	t.Number = prompts + 1
	return t, true
}

// NewSession returns the session of the batch's event, which no event was from before.
func (b Batch) NewSession() Session {
	s := Session{ID: b.Event.Session, Agent: b.Event.Agent, Root: b.Event.Root}
	if b.Project != nil {
		s.Project, s.ProjectName = b.Project.Key, b.Project.Name
	}
	return s
}

// New returns a session as it is stored first, at the time of an event.
func (s Session) New(number int64, at time.Time) Session {
	s.Number, s.Short, s.Status, s.Created, s.LastEvent = number, chars.ShortID("s_", number), Initialized, at, at
	s.HandoffArmed = true
	return s
}

// Apply returns a session after a change by an event at a time. What was injected into it, and its prompts, are stored
// elsewhere.
func (c SessionChange) Apply(s Session, at time.Time) Session {
	for _, text := range []struct {
		field *string
		value string
	}{
		{&s.Agent, c.Agent},
		{&s.Project, c.Project},
		{&s.ProjectName, c.ProjectName},
		{&s.Root, c.Root},
		{&s.Cwd, c.Cwd},
		{&s.Model, c.Model},
		{&s.Entrypoint, c.Entrypoint},
		{&s.Parent, c.Parent},
		{&s.Transcript, c.Transcript},
		{&s.Source, c.Source},
		{&s.LastNotification, c.Notification},
	} {
		*text.field = cmp.Or(text.value, *text.field)
	}
	s.FirstPrompt = cmp.Or(s.FirstPrompt, c.FirstPrompt)
	switch c.Status {
	case "":
	case Completed:
		s.Status, s.Completed = Completed, at
	default:
		s.Status, s.Completed, s.EndReason = c.Status, time.Time{}, ""
	}
	s.EndReason = cmp.Or(c.EndReason, s.EndReason)
	if c.Notification != "" {
		s.Notifications++
	}
	if c.StateLine != nil {
		s.StateLine, s.StateLinePrompt = *c.StateLine, s.Prompts
	}
	set(&s.Processing, c.Processing)
	set(&s.HandoffArmed, c.HandoffArmed)
	if c.Compacted {
		s.Compactions++
		s.ContextTokens, s.HandoffArmed, s.Compacted = 0, true, at
	}
	if c.Compacted || c.ClearInjected {
		s.InjectedTokens = 0
	}
	return s
}

// Apply returns a session after a reading of its context usage. ok is false if the reading is from before the last
// compaction.
func (u ContextUsage) Apply(s Session) (changed Session, ok bool) {
	if u.At.Before(s.Compacted) {
		return s, false
	}
	s.ContextTokens, s.ContextReadAt = u.Tokens, u.ReadAt
	s.ContextWindow = cmp.Or(u.Window, s.ContextWindow)
	s.AutoCompactTokens = cmp.Or(u.AutoCompactTokens, s.AutoCompactTokens)
	s.Model = cmp.Or(u.Model, s.Model)
	s.HandoffArmed = s.HandoffArmed || u.Rearm
	return s, true
}

// StatusAt returns the status of a session at a time, from the stored one. waiting reports that a job of the
// session waits.
func (s Session) StatusAt(now time.Time, waiting bool) SessionStatus {
	switch {
	case s.Status == Completed:
		return Completed
	case now.Sub(s.LastEvent) >= abandonAfter:
		return Abandoned
	case waiting && s.Status == Running && !s.Processing:
		return Summarizing
	}
	return s.Status
}

// AllUndone reports whether a run made changes and all of them were undone.
func (r Run) AllUndone() bool {
	return len(r.Changes) > 0 && !slices.ContainsFunc(r.Changes, func(c Step) bool { return c.Undone.IsZero() })
}

// Dismissals returns the dismissals of a batch whose memories have the given ids. That of a memory with itself is none:
// two memories of the batch became one.
func (b Batch) Dismissals(ids []string) (list []Dismissal) {
	for _, d := range b.Dismissed {
		if d.Memory == "" && len(ids) > 0 {
			d.Memory = ids[0]
		}
		if d.Memory != d.Other {
			list = append(list, d)
		}
	}
	return list
}
