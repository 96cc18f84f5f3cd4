package agent

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"remanence/internal/mem"
)

// copilot is the dialect of GitHub Copilot CLI. Its payloads do not name their event, so the command line does; those
// of a plugin do, and have the member names of Claude Code. Its answers are flat.
func copilot() Dialect {
	return copilotDialect{client{
		id: copilotID,
		events: map[string]mem.EventKind{
			"SessionStart": mem.SessionStart, "UserPromptSubmit": mem.UserPromptSubmit, "PreToolUse": mem.PreToolUse,
			"PostToolUse": mem.PostToolUse, "PostToolUseFailure": mem.PostToolUseFailure, "PreCompact": mem.PreCompact,
			"Stop": mem.Stop, "SessionEnd": mem.SessionEnd,
		},
		members: map[string]string{
			"sessionId": "session_id", "toolName": "tool_name", "toolArgs": "tool_input", "toolResult": "tool_result",
			"transcriptPath": "transcript_path", "customInstructions": "custom_instructions",
		},
		environ: func(get func(string) string) Env {
			return Env{ProjectDir: get("COPILOT_PROJECT_DIR"), Model: get("COPILOT_MODEL")}
		},
		read: func(e *mem.Event, f fields) bool {
			switch e.Kind {
			case mem.PreToolUse, mem.PostToolUse, mem.PostToolUseFailure:
				readCopilotTool(e, f)
			}
			return true
		},
		answers: sameNames(mem.SessionStart, mem.UserPromptSubmit, mem.PreToolUse, mem.PostToolUse,
			mem.PostToolUseFailure),
		flat: contextMember,
		late: true,
	}}
}

// copilotDialect is an AnswerReader beside: its payload of a turn's end lacks the answer.
type copilotDialect struct{ client }

// copilotStatus is how the result of a command ends.
func copilotStatus() *regexp.Regexp {
	return regexp.MustCompile(`\n?<shellId: \d+ completed with exit code (\d+)>\s*\z`)
}

func readCopilotTool(e *mem.Event, f fields) {
	if s := f.text("tool_input"); strings.HasPrefix(s, "{") && json.Valid([]byte(s)) { // as its documents have it
		e.Input = fields{"input": json.RawMessage(s)}.raw("input")
	}
	if server, tool, ok := strings.Cut(e.Tool, "-"); ok && server != "" && tool != "" {
		e.Tool = mcpTool(server, tool)
	}
	if e.Tool == "apply_patch" { // which models of OpenAI get instead of create and edit
		readPatch(e, f.text("tool_input"))
	}
	rename(e, copilotTools())
	if e.Kind == mem.PostToolUseFailure {
		result{text: e.Error, failed: true}.give(e)
		return
	}
	var r result
	if res, ok := readFields(f["tool_result"]); ok {
		res = res.renamed(map[string]string{"textResultForLlm": "text_result_for_llm", "resultType": "result_type"})
		r.text, r.failed = res.text("text_result_for_llm"), res.text("result_type") == "failure"
	}
	if e.Tool == mem.ToolShell {
		r.status = lastStatus(copilotStatus(), r.text)
		r.text = copilotStatus().ReplaceAllString(r.text, "")
	}
	r.give(e)
}

func copilotTools() map[string]native {
	file := map[string]string{
		"path": "file_path", "file_text": "content", "old_str": "old_string", "new_str": "new_string",
	}
	return map[string]native{
		"bash":   {name: mem.ToolShell},
		"create": {name: mem.ToolWrite, input: file},
		"Write":  {name: mem.ToolWrite, input: file},
		"edit":   {name: mem.ToolEdit, input: file},
		"Edit":   {name: mem.ToolEdit, input: file},
		"view":   {name: mem.ToolRead, input: file},
		"Read":   {name: mem.ToolRead, input: file},
		"grep":   {name: mem.ToolGrep},
		"rg":     {name: mem.ToolGrep},
		"glob":   {name: mem.ToolGlob},

		"web_fetch": {name: mem.ToolFetch},
	}
}

// LastAnswer implements AnswerReader: the last message of the assistant in a part of events.jsonl. On a busy machine
// Copilot writes the answer after it reported the end of the turn: a message before the last tool is not the answer.
func (copilotDialect) LastAnswer(transcript []byte) string {
	last := ""
	for line := range bytes.Lines(transcript) {
		f, ok := readFields(line)
		if !ok {
			continue
		}
		switch f.text("type") {
		case "user.message", "tool.execution_start", "tool.execution_complete":
			last = ""
		case "assistant.message":
			data, _ := readFields(f["data"])
			if s := data.text("content"); s != "" {
				last = s
			}
		}
	}
	return last
}
