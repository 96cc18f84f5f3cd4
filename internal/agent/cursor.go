package agent

import (
	"encoding/json"
	"strings"

	"remanence/internal/mem"
)

// The dialects of Cursor and Windsurf follow the documents of these clients. No payload of them was recorded: both are
// closed programs with a window of their own.

// cursor is the dialect of Cursor. It takes text when a session starts and after a tool, but none with a prompt.
func cursor() client {
	return client{
		id: cursorID,
		events: map[string]mem.EventKind{
			"sessionStart": mem.SessionStart, "beforeSubmitPrompt": mem.UserPromptSubmit, "postToolUse": mem.PostToolUse,
			"postToolUseFailure": mem.PostToolUseFailure, "afterFileEdit": mem.PostToolUse, "preCompact": mem.PreCompact,
			"afterAgentResponse": mem.Stop, "sessionEnd": mem.SessionEnd,
		},
		members: map[string]string{
			"conversation_id": "session_id", "generation_id": "prompt_id", "error_message": "error", "duration": "duration_ms",
			"text": "last_assistant_message",
		},
		flatten: func(f fields) fields {
			var roots []string
			if json.Unmarshal(f["workspace_roots"], &roots) == nil && len(roots) > 0 {
				f = f.filled("cwd", quoted(roots[0]))
			}
			return f
		},
		environ: func(get func(string) string) Env { return Env{ProjectDir: get("CURSOR_PROJECT_DIR")} },
		read: func(e *mem.Event, f fields) bool {
			e.Transcript = "" // its form is not known
			switch {
			case e.Kind == mem.PostToolUse && f["edits"] != nil:
				return readEdits(e, f)
			case e.Kind == mem.PostToolUse, e.Kind == mem.PostToolUseFailure:
				return readCursorTool(e, f)
			}
			return true
		},
		answers: sameNames(mem.SessionStart, mem.PostToolUse, mem.PostToolUseFailure),
		flat:    "additional_context",
		late:    true,
		nothing: "{}",
	}
}

// readCursorTool reads the end of a tool call. An edit is left to afterFileEdit, which has the text of before.
func readCursorTool(e *mem.Event, f fields) bool {
	if tool, ok := strings.CutPrefix(e.Tool, "MCP:"); ok && tool != "" {
		e.Tool = mcpTool("cursor", tool) // the server is not named
	}
	rename(e, map[string]native{"Shell": {name: mem.ToolShell}, "Task": {name: mem.ToolAgent}})
	if e.Kind == mem.PostToolUseFailure {
		result{text: e.Error, failed: true}.give(e)
		return true
	}
	if e.Tool == mem.ToolWrite || e.Tool == mem.ToolEdit {
		return false
	}
	r := result{text: f.text("tool_output")}
	if out, ok := readFields([]byte(r.text)); ok && e.Tool == mem.ToolShell {
		out = out.renamed(map[string]string{"exit_code": "exitCode", "output": "stdout"})
		r.status = int(out.count("exitCode"))
		r.text = strings.TrimSpace(out.text("stdout") + "\n" + out.text("stderr"))
	}
	r.give(e)
	return true
}

// readEdits makes an event the canonical call for changes of one file. A file without text of before is written. It
// returns false if no file is named.
func readEdits(e *mem.Event, f fields) bool {
	if f.text("file_path") == "" {
		return false
	}
	var was, is []string
	f.each("edits", func(edit fields) {
		was, is = append(was, edit.text("old_string")), append(is, edit.text("new_string"))
	})
	in := map[string]string{"file_path": f.text("file_path")}
	before, after := strings.Join(was, "\n"), strings.Join(is, "\n")
	if e.Tool = mem.ToolEdit; strings.TrimSpace(before) == "" {
		e.Tool, in["content"] = mem.ToolWrite, after
	} else {
		in["old_string"], in["new_string"] = before, after
	}
	if b, err := json.Marshal(in); err == nil {
		e.Input = b
	}
	result{}.give(e)
	return true
}

// windsurf is the dialect of Windsurf. It reports no start of a session, and nothing that a hook prints reaches the
// model, which asks the MCP server instead.
func windsurf() client {
	return client{
		id: windsurfID,
		events: map[string]mem.EventKind{
			"pre_user_prompt": mem.UserPromptSubmit, "post_write_code": mem.PostToolUse, "post_run_command": mem.PostToolUse,
			"post_mcp_tool_use": mem.PostToolUse, "post_cascade_response": mem.Stop,
		},
		members: map[string]string{
			"agent_action_name": "hook_event_name", "trajectory_id": "session_id", "execution_id": "prompt_id",
			"model_name": "model",
		},
		flatten: func(f fields) fields {
			info, _ := readFields(f["tool_info"])
			return f.filled("prompt", info["user_prompt"]).filled("last_assistant_message", info["response"]).
				filled("cwd", info["cwd"])
		},
		environ: func(get func(string) string) Env { return Env{ProjectDir: get("PWD")} }, // the workspace, in hooks
		read: func(e *mem.Event, f fields) bool {
			info, _ := readFields(f["tool_info"])
			switch f.text("hook_event_name") {
			case "post_write_code":
				return readEdits(e, info)
			case "post_run_command":
				return readCommand(e, info.text("command_line"))
			case "post_mcp_tool_use":
				e.Tool = label(mcpTool(info.text("mcp_server_name"), info.text("mcp_tool_name")))
				e.Input = info.raw("mcp_tool_arguments")
				result{text: info.text("mcp_result")}.give(e)
			}
			return true
		},
	}
}

// readCommand makes an event the canonical call of a command without a result. It returns false without a command.
func readCommand(e *mem.Event, command string) bool {
	b, err := json.Marshal(map[string]string{"command": command})
	e.Tool, e.Input = mem.ToolShell, b
	return err == nil && command != ""
}
