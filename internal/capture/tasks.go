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

// Todos returns the agent's own task list as todo memories. Open ones are injected
// until a session completes them. completed are the items that the call completed.
func (s *Service) Todos(
	ctx context.Context, ec event.Context, c extract.Call,
) (ch event.Changes, completed []extract.Todo, err error) {
	if len(c.Todos) == 0 && !c.Whole {
		return ch, nil, nil
	}
	listed := c.Todos[:min(len(c.Todos), maxListed)]
	known, err := s.knownItems(ctx, ec, listed)
	if err != nil {
		return ch, nil, err
	}
	ends := func(o mem.Memory) func(extract.Todo) bool {
		return func(t extract.Todo) bool { return t.Done() && matchesItem(t, o, ec) }
	}
	finished := map[string]bool{} // titles
	for _, o := range known {
		finished[o.Title] = finished[o.Title] || slices.ContainsFunc(listed, ends(o))
	}
	for _, o := range known {
		if o.Resolved {
			continue
		}
		gone := c.Whole && o.Session == ec.Session && slices.Contains(o.Tags, extract.ListedTag) &&
			strings.HasPrefix(o.Key, extract.ListedKey) &&
			!slices.ContainsFunc(listed, func(t extract.Todo) bool { return t.Text == o.Title })
		i := slices.IndexFunc(listed, ends(o))
		if i >= 0 && listed[i].Status == "completed" {
			completed = append(completed, extract.Todo{Id: listed[i].Id, Text: o.Title})
		}
		if gone || finished[o.Title] {
			ch.Edits = append(ch.Edits, mem.Edit{ID: o.ID, Resolved: new(true)})
		}
	}
	for _, t := range listed {
		edits, updated := updateTask(ec, t, known)
		ch.Edits = append(ch.Edits, edits...)
		if updated {
			continue
		}
		if mm, ok := listItem(ec, t, known); ok {
			ch.Memories = append(ch.Memories, mm)
		}
	}
	return ch, completed, nil
}

// knownItems returns the open items of the project, then the other items that have the ID of a listed task: closed
// ones, and those that were archived or merged since, as may happen to those of a session that is read in later. Both
// are newest first.
func (s *Service) knownItems(ctx context.Context, ec event.Context, listed []extract.Todo) ([]mem.Memory, error) {
	q := mem.Query{
		Project: ec.Project.Key, Kinds: []mem.Kind{mem.Todo}, Limit: 50, Hidden: true,
	}
	if ec.TaskList == "" { // the IDs are the session's own
		q.Session = ec.Session
	}
	for _, t := range listed {
		if t.Id != "" {
			q.Tags = append(q.Tags, ec.TaskTag(t.Id))
		}
	}
	var named []mem.Memory
	var err error
	if len(q.Tags) > 0 {
		if named, err = s.Store.List(ctx, q); err != nil {
			return nil, fmt.Errorf("items of tasks: %w", err)
		}
	}
	q.Tags, q.Open, q.Session, q.Hidden = nil, true, "", false
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

// updateTask returns the edits that set the new subject of the item with the task's ID,
// and reopen it if the task is no longer done. updated reports that no item needs to be
// added.
func updateTask(ec event.Context, t extract.Todo, known []mem.Memory) (edits []mem.Edit, updated bool) {
	if !t.Change {
		return nil, t.Text == "" || t.Shown
	}
	var o *mem.Memory // the newest: IDs of an emptied list start at 1 again
	for i := range known {
		if ec.HasTask(known[i], t.Id) && (o == nil || known[i].Created.After(o.Created)) {
			o = &known[i]
		}
	}
	if o == nil {
		return nil, t.Text == ""
	}
	if t.Text != "" && t.Text != o.Title {
		was := *o
		was.Title, was.Trust = t.Text, min(o.Trust, ec.Turn.Trust)
		index := rank.Index(was)
		edits = append(edits, mem.Edit{ID: o.ID, Title: &was.Title, Index: &index, Trust: &was.Trust})
	}
	if o.Resolved && t.Status != "" && !t.Done() {
		edits = append(edits, mem.Edit{ID: o.ID, Resolved: new(false)})
	}
	return edits, true
}

// listItem returns the memory of an item of the agent's list. ok is false if the item
// is done or already stored.
func listItem(ec event.Context, t extract.Todo, known []mem.Memory) (mm mem.Memory, ok bool) {
	at := slices.IndexFunc(known, func(o mem.Memory) bool {
		return !o.Resolved && o.Title == t.Text && o.Trust >= min(mem.TrustAssistant, ec.Turn.Trust)
	})
	if at < 0 && t.Done() || at >= 0 && known[at].Session != ec.Session && t.Id == "" {
		return mem.Memory{}, false
	}
	mm = ec.NewMemory(mem.Todo, mem.ScopeProject)
	mm.Title, mm.Key = t.Text, extract.ListedKey+strings.ToLower(t.Text)
	mm.Trust, mm.Origin = min(mem.TrustAssistant, ec.Turn.Trust), mem.FromAssistant
	mm.Confidence = event.ConfidenceAgent
	mm.Resolved, mm.Tags = t.Done(), []string{extract.ListedTag}
	if t.Id != "" {
		mm.Tags = append(mm.Tags, ec.TaskTag(t.Id))
	}
	return mm, true
}

// matchesItem reports whether t is the item stored as o, by its text or its ID.
func matchesItem(t extract.Todo, o mem.Memory, ec event.Context) bool {
	return t.Text != "" && t.Text == o.Title || ec.HasTask(o, t.Id)
}
