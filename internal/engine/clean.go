package engine

import (
	"remanence/internal/mem"
	"remanence/internal/redact"
)

// cleanNames redacts the fields of an event that name something: sessions, directories, tools. An id or a path without
// a secret in it stays as it is.
func (e *Engine) cleanNames(ev *mem.Event) {
	for _, f := range []struct {
		key   string
		value *string
	}{
		{"session_id", &ev.Session},
		{"prompt_id", &ev.PromptID},
		{"tool_use_id", &ev.ToolUseID},
		{"agent_id", &ev.AgentID},
		{"task_id", &ev.TaskID},
		{"cwd", &ev.Root},
		{"cwd", &ev.Cwd},
		{"transcript_path", &ev.Transcript},
		{"tool_name", &ev.Tool},
		{"model", &ev.Model},
		{"source", &ev.Source},
		{"source", &ev.Entrypoint},
		{"agent_type", &ev.AgentType},
		{"agent_name", &ev.By},
	} {
		if *f.value != "" {
			*f.value = e.Redactor.Member(f.key, *f.value)
		}
	}
}

// redactedProject returns identify with the names and paths of its projects redacted: a branch, a directory or a
// remote may be named after anything.
func redactedProject(d *redact.Redactor, identify func(dir string) (mem.Project, error)) func(dir string) (mem.Project,
	error) {
	if d == nil || identify == nil {
		return identify
	}
	return func(dir string) (mem.Project, error) {
		p, err := identify(dir)
		p.Name, p.Branch, p.Origin = d.Text(p.Name), d.Text(p.Branch), d.Text(p.Origin)
		p.Root, p.Common = d.Member("cwd", p.Root), d.Member("cwd", p.Common)
		return p, err
	}
}
