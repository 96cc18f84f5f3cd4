package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// mindTag tags the memories that are pieces of state files. A briefing tells
// the files themselves.
const mindTag = "state-file"

// mindKey begins their keys: a tag may be anybody's.
const mindKey = "mind:"

// ofStateFile reports whether a memory is a piece of a state file.
func ofStateFile(mm mem.Memory) bool { return strings.HasPrefix(mm.Key, mindKey) }

// The kinds of jobs about state files.
const (
	JobMind = "mind"  // make what they say findable
	JobNote = "notes" // leave in them what an event has to
)

// maxMindParts is how many pieces of a project's state files are findable.
const maxMindParts = 600

// takeMindLater asks for what the state files say to be made findable, if they
// changed since it was.
func (m *moment) takeMindLater() {
	if m.mind.Present && !m.mind.Taken {
		key := "mind:" + m.mind.Stamp
		m.batch.Jobs = append(m.batch.Jobs, mem.Job{Kind: JobMind, Session: m.Session, Key: key, Data: jobData(m)})
	}
}

// takeMind makes what the state files of a project say findable, at once.
func (e *Engine) takeMind(ctx context.Context, p mem.Project) error {
	b, taken, err := e.mindBatch(ctx, p)
	if err != nil {
		return err
	}
	e.follow(&b)
	if _, err := e.Store.Apply(ctx, b); err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	return taken()
}

// mindBatch is what makes the state files of a project findable: a memory for
// each piece, and what is there no more put out of sight. Of files that nobody
// stands for any more, what was made stays and is not believed.
func (e *Engine) mindBatch(ctx context.Context, p mem.Project) (b mem.Batch, taken func() error, err error) {
	mind, err := e.mindOf(p)
	if err != nil {
		return b, nil, err
	}
	taken = func() error { return e.Minds.Note(ctx, p, mem.MindNotes{Taken: mind.Stamp}) }
	old, err := e.all(ctx, mem.Query{Project: p.Key, Tags: []string{mindTag}, Hidden: true})
	if err != nil {
		return b, nil, fmt.Errorf("what was taken before: %w", err)
	}
	b.Project = &p
	seen := map[string]bool{}
	for _, part := range mind.Parts[:min(len(mind.Parts), maxMindParts)] {
		mm := e.mindMemory(p, part)
		seen[mm.Key] = true
		i := slices.IndexFunc(old, func(o mem.Memory) bool { return o.Key == mm.Key })
		if i < 0 {
			b.Memories = append(b.Memories, mm)
		} else if ed, changed := renewed(old[i], mm); changed {
			b.Edits = append(b.Edits, ed)
		}
	}
	for _, o := range old {
		gone, none := mem.Superseded, mem.TrustNone
		switch {
		case !ofStateFile(o) || seen[o.Key] || o.Status != mem.Active || !mind.Present:
		case !mind.Trusted && o.Trust > none:
			b.Edits = append(b.Edits, mem.Edit{ID: o.ID, Trust: &none})
		case mind.Trusted:
			b.Edits = append(b.Edits, mem.Edit{ID: o.ID, Status: &gone})
		}
	}
	return b, taken, nil
}

func (e *Engine) mindMemory(p mem.Project, part mem.MindPart) mem.Memory {
	mm := e.stateMemory(p, part.Kind, true)
	mm.Trust, mm.Key = mem.TrustAssistant, mindKey+part.Key
	mm.Title, mm.Body, mm.Tags = part.Title, part.Body, []string{mindTag, part.File}
	mm.Index = rank.Index(mm)
	return mm
}

// renewed is the change that makes an old piece the new one. What a person
// forgot stays forgotten.
func renewed(old, now mem.Memory) (mem.Edit, bool) {
	if old.Status == mem.Forgotten || old.Title == now.Title && old.Body == now.Body && old.Trust == now.Trust && old.Status == mem.Active {
		return mem.Edit{}, false
	}
	return mem.Edit{ID: old.ID, Title: &now.Title, Body: &now.Body, Index: &now.Index, Kind: &now.Kind, Trust: &now.Trust, Status: new(mem.Active)}, true
}

// mindWork does a job about state files.
func (e *Engine) mindWork(ctx context.Context, job mem.Job) (mem.Batch, error) {
	var n noted
	if err := json.Unmarshal([]byte(job.Data), &n); err != nil {
		return mem.Batch{}, fmt.Errorf("data of job %s: %w", job.ID, err)
	}
	p, err := e.projectOf(n.Root)
	if err != nil || e.Minds == nil {
		return mem.Batch{}, err
	}
	if job.Kind == JobNote {
		return mem.Batch{}, e.Minds.Note(ctx, p, n.Notes)
	}
	if known, err := e.known(ctx, p); err != nil {
		return mem.Batch{}, err
	} else if known != "" {
		p.Key = known
	}
	b, taken, err := e.mindBatch(ctx, p)
	if err != nil {
		return b, err
	}
	return b, taken()
}

// noted is an event's project and what the event leaves in its state files.
type noted struct {
	Root  string        `json:"root"`
	Notes mem.MindNotes `json:"notes"`
}

// leave asks for what an event leaves in the state files, where there are any
// that somebody stands for. The files are written later: no answer waits for them.
func (m *moment) leave(n mem.MindNotes) {
	if !m.mind.Trusted {
		return
	}
	n.At, n.Session = m.At, m.Session
	if n.Turned || n.EndReason != "" {
		n.Since = m.session.Created
	}
	b, err := json.Marshal(noted{m.Root, n})
	if err != nil {
		return
	}
	m.batch.Jobs = append(m.batch.Jobs, mem.Job{Kind: JobNote, Session: m.Session, Key: m.ID, Data: string(b)})
}

// changedFiles are the files of the project that the session changed.
func (e *Engine) changedFiles(ctx context.Context, m *moment) ([]string, error) {
	ms, err := e.Store.List(ctx, mem.Query{Session: m.Session, Kinds: []mem.Kind{mem.Change}, Within: m.Session, Order: mem.ByUpdate, Limit: 200})
	if err != nil {
		return nil, fmt.Errorf("changed files: %w", err)
	}
	var out []string
	for _, f := range filesOf(ms) {
		if !strings.HasPrefix(f, mem.MindDir+"/") {
			out = appendNew(out, f, 200)
		}
	}
	return out, nil
}

// leaveTurn leaves that a turn ended, and what the session changed so far.
func (e *Engine) leaveTurn(ctx context.Context, m *moment) {
	if !m.mind.Trusted {
		return
	}
	files, err := e.changedFiles(ctx, m)
	e.without("changed files", err)
	m.leave(mem.MindNotes{Turned: true, Files: files})
}

// leaveAgent leaves that a subagent started or stopped.
func (m *moment) leaveAgent(what string) {
	m.leave(mem.MindNotes{Agents: []string{fmt.Sprintf("[%s] %s: %s (%s)", stampOf(m.At), what, m.AgentType, m.AgentID)}})
}

// leaveTasks leaves that tasks were completed, and completes them where the
// work stands.
func (m *moment) leaveTasks(tasks []todo) {
	var n mem.MindNotes
	for _, t := range tasks {
		n.Tasks = append(n.Tasks, fmt.Sprintf("[%s] COMPLETED: #%s — %s (by: %s)", stampOf(m.At), cmp.Or(t.id, "-"), t.text, cmp.Or(m.By, "self")))
		n.Done = append(n.Done, t.text)
	}
	if len(tasks) > 0 {
		m.leave(n)
	}
}

func stampOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// linesOf are the items of a derived state, as lines of a checkpoint.
func linesOf(items []inject.Item) string {
	var b strings.Builder
	for _, it := range items {
		b.WriteString("- " + mem.Line(it.Text) + "\n")
	}
	return b.String()
}
