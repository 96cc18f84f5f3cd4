package capture

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxListed bounds the items that are read of one call.
const maxListed = 20

// KeepTodos stores the agent's own task list as todo memories. Open ones are injected
// until a session completes them. It returns the items that the call completed.
func (s *Service) KeepTodos(
	ctx context.Context,
	m *event.Context,
	c extract.Call,
) (completed []extract.Todo, err error) {
	if len(c.Todos) == 0 && !c.Whole {
		return nil, nil
	}
	listed := c.Todos[:min(len(c.Todos), maxListed)]
	known, err := s.knownItems(ctx, m, listed)
	if err != nil {
		return nil, err
	}
	ends := func(o mem.Memory) func(extract.Todo) bool {
		return func(t extract.Todo) bool { return t.Done() && matchesItem(t, o, m) }
	}
	finished := map[string]bool{} // titles
	for _, o := range known {
		finished[o.Title] = finished[o.Title] || slices.ContainsFunc(listed, ends(o))
	}
	for _, o := range known {
		if o.Resolved {
			continue
		}
		gone := c.Whole && o.Session == m.Session && slices.Contains(o.Tags, extract.ListedTag) &&
			strings.HasPrefix(o.Key, extract.ListedKey) &&
			!slices.ContainsFunc(listed, func(t extract.Todo) bool { return t.Text == o.Title })
		i := slices.IndexFunc(listed, ends(o))
		if i >= 0 && listed[i].Status == "completed" {
			completed = append(completed, extract.Todo{Id: listed[i].Id, Text: o.Title})
		}
		if gone || finished[o.Title] {
			m.Batch.Edits = append(m.Batch.Edits, mem.Edit{ID: o.ID, Resolved: new(true)})
		}
	}
	for _, t := range listed {
		if !updateTask(m, t, known) {
			addListItem(m, t, known)
		}
	}
	return completed, nil
}

// knownItems are the open items of the project, and those that the ids of some tasks
// name, open or not. Newest first.
func (s *Service) knownItems(ctx context.Context, m *event.Context, listed []extract.Todo) ([]mem.Memory, error) {
	q := mem.Query{Project: m.Project.Key, Kinds: []mem.Kind{mem.Todo}, Limit: 50}
	for _, t := range listed {
		if t.Id != "" {
			q.Tags = append(q.Tags, m.TaskTag(t.Id))
		}
	}
	var named []mem.Memory
	var err error
	if len(q.Tags) > 0 {
		if named, err = s.Store.List(ctx, q); err != nil {
			return nil, fmt.Errorf("items of tasks: %w", err)
		}
	}
	q.Tags, q.Open = nil, true
	open, err := s.Store.List(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("open items: %w", err)
	}
	for _, o := range named {
		if !slices.ContainsFunc(open, func(x mem.Memory) bool { return x.ID == o.ID }) {
			open = append(open, o)
		}
	}
	return open, nil
}

// updateTask sets the new subject of the item with the task's ID, and reopens it if
// the task is no longer done. It reports whether no item needs to be added.
func updateTask(m *event.Context, t extract.Todo, known []mem.Memory) bool {
	if !t.Change {
		return t.Text == "" || t.Shown
	}
	var o *mem.Memory // the newest: a list that was emptied counts from one again
	for i := range known {
		if m.HasTask(known[i], t.Id) && (o == nil || known[i].Created.After(o.Created)) {
			o = &known[i]
		}
	}
	if o == nil {
		return t.Text == ""
	}
	if t.Text != "" && t.Text != o.Title {
		was := *o
		was.Title, was.Trust = t.Text, min(o.Trust, m.Turn.Trust)
		index := rank.Index(was)
		m.Batch.Edits = append(m.Batch.Edits, mem.Edit{ID: o.ID, Title: &was.Title, Index: &index, Trust: &was.Trust})
	}
	if o.Resolved && t.Status != "" && !t.Done() {
		m.Batch.Edits = append(m.Batch.Edits, mem.Edit{ID: o.ID, Resolved: new(false)})
	}
	return true
}

// addListItem adds an item of the agent's list.
func addListItem(m *event.Context, t extract.Todo, known []mem.Memory) {
	at := slices.IndexFunc(known, func(o mem.Memory) bool {
		return !o.Resolved && o.Title == t.Text && o.Trust >= min(mem.TrustAssistant, m.Turn.Trust)
	})
	if at < 0 && t.Done() || at >= 0 && known[at].Session != m.Session && t.Id == "" {
		return // nothing is left of it; or it is open since another session
	}
	mm := m.NewMemory(mem.Todo, mem.ScopeProject)
	mm.Title, mm.Key = t.Text, extract.ListedKey+strings.ToLower(t.Text)
	mm.Trust, mm.Origin, mm.Confidence = min(
		mem.TrustAssistant,
		m.Turn.Trust,
	), mem.FromAssistant, event.ConfidenceAgent
	mm.Resolved, mm.Tags = t.Done(), []string{extract.ListedTag}
	if t.Id != "" {
		mm.Tags = append(mm.Tags, m.TaskTag(t.Id))
	}
	m.Add(mm)
}

// matchesItem reports whether t is the item stored as o, by its text or its ID.
func matchesItem(t extract.Todo, o mem.Memory, m *event.Context) bool {
	return t.Text != "" && t.Text == o.Title || m.HasTask(o, t.Id)
}
