package event

import (
	"cmp"
	"slices"

	"remanence/internal/mem"
)

// Changes is what a use case adds to the batch of an event. The zero value
// changes nothing.
type Changes struct {
	Event        *mem.Event // stored instead of the event; nil means that the event is stored unchanged
	Session      mem.SessionChange
	Turn         mem.TurnChange
	Memories     []mem.Memory
	Edits        []mem.Edit
	Checkpoints  []mem.Checkpoint
	Receipts     []mem.Receipt
	Jobs         []mem.Job
	ContextUsage []mem.ContextUsage
}

// Merge adds others to c, in order. Lists are appended. A field of the session, of
// the turn or the event itself that several of them set has the value of the last.
func (c *Changes) Merge(others ...Changes) {
	for _, o := range others {
		c.Event = cmp.Or(o.Event, c.Event)
		c.Session = mergeSession(c.Session, o.Session)
		c.Turn = mergeTurn(c.Turn, o.Turn)
		c.Memories = append(c.Memories, o.Memories...)
		c.Edits = append(c.Edits, o.Edits...)
		c.Checkpoints = append(c.Checkpoints, o.Checkpoints...)
		c.Receipts = append(c.Receipts, o.Receipts...)
		c.Jobs = append(c.Jobs, o.Jobs...)
		c.ContextUsage = append(c.ContextUsage, o.ContextUsage...)
	}
}

// mergeSession returns a with the fields that b sets.
func mergeSession(a, b mem.SessionChange) mem.SessionChange {
	return mem.SessionChange{
		Agent:            cmp.Or(b.Agent, a.Agent),
		Project:          cmp.Or(b.Project, a.Project),
		ProjectName:      cmp.Or(b.ProjectName, a.ProjectName),
		Root:             cmp.Or(b.Root, a.Root),
		Cwd:              cmp.Or(b.Cwd, a.Cwd),
		Model:            cmp.Or(b.Model, a.Model),
		Entrypoint:       cmp.Or(b.Entrypoint, a.Entrypoint),
		Parent:           cmp.Or(b.Parent, a.Parent),
		Transcript:       cmp.Or(b.Transcript, a.Transcript),
		Source:           cmp.Or(b.Source, a.Source),
		FirstPrompt:      cmp.Or(b.FirstPrompt, a.FirstPrompt),
		Status:           cmp.Or(b.Status, a.Status),
		EndReason:        cmp.Or(b.EndReason, a.EndReason),
		Processing:       cmp.Or(b.Processing, a.Processing),
		Notification:     cmp.Or(b.Notification, a.Notification),
		StateLine:        cmp.Or(b.StateLine, a.StateLine),
		HandoffArmed:     cmp.Or(b.HandoffArmed, a.HandoffArmed),
		Compacted:        b.Compacted || a.Compacted,
		ClearInjected:    b.ClearInjected || a.ClearInjected,
		CopyInjectedFrom: cmp.Or(b.CopyInjectedFrom, a.CopyInjectedFrom),
	}
}

// mergeTurn returns a with the fields that b sets. A turn that is private or
// tainted by one of them stays so; the lower trust counts.
func mergeTurn(a, b mem.TurnChange) mem.TurnChange {
	out := mem.TurnChange{
		Text: cmp.Or(b.Text, a.Text), Person: a.Person || b.Person, Private: a.Private || b.Private,
		Taint: a.Taint, Tainted: a.Tainted || b.Tainted,
	}
	if b.Tainted && (!a.Tainted || b.Taint < a.Taint) {
		out.Taint = b.Taint
	}
	return out
}

// AsRecovered returns the changes of an event in the past: its session has gone on or ended since. A backfilled
// session did nothing but what is read in, so it gets all changes, and no jobs that belong to running work.
func (c Changes) AsRecovered(backfilled bool) Changes {
	jobs := []string{JobTranscript}
	if backfilled {
		jobs = append(jobs, JobFill, JobRefine, JobNote, JobDigest)
	} else {
		c.Session = mem.SessionChange{FirstPrompt: c.Session.FirstPrompt}
	}
	c.Jobs = slices.DeleteFunc(slices.Clone(c.Jobs), func(j mem.Job) bool { return slices.Contains(jobs, j.Kind) })
	return c
}

// WithTaint returns the context with the trust of its turn that the changes leave.
func (m Context) WithTaint(c Changes) Context {
	if c.Turn.Tainted {
		m.Turn.Trust = min(m.Turn.Trust, c.Turn.Taint)
	}
	return m
}

// SessionChange returns the change of the session that every event causes.
func (m Context) SessionChange() mem.SessionChange {
	out := mem.SessionChange{
		Agent: m.Agent, Project: m.Project.Key, ProjectName: m.Project.Name, Root: m.Root, Cwd: m.Cwd,
		Model: m.Model, Entrypoint: m.Entrypoint, Transcript: m.Transcript,
	}
	if m.Kind == mem.SubagentStop { // its transcript is the subagent's
		out.Transcript = ""
	}
	return out
}

// Batch returns what is written for the event with the changes of its handler.
func (m Context) Batch(c Changes) mem.Batch {
	stored := m.Event
	if c.Event != nil {
		stored = *c.Event
	}
	project := m.Project
	if project.File != nil && project.File.Key != "" { // so that the store knows it as another key of the project
		project.Key = project.File.Key
	}
	return mem.Batch{
		Event: &stored, Project: &project, Session: &c.Session, Turn: &c.Turn, Memories: c.Memories, Edits: c.Edits,
		Checkpoints: c.Checkpoints, Receipts: c.Receipts, Jobs: c.Jobs, ContextUsage: c.ContextUsage,
		SyncedLater: m.FromSpool,
	}
}

// WithoutContent returns the changes that store an event of a private turn, or of one of our own commands, without
// its content.
func (m Context) WithoutContent() Changes {
	m.Input, m.Response, m.Error, m.Text, m.ResponseTokens = nil, nil, "", "", 0
	ch := Changes{Event: &m.Event}
	if m.Kind == mem.Stop {
		ch.Session.Processing = new(false)
	}
	return ch
}
