package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxTaskID bounds the id of a task, in bytes; a longer one is none.
const maxTaskID = 64

// maxListed is how many items of one call are read.
const maxListed = 20

// todo is one item of a list the agent keeps. The task tools name it by id.
type todo struct {
	id, text, status string
	change           bool // it changes the task that the id names
	shown            bool // it only shows how the task stands
}

// done reports whether nothing is left to do about it.
func (t todo) done() bool {
	return t.status == "completed" || t.status == "deleted" || t.status == "cancelled"
}

// taskCompleted marks an item of work as done.
func (e *Engine) taskCompleted(ctx context.Context, m *moment) (mem.Reply, error) {
	if m.Text == "" {
		return mem.Reply{}, nil
	}
	done := todo{id: m.TaskID, text: mem.Clip(mem.Line(m.Text), 160), status: "completed"}
	m.leaveTasks([]todo{done})
	_, err := e.keepTodos(ctx, m, call{todos: []todo{done}})
	return mem.Reply{}, err
}

// todosOf reads the items of the list tool, or those of a task tool. Other tools
// have subjects too: a mail's is nothing to do. whole reports that the items are
// the whole list.
func todosOf(m *moment, in map[string]json.RawMessage, output string) (list []todo, whole bool) {
	if m.Tool == "TodoWrite" {
		for _, item := range items(in["todos"]) {
			if t := taskIn(item); t.text != "" {
				list = append(list, todo{text: t.text, status: t.status})
			}
		}
		return list, true
	}
	out := fields(m.Response)
	if string(out["success"]) == "false" {
		return nil, false
	}
	var found []todo
	switch m.Tool {
	case "TaskCreate":
		t := taskIn(in, out, fields(out["task"]))
		t.id = cmp.Or(t.id, taskNumber(output))
		found = []todo{t}
	case "TaskUpdate":
		t := taskIn(in, out, fields(out["task"]), map[string]json.RawMessage{"status": fields(out["statusChange"])["to"]})
		t.id, t.change = cmp.Or(t.id, taskNumber(output)), true
		t.text = taskIn(in).text // the subject is part of the answer also where it did not change
		found = []todo{t}
	case "TaskGet", "TaskList":
		for _, item := range append(items(out["tasks"]), fields(out["task"])) {
			t := taskIn(item)
			t.shown = true
			found = append(found, t)
		}
	}
	return slices.DeleteFunc(found, func(t todo) bool { return t.id == "" && t.text == "" }), false
}

// taskIn is the task that some objects describe, each field from the first that
// has it. A task's own object calls its id "id", a call's input or answer not.
func taskIn(objects ...map[string]json.RawMessage) (t todo) {
	for _, o := range objects {
		t.id = cmp.Or(t.id, idText(o["taskId"]), idText(o["task_id"]), idText(o["id"]))
		subject := cmp.Or(text(o["content"]), text(o["subject"]), text(o["taskSubject"]))
		t.text = cmp.Or(t.text, mem.Clip(mem.Line(subject), 160))
		t.status = cmp.Or(t.status, text(o["status"]))
	}
	return t
}

// idText is an id that is a string or a number.
func idText(raw json.RawMessage) string {
	id := text(raw)
	if len(raw) > 0 && raw[0] >= '0' && raw[0] <= '9' {
		id = string(raw)
	}
	if len(id) > maxTaskID {
		return ""
	}
	return mem.Line(id)
}

// taskNumber is the number that a task tool's answer gives the task: "#12".
func taskNumber(output string) string {
	_, rest, ok := strings.Cut(output, "#")
	if !ok {
		return ""
	}
	id := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	if len(id) > maxTaskID {
		return ""
	}
	return id
}

// keepTodos keeps the agent's own list of work as todo memories: open ones are
// injected until they are done, in whichever session that is.
func (e *Engine) keepTodos(ctx context.Context, m *moment, c call) (completed []todo, err error) {
	if len(c.todos) == 0 && !c.whole {
		return nil, nil
	}
	listed := c.todos[:min(len(c.todos), maxListed)]
	known, err := e.itemsOf(ctx, m, listed)
	if err != nil {
		return nil, err
	}
	ends := func(o mem.Memory) func(todo) bool {
		return func(t todo) bool { return t.done() && t.names(o, m) }
	}
	finished := map[string]bool{} // titles
	for _, o := range known {
		finished[o.Title] = finished[o.Title] || slices.ContainsFunc(listed, ends(o))
	}
	for _, o := range known {
		if o.Resolved {
			continue
		}
		gone := c.whole && o.Session == m.Session && slices.Contains(o.Tags, listedTag) &&
			strings.HasPrefix(o.Key, listedKey) &&
			!slices.ContainsFunc(listed, func(t todo) bool { return t.text == o.Title })
		i := slices.IndexFunc(listed, ends(o))
		if i >= 0 && listed[i].status == "completed" {
			completed = append(completed, todo{id: listed[i].id, text: o.Title})
		}
		if gone || finished[o.Title] {
			m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: o.ID, Resolved: new(true)})
		}
	}
	for _, t := range listed {
		if !m.changeTask(t, known) {
			m.listItem(t, known)
		}
	}
	return completed, nil
}

// itemsOf are the open items of the project, and those that the ids of some tasks
// name, open or not. Newest first.
func (e *Engine) itemsOf(ctx context.Context, m *moment, listed []todo) ([]mem.Memory, error) {
	q := mem.Query{Project: m.project.Key, Kinds: []mem.Kind{mem.Todo}, Limit: 50}
	for _, t := range listed {
		if t.id != "" {
			q.Tags = append(q.Tags, m.taskTag(t.id))
		}
	}
	var named []mem.Memory
	var err error
	if len(q.Tags) > 0 {
		if named, err = e.Store.List(ctx, q); err != nil {
			return nil, fmt.Errorf("items of tasks: %w", err)
		}
	}
	q.Tags, q.Open = nil, true
	open, err := e.Store.List(ctx, q)
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

// changeTask gives the item that a task's id names the task's new subject, and
// opens it again if the task is not done any more. It reports whether there is
// such an item, or nothing to add.
func (m *moment) changeTask(t todo, known []mem.Memory) bool {
	if !t.change {
		return t.text == "" || t.shown
	}
	var o *mem.Memory // the newest: a list that was emptied counts from one again
	for i := range known {
		if m.hasTask(known[i], t.id) && (o == nil || known[i].Created.After(o.Created)) {
			o = &known[i]
		}
	}
	if o == nil {
		return t.text == ""
	}
	if t.text != "" && t.text != o.Title {
		was := *o
		was.Title, was.Trust = t.text, min(o.Trust, m.turn.Trust)
		index := rank.Index(was)
		m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: o.ID, Title: &was.Title, Index: &index, Trust: &was.Trust})
	}
	if o.Resolved && t.status != "" && !t.done() {
		m.batch.Edits = append(m.batch.Edits, mem.Edit{ID: o.ID, Resolved: new(false)})
	}
	return true
}

// listItem adds an item of the agent's list.
func (m *moment) listItem(t todo, known []mem.Memory) {
	at := slices.IndexFunc(known, func(o mem.Memory) bool {
		return !o.Resolved && o.Title == t.text && o.Trust >= min(mem.TrustAssistant, m.turn.Trust)
	})
	if at < 0 && t.done() || at >= 0 && known[at].Session != m.Session && t.id == "" {
		return // nothing is left of it; or it is open since another session
	}
	mm := m.newMemory(mem.Todo, mem.ScopeProject)
	mm.Title, mm.Key = t.text, listedKey+strings.ToLower(t.text)
	mm.Trust, mm.Origin, mm.Confidence = min(mem.TrustAssistant, m.turn.Trust), mem.FromAssistant, ConfidenceAgent
	mm.Resolved, mm.Tags = t.done(), []string{listedTag}
	if t.id != "" {
		mm.Tags = append(mm.Tags, m.taskTag(t.id))
	}
	m.add(mm)
}

// listedTag tags items of the agent's own list.
const listedTag = "todo"

// listedKey begins their keys: a tag may be anybody's.
const listedKey = "todo:"

// taskTag tags the item of a task. Ids count within a list, and each session has
// its own, unless it shares one that has a name.
func (m *moment) taskTag(id string) string {
	if m.TaskList != "" {
		return "task:" + m.TaskList + "/" + id
	}
	return "task:" + id
}

// hasTask reports whether an item is the task of an id.
func (m *moment) hasTask(o mem.Memory, id string) bool {
	return id != "" && (m.TaskList != "" || o.Session == m.Session) && slices.Contains(o.Tags, m.taskTag(id))
}

// names reports whether t is the item that is kept as o, by its text or its id.
func (t todo) names(o mem.Memory, m *moment) bool {
	return t.text != "" && t.text == o.Title || m.hasTask(o, t.id)
}
