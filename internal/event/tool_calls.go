package event

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// ReadCall reads the tool input and response of an event. Clients change their formats, so each field is read
// separately, and an unknown one is empty.
func (e *Service) ReadCall(ev mem.Event, p mem.Project) extract.Call {
	in := extract.Fields(ev.Input)
	c := extract.Call{
		Command: extract.Text(in["command"]), Old: extract.Text(in["old_string"]), New: cmp.Or(extract.Text(in["new_string"]),
			extract.Text(in["content"]), extract.Text(in["new_source"])),
		Pattern: extract.Text(in["pattern"]), Prompt: extract.Text(in["prompt"]), About: extract.Text(in["description"]),
		Subagent: extract.Text(in["subagent_type"]),
	}
	if f := cmp.Or(extract.Text(in["file_path"]), extract.Text(in["notebook_path"]), extract.Text(in["path"])); f != "" {
		c.File = e.Rel(p, f)
	}
	if edits := extract.Items(in["edits"]); len(edits) > 0 && c.Old == "" {
		var was, is []string
		for _, edit := range edits {
			was, is = append(was, extract.Text(edit["old_string"])), append(is, extract.Text(edit["new_string"]))
		}
		c.Old, c.New = strings.Join(was, "\n"), strings.Join(is, "\n")
	}
	c.Plain = extract.PlainCommand(c.Command)
	c.Output, c.Error = extract.ResponseText(ev.Response), ev.Error
	c.Todos, c.Whole = todosOf(ev, in, c.Output)
	return c
}

// EditsFile reports whether a tool of the agent writes into files.
func EditsFile(tool string) bool {
	return slices.Contains([]string{mem.ToolWrite, mem.ToolEdit, mem.ToolMultiEdit, mem.ToolNotebook}, tool)
}

// EditingTools returns patterns of the tools that EditsFile knows, as mem.EventQuery takes them. They match others too.
func EditingTools() []string { return []string{mem.ToolWrite, "*Edit"} }

// MaxCommand bounds a stored command, in runes.
const MaxCommand = 300

// MaxErrorText bounds the stored text of an error, in runes.
const MaxErrorText = 500

// Bounds of a replacement that is shown, in characters.
const (
	maxReplaced = 80 // of each side
	shownBefore = 24 // of what both sides begin with
)

const importantFail = 0.6

// Changed returns the memory of an edited or written file. Edits of one file in one turn become one memory; those
// that only reformat it are apart.
func Changed(m Context, c extract.Call) mem.Memory {
	mm := ChangedBy(m, c.File, "")
	mm.Title = "Wrote file " + c.File
	if c.Old != "" || m.Tool != mem.ToolWrite {
		was, is := excerpts(c.Old, c.New)
		mm.Title = fmt.Sprintf("Edited %s: replaced '%s' with '%s'", c.File, was, is)
		if was == is {
			mm.Title = "Edited " + c.File + ": changed white space"
		}
	}
	mm.Title = chars.Clip(mm.Title, 240)
	if extract.OnlyReformats(c.File, c.Old, c.New) {
		mm.Tags, mm.Key = append(mm.Tags, extract.LayoutTag), "layout:"+mm.Key
	}
	return mm
}

// ChangedBy returns the memory of a file that a command changed.
func ChangedBy(m Context, file, command string) mem.Memory {
	mm := m.NewMemory(mem.Change, mem.ScopeSession)
	mm.Tool, mm.Files, mm.Modified = m.Tool, []string{file}, []string{file}
	mm.Tags = []string{"file-change", extract.AutoCaptured}
	mm.Title = chars.Clip(fmt.Sprintf("Changed %s by `%s`", file, command), 240)
	mm.Key = "change:" + m.PromptID + ":" + file
	return mm
}

// excerpts returns both sides of a replacement in part. Where they begin alike, the parts begin a little before the
// first difference.
func excerpts(before, after string) (was, is string) {
	was, is = chars.Line(before), chars.Line(after)
	same := 0
	for same < min(len(was), len(is)) && was[same] == is[same] {
		same++
	}
	if word := strings.LastIndexByte(was[:max(same-shownBefore, 0)], ' '); word > 0 {
		was, is = "…"+was[word:], "…"+is[word:]
	}
	return chars.Clip(was, maxReplaced), chars.Clip(is, maxReplaced)
}

// Failed returns the memory of a command that failed. said is how; see extract.Call.Failed.
func Failed(m Context, c extract.Call, said string) mem.Memory {
	code, message := extract.ExitOf(said)
	mm := m.NewMemory(mem.Command, mem.ScopeSession)
	mm.Importance, mm.Resolved = importantFail, false
	mm.Tool, mm.Command, mm.ExitCode = m.Tool, c.Plain, code
	mm.Tags = []string{"command-outcome", "error", "debugging", extract.AutoCaptured}
	mm.Title = chars.Clip(fmt.Sprintf("Command failed (exit %d): %s | Error: %s", code, chars.Clip(c.Plain, MaxCommand),
		extract.ShortError(extract.ErrorLine(message))), 2*MaxCommand)
	mm.Body = chars.Clip(message, MaxErrorText)
	mm.Key = "failed:" + c.Plain
	return mm
}

// todosOf reads the items of the list tool, or those of a task tool. Other tools have subjects too, such as that
// of a mail. whole reports that the items are the complete list.
func todosOf(ev mem.Event, in map[string]json.RawMessage, output string) (list []extract.Todo, whole bool) {
	switch ev.Tool {
	case mem.ToolTaskCreate, mem.ToolTaskUpdate, "TaskGet", "TaskList":
	case mem.ToolTodo:
		for _, item := range extract.Items(in["todos"]) {
			if t := extract.TaskIn(item); t.Text != "" {
				list = append(list, extract.Todo{Text: t.Text, Status: t.Status})
			}
		}
		return list, true
	default:
		return nil, false
	}
	out := extract.Fields(ev.Response)
	if string(out["success"]) == "false" {
		return nil, false
	}
	var found []extract.Todo
	switch ev.Tool {
	case mem.ToolTaskCreate:
		t := extract.TaskIn(in, out, extract.Fields(out["task"]))
		t.Id = cmp.Or(t.Id, extract.TaskNumber(output))
		found = []extract.Todo{t}
	case mem.ToolTaskUpdate:
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

// TaskTag returns the tag of a task's item. Ids are unique in a list, and each session has its own list unless it
// shares a named one.
func (m Context) TaskTag(id string) string {
	if m.TaskList != "" {
		return "task:" + m.TaskList + "/" + id
	}
	return "task:" + id
}

// HasTask reports whether an item is the task with an id.
func (m Context) HasTask(o mem.Memory, id string) bool {
	return id != "" && (m.TaskList != "" || o.Session == m.Session) && slices.Contains(o.Tags, m.TaskTag(id))
}
