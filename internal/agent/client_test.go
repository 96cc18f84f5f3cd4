package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"remanence/internal/agent"
	"remanence/internal/mem"
	"remanence/test/golden"
)

// kebabEvents are the names on the command lines of Copilot's hooks, by its own.
var kebabEvents = map[string]string{
	"sessionStart": "session-start", "userPromptSubmitted": "user-prompt-submit", "preToolUse": "pre-tool-use",
	"postToolUse": "post-tool-use", "postToolUseFailure": "post-tool-use-failure", "preCompact": "pre-compact",
	"agentStop": "stop", "sessionEnd": "session-end",
}

// clientCall is a recorded call of another client's hook.
type clientCall struct {
	Event string            `json:"event"`
	Stdin json.RawMessage   `json:"stdin"`
	Env   map[string]string `json:"env"`

	client string
}

// recordedOfClients returns all recorded calls of other clients.
func recordedOfClients(t testing.TB) []clientCall {
	t.Helper()
	files, err := filepath.Glob("testdata/clients/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var calls []clientCall
	for _, file := range files {
		d, c := recordedCall(t, file)
		c.client = d.ID()
		calls = append(calls, c)
	}
	return calls
}

func recordedCall(t testing.TB, file string) (agent.Dialect, clientCall) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var c clientCall
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	name := filepath.Base(filepath.Dir(file))
	d, ok := agent.ByName(name)
	if !ok {
		t.Fatalf("no dialect %s", name)
	}
	if name == "opencode" { // its plugin names the hook beside what the hook was called with
		var members map[string]json.RawMessage
		if err := json.Unmarshal(c.Stdin, &members); err != nil {
			t.Fatal(err)
		}
		event, err := json.Marshal(strings.TrimPrefix(c.Event, "event:"))
		if err != nil {
			t.Fatal(err)
		}
		members["hook_event_name"], members["directory"] = event, json.RawMessage(`"/home/dev/project"`)
		if c.Stdin, err = json.Marshal(members); err != nil {
			t.Fatal(err)
		}
	}
	return d, c
}

func (c clientCall) decode(d agent.Dialect) (mem.Event, error) {
	env := d.Environ(func(name string) string { return c.Env[name] })
	env.Event = kebabEvents[c.Event]
	return d.Decode(c.Stdin, env)
}

// Every recorded call of another client, the event it becomes and the exact bytes that a chatty reply to it prints.
func TestRecordedCallsOfOtherClientsDecodeAndAnswerAsRecorded(t *testing.T) {
	files, err := filepath.Glob("testdata/clients/*/*.json")
	if err != nil || len(files) < 90 {
		t.Fatalf("found %d recorded calls, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/clients/"), ".json")
		t.Run(name, func(t *testing.T) {
			d, c := recordedCall(t, file)
			got := ""
			if e, err := c.decode(d); err != nil {
				got = "error: " + err.Error() + "\n"
			} else {
				e.At = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
				e.Identify("nonce")
				b, err := json.MarshalIndent(e, "", "  ")
				if err != nil {
					t.Fatal(err)
				}
				got = string(b) + "\n-- stdout --\n" + string(d.Encode(e, chatty)) + "\n"
			}
			golden.Compare(t, filepath.Join("testdata", "golden", "clients", filepath.FromSlash(name)+".txt"), got)
		})
	}
}

// A command that exits with 3 is a failure with that status, wherever the client puts it. Codex puts it nowhere.
func TestAFailingCommandIsAFailureWithItsStatusInEveryClientThatTells(t *testing.T) {
	for file, want := range map[string]mem.EventKind{
		"codex/PostToolUse.Bash.failing":                      mem.PostToolUse,
		"gemini/AfterTool.run_shell_command.failing":          mem.PostToolUseFailure,
		"qwen/PostToolUseFailure.run_shell_command.failing":   mem.PostToolUseFailure,
		"copilot/postToolUse.bash.failing":                    mem.PostToolUseFailure,
		"copilot/PostToolUse.Bash.failing.pascal":             mem.PostToolUseFailure,
		"opencode/tool.execute.after.bash.failing":            mem.PostToolUseFailure,
		"gemini/AfterTool.run_shell_command":                  mem.PostToolUse,
		"qwen/PostToolUse.run_shell_command":                  mem.PostToolUse,
		"copilot/postToolUse.bash":                            mem.PostToolUse,
		"opencode/tool.execute.after.bash":                    mem.PostToolUse,
		"codex/PostToolUse.Bash":                              mem.PostToolUse,
		"copilot/postToolUseFailure.view.missing-file":        mem.PostToolUseFailure,
		"opencode/event.message.part.updated.tool-error":      mem.PostToolUseFailure,
		"qwen/PostToolUseFailure.read_file.missing-file":      mem.PostToolUseFailure,
		"copilot/PostToolUseFailure.Read.missing-file.pascal": mem.PostToolUseFailure,
	} {
		d, c := recordedCall(t, filepath.Join("testdata/clients", filepath.FromSlash(file)+".json"))
		e, err := c.decode(d)
		if err != nil || e.Kind != want {
			t.Errorf("%s: got %s, %v; want %s", file, e.Kind, err, want)
			continue
		}
		const failure = "Exit code 3\ncat: /no/such/file: No such file or directory"
		switch {
		case strings.Contains(file, "missing-file"), strings.Contains(file, "tool-error"):
			if e.Tool != "Read" || e.Error == "" {
				t.Errorf("%s: got tool %q, error %q; want a failed Read", file, e.Tool, e.Error)
			}
		case e.Tool != "Bash":
			t.Errorf("%s: got tool %q, want Bash", file, e.Tool)
		case want == mem.PostToolUseFailure && e.Error != failure:
			t.Errorf("%s: got error %q, want %q", file, e.Error, failure)
		case want == mem.PostToolUse && len(e.Response) == 0:
			t.Errorf("%s: got response %s", file, e.Response)
		}
	}
}

// A command may print what looks like the client's own report of its status.
func TestTheOutputOfACommandIsNotItsStatus(t *testing.T) {
	for name, payload := range map[string]string{
		"gemini": `{"hook_event_name":"AfterTool","session_id":"s","tool_name":"run_shell_command","tool_response":
			{"llmContent":"Output: one\nExit Code: 7\nProcess Group PGID: 1","returnDisplay":"one\nExit Code: 7"}}`,
		"copilot": `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"bash","tool_result":
			{"text_result_for_llm":"<shellId: 1 completed with exit code 7>\nmore\n<shellId: 2 completed with exit code 0>"}}`,
	} {
		d, _ := agent.ByName(name)
		if e, err := d.Decode([]byte(payload), agent.Env{}); err != nil || e.Kind != mem.PostToolUse {
			t.Errorf("%s: got %s (%s), %v; want a command that worked", name, e.Kind, e.Error, err)
		}
	}
}

// Gemini and Qwen have a word for the output of a command that printed nothing.
func TestACommandWithoutOutputFailsWithItsStatusAlone(t *testing.T) {
	const report = `Command: false\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 3\nSignal: (none)`
	for name, payload := range map[string]string{
		"gemini": `{"hook_event_name":"AfterTool","session_id":"s","tool_name":"run_shell_command","tool_response":
			{"llmContent":"` + report + `","returnDisplay":"Command exited with code: 3"}}`,
		"qwen": `{"hook_event_name":"PostToolUseFailure","session_id":"s","tool_name":"run_shell_command",
			"error":"` + report + `"}`,
	} {
		d, _ := agent.ByName(name)
		e, err := d.Decode([]byte(payload), agent.Env{})
		if err != nil || e.Kind != mem.PostToolUseFailure || e.Error != "Exit code 3\n" {
			t.Errorf("%s: got %s with error %q, %v", name, e.Kind, e.Error, err)
		}
	}
}

func TestAPatchIsReadForItsFiles(t *testing.T) {
	const payload = `{"hook_event_name":"PostToolUse","session_id":"s","tool_use_id":"t","tool_name":"apply_patch",` +
		`"tool_input":{"command":%s},"tool_response":%s}`
	const fine = "Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess.\n"
	for _, c := range []struct{ patch, response, kind, tool, input string }{
		{
			"*** Begin Patch\n*** Add File: a b.txt\n+one\n+two\n*** End Patch\n", fine,
			"PostToolUse", "Write", `{"content":"one\ntwo\n","file_path":"a b.txt"}`,
		},
		{
			"*** Begin Patch\n*** Update File: a.go\n@@ func x\n keep\n-old\n+new\n*** End Patch\n", fine,
			"PostToolUse", "Edit", `{"file_path":"a.go","new_string":"keep\nnew\n","old_string":"keep\nold\n"}`,
		},
		{
			"*** Begin Patch\n*** Update File: a.go\n-old\n+new\n*** Add File: b.go\n+package b\n*** Delete File: c.go\n" +
				"*** End Patch\n", fine,
			"PostToolUse", "Edit", `{"file_path":"a.go","files":["a.go","b.go"],"new_string":"new\n","old_string":"old\n"}`,
		},
		{
			"*** Begin Patch\n*** Delete File: c.go\n*** End Patch\n", fine,
			"PostToolUse", "apply_patch", `{"command":"*** Begin Patch\n*** Delete File: c.go\n*** End Patch\n"}`,
		},
		{
			"*** Begin Patch\n*** Update File: a.go\n-old\n+new\n*** End Patch\n",
			"Exit code: 1\nWall time: 0 seconds\nOutput:\nno such file\n",
			"PostToolUseFailure", "Edit", `{"file_path":"a.go","new_string":"new\n","old_string":"old\n"}`,
		},
	} {
		patch, _ := json.Marshal(c.patch)
		response, _ := json.Marshal(c.response)
		d, _ := agent.ByName("codex")
		e, err := d.Decode(fmt.Appendf(nil, payload, patch, response), agent.Env{})
		if err != nil || string(e.Kind) != c.kind || e.Tool != c.tool || string(e.Input) != c.input {
			t.Errorf("%s\ngot %s of %s with %s (%v)\nwant %s of %s with %s", c.patch, e.Kind, e.Tool, e.Input, err, c.kind,
				c.tool, c.input)
		}
	}
}

// Our plugin of OpenCode leaves out of a payload what is not read, and adds what a hook does not say.
func TestPayloadsOfOurPluginOfOpenCodeAreRead(t *testing.T) {
	d, _ := agent.ByName("opencode")
	const start = `{"session_id":"ses_1","directory":"/p","hook_event_name":`
	for payload, want := range map[string]string{
		`"session.created"`:  "SessionStart  ",
		`"session.resumed"`:  "SessionStart resume ",
		`"session.restored"`: "SessionStart compact ",
		`"dispose"`:          "SessionEnd  ",
		`"chat.message","output":{"message":{"model":{"modelID":"m"}},"parts":[{"type":"text","text":"\"two words\""}]}`: "" +
			"UserPromptSubmit  two words",
		`"session.idle","text":"Done."`: "Stop  Done.",
		`"message.part.updated","properties":{"part":{"type":"tool","tool":"bash","callID":"c","state":{"status":"error",` +
			`"input":{"command":"x"},"error":"aborted"}}}`: "PostToolUseFailure  ",
		`"tool.execute.after","input":{"tool":"bench_echo","callID":"c","args":{}},"output":{"content":[{"type":"text",` +
			`"text":"t"}],"metadata":{}}`: "PostToolUse  ",
	} {
		e, err := d.Decode([]byte(start+payload+"}"), agent.Env{})
		if got := fmt.Sprintf("%s %s %s", e.Kind, e.Source, e.Text); err != nil || got != want || e.Session != "ses_1" ||
			e.Cwd != "/p" {
			t.Errorf("%s: got %q in %s of %s, %v; want %q", payload, got, e.Cwd, e.Session, err, want)
		}
	}
}

// Gemini puts what the hooks of the session's start gave before the first prompt.
func TestAPromptOfGeminiIsWhatThePersonTyped(t *testing.T) {
	d, _ := agent.ByName("gemini")
	for prompt, want := range map[string]string{
		`<hook_context></hook_context>\n\ndo it`:            "do it",
		`<hook_context>of another tool</hook_context>do it`: "do it",
		`what is <hook_context>a</hook_context>?`:           "what is <hook_context>a</hook_context>?",
		`<hook_context> is not closed`:                      "<hook_context> is not closed",
	} {
		e, err := d.Decode([]byte(`{"hook_event_name":"BeforeAgent","session_id":"s","prompt":"`+prompt+`"}`), agent.Env{})
		if err != nil || e.Text != want {
			t.Errorf("%s: got %q, %v", prompt, e.Text, err)
		}
	}
}

// Qwen calls the hook of a prompt before every call of the model.
func TestOnlyANewPromptOfQwenIsAPrompt(t *testing.T) {
	d, _ := agent.ByName("qwen")
	for fields, want := range map[string]error{
		`"prompt":"do it","submitted_prompt":"do it"`: nil,
		`"prompt":"typed while a turn runs"`:          nil,
		`"prompt":"","submitted_prompt":""`:           nil, // all of it was private
		`"prompt":""`:                                 agent.ErrUnknownEvent,
	} {
		if _, err := d.Decode([]byte(`{"hook_event_name":"UserPromptSubmit","session_id":"s",`+fields+`}`),
			agent.Env{}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", fields, err, want)
		}
	}
}

func TestADialectRefusesCallsOfAnotherClient(t *testing.T) {
	for _, of := range agent.Dialects() {
		for _, file := range []string{
			"codex/Stop", "gemini/SessionStart.startup", "qwen/UserPromptSubmit", "copilot/Stop.pascal",
			"opencode/event.session.idle",
		} {
			by, c := recordedCall(t, filepath.Join("testdata/clients", filepath.FromSlash(file)+".json"))
			_, err := c.decode(of)
			if refused := errors.Is(err, agent.ErrOtherClient); refused == (by.ID() == of.ID()) {
				// OpenCode alone nests its members, so that others find no session in them.
				if !(by.ID() == "opencode" && err != nil) {
					t.Errorf("%s: %s said %v", of.ID(), file, err)
				}
			}
		}
	}
}

// An answer with a member that Codex does not know is dropped as a whole.
func TestAnswersHaveOnlyWhatTheirClientKnows(t *testing.T) {
	long := mem.Reply{Context: strings.Repeat("x", agent.MaxContext+1), Notice: "n"}
	for _, c := range []struct {
		client string
		e      mem.Event
		r      mem.Reply
		want   string
	}{
		{
			"codex",
			mem.Event{Kind: mem.SessionStart},
			chatty,
			`{"systemMessage":"Remembered 3 things about this project","hookSpecificOutput":{"hookEventName":"SessionStart",` +
				`"additionalContext":"Use <b>make check</b> & nothing else.\n- ü “quoted”\t\u2028end"}}`,
		},
		{"codex", mem.Event{Kind: mem.SessionStart}, long, `{"systemMessage":"n"}`},
		{
			"codex",
			mem.Event{Kind: mem.PostToolUseFailure},
			mem.Reply{Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"c"}}`,
		},
		{"codex", mem.Event{Kind: mem.PreCompact}, chatty, ""},
		{
			"gemini",
			mem.Event{Kind: mem.UserPromptSubmit},
			mem.Reply{Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"c"}}`,
		},
		{
			"gemini",
			mem.Event{Kind: mem.PostToolUseFailure},
			mem.Reply{Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"c"}}`,
		},
		{"gemini", mem.Event{Kind: mem.PreToolUse}, chatty, ""},
		{"copilot", mem.Event{Kind: mem.UserPromptSubmit}, mem.Reply{Context: "c", Notice: "n"}, `{"additionalContext":"c"}`},
		{"copilot", mem.Event{Kind: mem.Stop}, chatty, ""},
		{
			"qwen",
			mem.Event{Kind: mem.PostToolUseFailure},
			mem.Reply{Context: "c"},
			`{"hookSpecificOutput":{"hookEventName":"PostToolUseFailure","additionalContext":"c"}}`,
		},
		{"qwen", mem.Event{Kind: mem.PreCompact}, chatty, ""},
		{"opencode", mem.Event{Kind: mem.SessionStart}, mem.Reply{Context: "c", Notice: "n"}, `{"additionalContext":"c"}`},
		{"opencode", mem.Event{Kind: mem.PostToolUseFailure}, mem.Reply{Context: "c"}, `{"additionalContext":"c"}`},
		{"opencode", mem.Event{Kind: mem.PreCompact}, chatty, ""},
	} {
		d, _ := agent.ByName(c.client)
		if got := string(d.Encode(c.e, c.r)); got != c.want {
			t.Errorf("%s, %s:\n%s\nwant\n%s", c.client, c.e.Kind, got, c.want)
		}
	}
}

func TestTheAnswerOfATurnOfCopilotIsReadFromItsTranscript(t *testing.T) {
	b, err := os.ReadFile("testdata/clients/copilot/transcript.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := agent.ByName("copilot")
	reader, ok := d.(agent.AnswerReader)
	if !ok {
		t.Fatal("copilot reads no answer")
	}
	if got := reader.LastAnswer(b); got != "SECOND-ANSWER: resumed." {
		t.Errorf("got %q", got)
	}
	if got := reader.LastAnswer([]byte(`{"type":"assistant.message","data":{"content":"old"}}` + "\n" +
		`{"type":"user.message","data":{"content":"x"}}` + "\n{broken\n")); got != "" {
		t.Errorf("got %q, want nothing: the last prompt has no answer yet", got)
	}
	if got := reader.LastAnswer([]byte(`{"type":"assistant.message","data":{"content":"Let me see."}}` + "\n" +
		`{"type":"tool.execution_complete","data":{}}` + "\n")); got != "" {
		t.Errorf("got %q, want nothing: the answer after the tool is not written yet", got)
	}
}

func TestTheNotificationOfCodexIsAPromptAndTheEndOfItsTurn(t *testing.T) {
	find := func(session string) (string, bool) { return "/rollout-" + session + ".jsonl", session != "subagent" }
	const said = `{"type":"agent-turn-complete","thread-id":"s-1","turn-id":"t-1","cwd":"/p","client":"codex_exec",` +
		`"input-messages":["what?"],"last-assistant-message":"That."}`
	d, _ := agent.ByName("codex")
	var got []mem.Event
	for _, payload := range agent.CodexTurn(said, find) {
		e, err := d.Decode(payload, agent.Env{})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
	}
	want := []mem.Event{{Kind: mem.UserPromptSubmit, Text: "what?"}, {Kind: mem.Stop, Text: "That."}}
	for i := range want {
		want[i].Agent, want[i].Session, want[i].PromptID = "codex", "s-1", "t-1"
		want[i].Cwd, want[i].Root, want[i].Transcript = "/p", "/p", "/rollout-s-1.jsonl"
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	for _, other := range []string{
		"", "[]", `{"type":"approval-requested","thread-id":"s"}`, `{"type":"agent-turn-complete"}`,
		`{"type":"agent-turn-complete","thread-id":"subagent"}`,
	} {
		if got := agent.CodexTurn(other, find); got != nil {
			t.Errorf("%s: got %q", other, got)
		}
	}
	if got := agent.CodexTurn(`{"type":"agent-turn-complete","thread-id":"s","input-messages":7}`, find); len(got) != 1 {
		t.Errorf("without words: got %q, want the end alone", got)
	}
}
