package agent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"remanence/internal/agent"
	"remanence/internal/mem"
)

// Payloads as the documents of Cursor and Windsurf describe them; none was recorded.
func TestDocumentedPayloadsOfCursorAndWindsurfAreRead(t *testing.T) {
	const (
		cursor = `{"conversation_id":"c1","generation_id":"g1","workspace_roots":["/p","/q"],"cursor_version":"2.0",` +
			`"transcript_path":"/t.jsonl","hook_event_name":`
		windsurf = `{"trajectory_id":"c1","execution_id":"g1","timestamp":"2026-11-20T12:00:00Z","model_name":"m",` +
			`"agent_action_name":`
	)
	for _, c := range []struct{ client, payload, want string }{
		{"cursor", cursor + `"sessionStart","session_id":"c1","composer_mode":"agent"}`, "SessionStart - - -"},
		{"cursor", cursor + `"beforeSubmitPrompt","prompt":"do it","attachments":[]}`, "UserPromptSubmit - - do it off"},
		{
			"cursor", cursor + `"postToolUse","tool_name":"Shell","tool_use_id":"t","tool_input":{"command":"x"},` +
				`"tool_output":"{\"exitCode\":2,\"stdout\":\"a\",\"stderr\":\"b\"}","cwd":"/p/sub"}`,
			"PostToolUseFailure Bash {\"command\":\"x\"} Exit code 2\na\nb",
		},
		{
			"cursor", cursor + `"postToolUse","tool_name":"Shell","tool_input":{"command":"x"},"tool_output":"plain"}`,
			`PostToolUse Bash {"command":"x"} "plain"`,
		},
		{
			"cursor", cursor + `"postToolUse","tool_name":"MCP:echo","tool_input":{"a":1},"tool_output":"{\"b\":2}"}`,
			`PostToolUse mcp__cursor__echo {"a":1} "{\"b\":2}"`,
		},
		{
			"cursor", cursor + `"postToolUseFailure","tool_name":"Shell","tool_input":{"command":"x"},` +
				`"error_message":"timed out","failure_type":"timeout"}`,
			`PostToolUseFailure Bash {"command":"x"} timed out`,
		},
		{"cursor", cursor + `"postToolUse","tool_name":"Write","tool_input":{"path":"/p/a"},"tool_output":"ok"}`, "unknown"},
		{
			"cursor", cursor + `"afterFileEdit","file_path":"/p/a.go","edits":[{"old_string":"x","new_string":"y"},` +
				`{"old_string":"v","new_string":"w"}]}`,
			`PostToolUse Edit {"file_path":"/p/a.go","new_string":"y\nw","old_string":"x\nv"} -`,
		},
		{
			"cursor", cursor + `"afterFileEdit","file_path":"/p/b.go","edits":[{"old_string":"","new_string":"new"}]}`,
			`PostToolUse Write {"content":"new","file_path":"/p/b.go"} -`,
		},
		{"cursor", cursor + `"afterAgentResponse","text":"Done."}`, "Stop - - Done."},
		{"cursor", cursor + `"preCompact","trigger":"auto","context_usage_percent":85}`, "PreCompact auto - -"},
		{"cursor", cursor + `"sessionEnd","session_id":"c1","reason":"user_close"}`, "SessionEnd user_close - -"},
		{"cursor", cursor + `"afterAgentThought","text":"hm"}`, "unknown"},
		{"windsurf", windsurf + `"pre_user_prompt","tool_info":{"user_prompt":"do it"}}`, "UserPromptSubmit - - do it off"},
		{
			"windsurf", windsurf + `"post_write_code","tool_info":{"file_path":"/p/a.go","edits":[{"old_string":"x",` +
				`"new_string":"y"}]}}`,
			`PostToolUse Edit {"file_path":"/p/a.go","new_string":"y","old_string":"x"} - off`,
		},
		{
			"windsurf", windsurf + `"post_run_command","tool_info":{"command_line":"go test","cwd":"/p"}}`,
			`PostToolUse Bash {"command":"go test"} - off`,
		},
		{
			"windsurf", windsurf + `"post_mcp_tool_use","tool_info":{"mcp_server_name":"git","mcp_tool_name":"log",` +
				`"mcp_tool_arguments":{"n":1},"mcp_result":"two"}}`,
			`PostToolUse mcp__git__log {"n":1} "two" off`,
		},
		{"windsurf", windsurf + `"post_cascade_response","tool_info":{"response":"Done."}}`, "Stop - - Done."},
		{"windsurf", windsurf + `"pre_run_command","tool_info":{"command_line":"x"}}`, "unknown"},
		{"windsurf", windsurf + `"post_write_code"}`, "unknown"},
		{"windsurf", windsurf + `"post_run_command","tool_info":{"command_line":7}}`, "unknown"},
	} {
		d, _ := agent.ByName(c.client)
		env := d.Environ(func(name string) string {
			return map[string]string{"PWD": "/p", "CURSOR_PROJECT_DIR": "/p"}[name]
		})
		e, err := d.Decode([]byte(c.payload), env)
		got := strings.TrimSpace(brief(e))
		if errors.Is(err, agent.ErrUnknownEvent) {
			got = "unknown"
		} else if err != nil || e.Session != "c1" || e.PromptID != "g1" || e.Root != "/p" || e.Transcript != "" {
			t.Errorf("%s: %v, session %q, prompt %q, root %q, transcript %q", c.payload, err, e.Session, e.PromptID, e.Root,
				e.Transcript)
		}
		if got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.payload, got, c.want)
		}
	}
}

// brief is what an event says: its kind, its tool or source, the input, and its text, error or response.
func brief(e mem.Event) string {
	or := func(texts ...string) string {
		for _, s := range texts {
			if s != "" {
				return s
			}
		}
		return "-"
	}
	off := ""
	if e.InjectionOff {
		off = "off"
	}
	return fmt.Sprintln(e.Kind, or(e.Tool, e.Source), or(string(e.Input)), or(e.Text, e.Error, string(e.Response)), off)
}

// Cursor runs the hooks of Claude Code's settings as well, if its person allows it.
func TestOtherDialectsRefuseCallsOfCursorAndWindsurf(t *testing.T) {
	for _, payload := range []string{
		`{"conversation_id":"c1","session_id":"c1","cursor_version":"2.0","hook_event_name":"SessionStart","cwd":"/p"}`,
		`{"trajectory_id":"c1","session_id":"c1","hook_event_name":"UserPromptSubmit","prompt":"x"}`,
	} {
		for _, name := range []string{"claude-code", "codex", "gemini", "copilot", "qwen", "opencode"} {
			d, _ := agent.ByName(name)
			if _, err := d.Decode([]byte(payload), agent.Env{}); !errors.Is(err, agent.ErrOtherClient) {
				t.Errorf("%s takes %s: %v", name, payload, err)
			}
		}
	}
}

func TestAnswersToCursorAreAlwaysJSONAndWindsurfGetsNone(t *testing.T) {
	for _, c := range []struct {
		client string
		kind   mem.EventKind
		want   string
	}{
		{"cursor", mem.SessionStart, `{"additional_context":"c"}`},
		{"cursor", mem.PostToolUse, `{"additional_context":"c"}`},
		{"cursor", mem.UserPromptSubmit, `{}`},
		{"cursor", mem.Stop, `{}`},
		{"windsurf", mem.UserPromptSubmit, ""},
		{"windsurf", mem.PostToolUse, ""},
	} {
		d, _ := agent.ByName(c.client)
		if got := string(d.Encode(mem.Event{Kind: c.kind}, mem.Reply{Context: "c", Notice: "n"})); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.client, c.kind, got, c.want)
		}
	}
}
