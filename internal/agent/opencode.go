package agent

import (
	"strings"

	"remanence/internal/mem"
)

// opencode is the dialect of OpenCode, whose hooks are functions of a plugin in its own process. Our plugin passes on
// what those were called with: "input" and "output" of a hook, or the "properties" of an event.
func opencode() client {
	return client{
		id: opencodeID,
		events: map[string]mem.EventKind{
			"session.created": mem.SessionStart, "session.resumed": mem.SessionStart, "session.restored": mem.SessionStart,
			"chat.message": mem.UserPromptSubmit, "tool.execute.after": mem.PostToolUse,
			"message.part.updated": mem.PostToolUseFailure, "session.idle": mem.Stop,
			"experimental.session.compacting": mem.PreCompact, "session.compacted": mem.PostCompact, "dispose": mem.SessionEnd,
		},
		flatten: flattenOpencode,
		environ: func(func(string) string) Env { return Env{} },
		read: func(e *mem.Event, f fields) bool {
			switch e.Kind {
			case mem.SessionStart:
				e.Source = map[string]string{"session.resumed": "resume", "session.restored": "compact"}[f.text("hook_event_name")]
			case mem.PreCompact, mem.PostCompact:
				e.Source = "auto"
			case mem.PostToolUse, mem.PostToolUseFailure:
				return readOpencodeTool(e, f)
			}
			return true
		},
		answers: sameNames(mem.SessionStart, mem.UserPromptSubmit, mem.PostToolUse, mem.PostToolUseFailure),
		flat:    contextMember,
	}
}

// flattenOpencode gives the members the names and places that they have in Claude Code's payloads.
func flattenOpencode(f fields) fields {
	in, _ := readFields(f["input"])
	out, _ := readFields(f["output"])
	props, _ := readFields(f["properties"])
	part, _ := readFields(props["part"])
	state, _ := readFields(part["state"])
	for _, from := range []fields{in, props} {
		f = f.filled("session_id", from["sessionID"])
	}
	f = f.filled("tool_name", in["tool"]).filled("tool_use_id", in["callID"]).filled("tool_input", in["args"])
	f = f.filled("tool_name", part["tool"]).filled("tool_use_id", part["callID"])
	f = f.filled("tool_input", state["input"]).filled("error", state["error"])
	if parts := textsOf(out["parts"]); parts != "" {
		f = f.filled("prompt", quoted(Unquoted(parts)))
	}
	f = f.filled("cwd", f["directory"]).filled("last_assistant_message", f["text"])
	if message, ok := readFields(out["message"]); ok {
		model, _ := readFields(message["model"])
		f = f.filled("model", model["modelID"])
	}
	return f
}

// Unquoted takes off the quotation marks that "opencode run" puts around a prompt of several words.
func Unquoted(s string) string {
	if n := len(s); n > 2 && s[0] == '"' && s[n-1] == '"' && strings.Count(s, `"`) == 2 {
		return s[1 : n-1]
	}
	return s
}

// readOpencodeTool reads the end of a tool call. That of one that worked has another hook than that of one that failed.
func readOpencodeTool(e *mem.Event, f fields) bool {
	failed := e.Kind == mem.PostToolUseFailure
	if props, ok := readFields(f["properties"]); ok && failed {
		part, _ := readFields(props["part"])
		state, _ := readFields(part["state"])
		if part.text("type") != "tool" || state.text("status") != "error" {
			return false
		}
	}
	if _, known := opencodeTools()[e.Tool]; !known {
		if server, tool, ok := strings.Cut(e.Tool, "_"); ok && server != "" && tool != "" {
			e.Tool = mcpTool(server, tool)
		}
	}
	if e.Tool == "apply_patch" { // which models of OpenAI get instead of write and edit
		in, _ := readFields(e.Input)
		readPatch(e, in.text("patchText"))
	}
	rename(e, opencodeTools())
	if failed {
		result{text: e.Error, failed: true}.give(e)
		return true
	}
	out, _ := readFields(f["output"])
	r := result{text: out.text("output")}
	if r.text == "" {
		r.text = textsOf(out["content"])
	}
	if meta, ok := readFields(out["metadata"]); ok && e.Tool == mem.ToolShell {
		r.status = int(meta.count("exit"))
	}
	r.give(e)
	return true
}

func opencodeTools() map[string]native {
	file := map[string]string{"filePath": "file_path", "oldString": "old_string", "newString": "new_string"}
	return map[string]native{
		"bash":      {name: mem.ToolShell},
		"write":     {name: mem.ToolWrite, input: file},
		"edit":      {name: mem.ToolEdit, input: file},
		"read":      {name: mem.ToolRead, input: file},
		"grep":      {name: mem.ToolGrep},
		"glob":      {name: mem.ToolGlob},
		"list":      {name: mem.ToolList},
		"webfetch":  {name: mem.ToolFetch},
		"websearch": {name: mem.ToolSearchWeb},

		"apply_patch":                 {name: "apply_patch"}, // names that are not those of a server and its tool
		"list_mcp_resources":          {name: "list_mcp_resources"},
		"list_mcp_resource_templates": {name: "list_mcp_resource_templates"},
		"read_mcp_resource":           {name: "read_mcp_resource"},
	}
}
