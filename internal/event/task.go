package event

import (
	"cmp"
	"encoding/json"
	"slices"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// todosOf reads the items of the list tool, or those of a task tool. Other tools
// have subjects too: a mail's is nothing to do. whole reports that the items are
// the whole list.
func todosOf(ev mem.Event, in map[string]json.RawMessage, output string) (list []extract.Todo, whole bool) {
	if ev.Tool == "TodoWrite" {
		for _, item := range extract.Items(in["todos"]) {
			if t := extract.TaskIn(item); t.Text != "" {
				list = append(list, extract.Todo{Text: t.Text, Status: t.Status})
			}
		}
		return list, true
	}
	out := extract.Fields(ev.Response)
	if string(out["success"]) == "false" {
		return nil, false
	}
	var found []extract.Todo
	switch ev.Tool {
	case "TaskCreate":
		t := extract.TaskIn(in, out, extract.Fields(out["task"]))
		t.Id = cmp.Or(t.Id, extract.TaskNumber(output))
		found = []extract.Todo{t}
	case "TaskUpdate":
		t := extract.TaskIn(in, out, extract.Fields(out["task"]),
			map[string]json.RawMessage{"status": extract.Fields(out["statusChange"])["to"]})
		t.Id, t.Change = cmp.Or(t.Id, extract.TaskNumber(output)), true
		t.Text = extract.TaskIn(in).Text // the subject is part of the answer also where it did not change
		found = []extract.Todo{t}
	case "TaskGet", "TaskList":
		for _, item := range append(extract.Items(out["tasks"]), extract.Fields(out["task"])) {
			t := extract.TaskIn(item)
			t.Shown = true
			found = append(found, t)
		}
	}
	return slices.DeleteFunc(found, func(t extract.Todo) bool { return t.Id == "" && t.Text == "" }), false
}

// TaskTag tags the item of a task. Ids count within a list, and each session has
// its own, unless it shares one that has a name.
func (m Context) TaskTag(id string) string {
	if m.TaskList != "" {
		return "task:" + m.TaskList + "/" + id
	}
	return "task:" + id
}

// HasTask reports whether an item is the task of an id.
func (m Context) HasTask(o mem.Memory, id string) bool {
	return id != "" && (m.TaskList != "" || o.Session == m.Session) && slices.Contains(o.Tags, m.TaskTag(id))
}
