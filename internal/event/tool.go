package event

import (
	"cmp"

	"remanence/internal/extract"
)

// Understand reads the event's tool input and response. Clients change their
// shapes, so each field is read on its own and a strange one is empty.
func (e *Service) Understand(m *Context) extract.Call {
	in := extract.Fields(m.Input)
	c := extract.Call{
		Command: extract.Text(in["command"]), Old: extract.Text(in["old_string"]), New: cmp.Or(extract.Text(in["new_string"]),
			extract.Text(in["content"]), extract.Text(in["new_source"])),
		Pattern: extract.Text(in["pattern"]), Prompt: extract.Text(in["prompt"]), About: extract.Text(in["description"]),
		Subagent: extract.Text(in["subagent_type"]),
	}
	if f := cmp.Or(extract.Text(in["file_path"]), extract.Text(in["notebook_path"]), extract.Text(in["path"])); f != "" {
		c.File = e.Rel(m.Project, f)
	}
	if edits := extract.Items(in["edits"]); len(edits) > 0 && c.Old == "" {
		c.Old, c.New = extract.Text(edits[0]["old_string"]), extract.Text(edits[0]["new_string"])
	}
	c.Plain = extract.PlainCommand(c.Command)
	c.Output = extract.ResponseText(m.Response)
	c.Todos, c.Whole = todosOf(m, in, c.Output)
	return c
}
