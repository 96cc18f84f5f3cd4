package agent

import (
	"regexp"
	"strings"

	"remanence/internal/mem"
)

// gemini is the dialect of Gemini CLI, which has names of its own for events and tools.
func gemini() client {
	return client{
		id: geminiID,
		events: map[string]mem.EventKind{
			"SessionStart": mem.SessionStart, "BeforeAgent": mem.UserPromptSubmit, "AfterAgent": mem.Stop,
			"BeforeTool": mem.PreToolUse, "AfterTool": mem.PostToolUse, "PreCompress": mem.PreCompact,
			"SessionEnd": mem.SessionEnd, "Notification": mem.Notification,
		},
		members: map[string]string{"prompt_response": "last_assistant_message"},
		environ: func(get func(string) string) Env {
			return Env{ProjectDir: get("GEMINI_PROJECT_DIR"), SessionID: get("GEMINI_SESSION_ID")}
		},
		read: func(e *mem.Event, f fields) bool {
			switch e.Kind {
			case mem.UserPromptSubmit:
				e.Text = withoutHookContext(e.Text)
			case mem.PreCompact: // one with the trigger auto comes before every call of the model
				return e.Source == "manual"
			case mem.PreToolUse, mem.PostToolUse:
				if mcp, ok := readFields(f["mcp_context"]); ok {
					e.Tool = label(mcpTool(mcp.text("server_name"), mcp.text("tool_name")))
				}
				rename(e, geminiTools())
				geminiResult(f).give(e)
			}
			return true
		},
		answers: map[mem.EventKind]string{
			mem.SessionStart: "SessionStart", mem.UserPromptSubmit: "BeforeAgent",
			mem.PostToolUse: "AfterTool", mem.PostToolUseFailure: "AfterTool",
		},
		notices: true,
		late:    true,
	}
}

// withoutHookContext returns what the person typed. Gemini puts before it what hooks gave at the session's start.
func withoutHookContext(prompt string) string {
	if _, typed, ok := strings.Cut(prompt, "</hook_context>"); ok && strings.HasPrefix(prompt, "<hook_context>") {
		return strings.TrimSpace(typed)
	}
	return prompt
}

// qwen is the dialect of Qwen Code: events and answers of Claude Code, tools of Gemini CLI.
func qwen() client {
	return client{
		id: qwenID, events: claudeEvents(),
		environ: func(get func(string) string) Env {
			return Env{
				ProjectDir: get("QWEN_PROJECT_DIR"), SessionID: get("QWEN_CODE_SESSION_ID"), Model: get("QWEN_CODE_MODEL"),
			}
		},
		read: func(e *mem.Event, f fields) bool {
			switch e.Kind {
			case mem.UserPromptSubmit: // comes before every call of the model; only a new prompt has a text
				return e.Text != "" || f["submitted_prompt"] != nil // which is empty if all of it was private
			case mem.PreToolUse:
				rename(e, geminiTools())
			case mem.PostToolUse:
				rename(e, geminiTools())
				geminiResult(f).give(e)
			case mem.PostToolUseFailure:
				rename(e, geminiTools())
				r := result{text: e.Error, failed: true}
				if e.Tool == mem.ToolShell {
					r = commandReport(e.Error, "")
					r.failed = true
				}
				r.give(e)
			}
			return true
		},
		answers: sameNames(mem.SessionStart, mem.UserPromptSubmit, mem.PreToolUse, mem.PostToolUse,
			mem.PostToolUseFailure, mem.SubagentStart),
		notices: true,
	}
}

// geminiTools are the tools of Gemini CLI, and of Qwen Code, which comes from it.
func geminiTools() map[string]native {
	path := map[string]string{"dir_path": "path"}
	return map[string]native{
		"run_shell_command":   {name: mem.ToolShell},
		"write_file":          {name: mem.ToolWrite},
		"replace":             {name: mem.ToolEdit},
		"edit":                {name: mem.ToolEdit},
		"read_file":           {name: mem.ToolRead, input: map[string]string{"absolute_path": "file_path"}},
		"grep_search":         {name: mem.ToolGrep, input: path},
		"search_file_content": {name: mem.ToolGrep, input: path},
		"glob":                {name: mem.ToolGlob, input: path},
		"list_directory":      {name: mem.ToolList, input: path},
		"web_fetch":           {name: mem.ToolFetch},
		"google_web_search":   {name: mem.ToolSearchWeb},
		"web_search":          {name: mem.ToolSearchWeb},
	}
}

// geminiResult reads the result of a tool: what the model gets, and what the person sees, which for a command is its
// plain output.
func geminiResult(f fields) result {
	response, ok := readFields(f["tool_response"])
	if !ok {
		return result{text: f.text("tool_response")}
	}
	text := strings.TrimSpace(textsOf(response["llmContent"]))
	text = strings.TrimSuffix(strings.TrimPrefix(text, "<untrusted_context>\n"), "\n</untrusted_context>")
	r := commandReport(text, response.text("returnDisplay"))
	if failure, ok := readFields(response["error"]); ok {
		r.failed = true
		if message := failure.text("message"); message != "" && r.text == "" {
			r.text = message
		}
	}
	return r
}

// Parts of a command's report. They are compiled where they are used: every hook starts a process.
func reportedStatus() *regexp.Regexp { return regexp.MustCompile(`(?m)^Exit Code: (\d+)$`) }
func reportedOutput() *regexp.Regexp { return regexp.MustCompile(`(?m)^Output: `) }
func reportedEnd() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(Error: |Exit Code: |Signal: |Background PIDs: |Process Group PGID: )`)
}

// noOutput stands in a report for the output of a command that printed nothing.
const noOutput = "(empty)"

// commandReport reads what the model gets of a command. The output, if it is known, is not searched for a status:
// it may print one of its own. Any other text is returned as it is.
func commandReport(text, output string) result {
	begin := reportedOutput().FindStringIndex(text)
	if begin == nil {
		if output != "" {
			return result{text: output}
		}
		return result{text: text}
	}
	rest := text[begin[1]:]
	if after, ok := strings.CutPrefix(rest, output); ok && output != "" {
		return result{text: output, status: lastStatus(reportedStatus(), after)}
	}
	r := result{text: rest, status: lastStatus(reportedStatus(), rest)}
	if end := reportedEnd().FindAllStringIndex(rest, -1); len(end) > 0 {
		r.text = strings.TrimSuffix(rest[:end[0][0]], "\n")
	}
	if r.text == noOutput {
		r.text = ""
	}
	return r
}
