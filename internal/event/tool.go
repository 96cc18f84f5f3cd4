package event

import (
	"cmp"

	"remanence/internal/extract"
	"remanence/internal/mem"
)

// ReadCall reads the tool input and response of an event. Clients change their
// shapes, so each field is read on its own and a strange one is empty.
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
		c.Old, c.New = extract.Text(edits[0]["old_string"]), extract.Text(edits[0]["new_string"])
	}
	c.Plain = extract.PlainCommand(c.Command)
	c.Output = extract.ResponseText(ev.Response)
	c.Todos, c.Whole = todosOf(ev, in, c.Output)
	return c
}
