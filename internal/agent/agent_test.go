package agent_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"remanence/internal/agent"
	"remanence/internal/mem"
	"remanence/test/golden"
)

// call is one recorded hook call.
type call struct {
	Stdin json.RawMessage   `json:"stdin"`
	Body  json.RawMessage   `json:"body"` // of a call over HTTP
	Env   map[string]string `json:"env"`
}

func recorded(t testing.TB) map[string]call {
	t.Helper()
	paths, err := filepath.Glob("testdata/events/*.json")
	if err != nil || len(paths) < 60 {
		t.Fatalf("found %d recorded calls, %v", len(paths), err)
	}
	calls := map[string]call{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		var c call
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if c.Stdin == nil {
			c.Stdin = c.Body
		}
		calls[strings.TrimSuffix(filepath.Base(p), ".json")] = c
	}
	return calls
}

func (c call) decode() (mem.Event, error) {
	d := agent.Claude{}
	return d.Decode(c.Stdin, d.Environ(func(name string) string { return c.Env[name] }))
}

// chatty is a reply that uses everything a reply can have.
var chatty = mem.Reply{
	Context: "Use <b>make check</b> & nothing else.\n- ü “quoted”\t\u2028end",
	Notice:  "Remembered 3 things\nabout this project",
	Env:     []mem.EnvVar{{Name: "REMANENCE_SESSION_ID", Value: "x"}},
}

// Every recorded call, the event it becomes and the exact bytes that a chatty
// reply to it prints.
func TestRecordedCallsDecodeAndAnswerAsRecorded(t *testing.T) {
	for name, c := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			golden.Compare(t, filepath.Join("testdata", "golden", name+".txt"), render(t, c))
		})
	}
}

func render(t *testing.T, c call) string {
	t.Helper()
	e, err := c.decode()
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	e.At = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e.Identify("nonce")
	b, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n-- stdout --\n" + string(agent.Claude{}.Encode(e, chatty)) + "\n"
}

func TestOneOddFieldSpoilsNoOther(t *testing.T) {
	e := decode(t, `{"hook_event_name":"PostToolUseFailure","session_id":"s","prompt_id":7,"cwd":["/x"],
		"transcript_path":null,"tool_name":"Bash","tool_use_id":{"a":1},"tool_input":null,"error":false,
		"is_interrupt":"true","duration_ms":"12","agent_id":true}`)
	want := mem.Event{Agent: "claude-code", Kind: mem.PostToolUseFailure, Session: "s", Tool: "Bash"}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("event (-want +got):\n%s", diff)
	}
	e = decode(t, `{"hook_event_name":"Stop","session_id":"s","last_assistant_message":"Done.","stop_hook_active":1,
		"background_tasks":[{"status":"running"},{"status":"done"},3,null,{"status":["running"]},{"status":"running"}]}`)
	if e.Text != "Done." || e.StopActive || e.Background != 2 {
		t.Errorf("got text %q, active %t, %d background tasks; want Done., false, 2", e.Text, e.StopActive, e.Background)
	}
}

func TestTheClientsNoteBehindAPlanIsNotThePersons(t *testing.T) {
	const plan, note = `Implement the following plan:\n\n# Plan: Retry with a fake clock\n\n1. Use it in send.go.`,
		`\n\n\nIf you need specific details from before exiting plan mode (like errors), read the transcript at: /x/y.jsonl`
	for prompt, want := range map[string]string{
		plan + note:              plan,
		plan:                     plan,
		`Retry, please.` + note:  `Retry, please.` + note,
		plan + note + note:       plan + note,
		plan + `\n- read it all`: plan + `\n- read it all`,
	} {
		e := decode(t, `{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"`+prompt+`"}`)
		if got := strings.ReplaceAll(e.Text, "\n", `\n`); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", prompt, got, want)
		}
	}
}

func TestSmallPayloadsAreEnough(t *testing.T) {
	for _, k := range []string{
		"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop",
		"StopFailure", "SubagentStart", "SubagentStop", "TaskCompleted", "PreCompact", "PostCompact", "Notification",
		"SessionEnd", "Setup",
	} {
		e := decode(t, `{"session_id":"s","hook_event_name":"`+k+`"}`)
		if want := (mem.Event{Agent: "claude-code", Kind: mem.EventKind(k), Session: "s"}); !cmp.Equal(e, want) {
			t.Errorf("%s: got %+v, want only kind and session", k, e)
		}
	}
}

func TestDurationsAreWholeAndSane(t *testing.T) {
	for in, want := range map[string]int64{
		"12": 12, "12.9": 12, "0": 0, "-3": 0, "1e400": 0, "1e300": 0, "null": 0,
		`"5"`: 0,
	} {
		e, err := agent.Claude{}.Decode([]byte(`{"hook_event_name":"PostToolUse","session_id":"s","duration_ms":`+in+`}`),
			agent.Env{})
		if err != nil || e.DurationMS != want {
			t.Errorf("duration_ms %s: got %d, %v; want %d", in, e.DurationMS, err, want)
		}
	}
}

func TestWhatIsNotAnEventOfOursIsNamed(t *testing.T) {
	for payload, want := range map[string]error{
		``:                           agent.ErrNotObject,
		`null`:                       agent.ErrNotObject,
		`[1]`:                        agent.ErrNotObject,
		`{"hook_event_name":"Stop"`:  agent.ErrNotObject,
		`{}`:                         agent.ErrUnknownEvent,
		`{"hook_event_name":3}`:      agent.ErrUnknownEvent,
		`{"hook_event_name":"Stop"}`: agent.ErrNoSession,
		`{"hook_event_name":"PostToolBatch","session_id":"s"}`:            agent.ErrUnknownEvent,
		`{"hook_event_name":"WorktreeCreate","session_id":"s"}`:           agent.ErrUnknownEvent,
		`{"Hook_Event_Name":"Stop","session_id":"s"}`:                     agent.ErrUnknownEvent,
		`{"hook_event_name":"Stop","session_id":{"hook_event_name":"x"}}`: agent.ErrNoSession,
	} {
		if _, err := (agent.Claude{}).Decode([]byte(payload), agent.Env{}); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", payload, err, want)
		}
	}
}

func TestRunByHandNeedsOnlyTheNameOfTheEvent(t *testing.T) {
	d := agent.Claude{}
	e, err := d.Decode([]byte(`{"source":"startup"}`), agent.Env{Event: "session-start"})
	if err != nil || e.Kind != mem.SessionStart || e.Source != "startup" || e.Session != agent.ManualSession {
		t.Errorf("got %+v, %v; want a SessionStart(startup) of session %q", e, err, agent.ManualSession)
	}
	e, err = d.Decode([]byte(`{}`), agent.Env{Event: "pre-compact", SessionID: "abc"})
	if err != nil || e.Kind != mem.PreCompact || e.Session != "abc" {
		t.Errorf("got %+v, %v; want PreCompact of session abc", e, err)
	}
	e, err = d.Decode([]byte(`{"hook_event_name":"Stop","session_id":"s"}`), agent.Env{Event: "session-start"})
	if err != nil || e.Kind != mem.Stop {
		t.Errorf("got %s, %v; the payload's own event counts", e.Kind, err)
	}
}

func TestAnUnknownStartSourceIsAStartup(t *testing.T) {
	for source, want := range map[string]string{
		`"startup"`: "startup", `"resume"`: "resume", `"clear"`: "clear", `"compact"`: "compact", `"fork"`: "fork",
		`"new"`: "startup", `"some later word"`: "startup", `"Resume"`: "startup",
		`""`: "", `null`: "", `["fork"]`: "", // which the engine takes for a startup
	} {
		payload := `{"hook_event_name":"SessionStart","session_id":"s","source":` + source + `}`
		if e, err := (agent.Claude{}).Decode([]byte(payload), agent.Env{}); err != nil || e.Source != want {
			t.Errorf("source %s is %q, %v; want %q", source, e.Source, err, want)
		}
	}
}

func TestProjectIsWhereTheClientWasStarted(t *testing.T) {
	payload := []byte(`{"hook_event_name":"Stop","session_id":"s","cwd":"/home/dev/project/sub"}`)
	e, _ := agent.Claude{}.Decode(payload, agent.Env{ProjectDir: "/home/dev/project"})
	if e.Root != "/home/dev/project" || e.Cwd != "/home/dev/project/sub" {
		t.Errorf("got root %q, cwd %q", e.Root, e.Cwd)
	}
	e, _ = agent.Claude{}.Decode(payload, agent.Env{})
	if e.Root != "/home/dev/project/sub" {
		t.Errorf("without CLAUDE_PROJECT_DIR got root %q, want cwd", e.Root)
	}
	for _, bad := range []string{"relative", "../x", "/a\x00b", "/" + strings.Repeat("x", 5000), "/a\nb"} {
		if e, _ := (agent.Claude{}).Decode(payload, agent.Env{ProjectDir: bad}); e.Root != e.Cwd {
			t.Errorf("project directory %.20q was taken as root %.20q", bad, e.Root)
		}
	}
}

func TestEnvFileCountsWhereTheClientReadsIt(t *testing.T) {
	for kind, want := range map[string]bool{
		"SessionStart": true, "Setup": true, "UserPromptSubmit": false,
		"Stop": false,
	} {
		e, err := agent.Claude{}.Decode([]byte(`{"session_id":"s","hook_event_name":"`+kind+`"}`), agent.Env{EnvFile: "/x"})
		if err != nil || e.EnvFile != want {
			t.Errorf("%s: got %t, %v; want %t", kind, e.EnvFile, err, want)
		}
	}
}

func TestSharedTaskListIsKnownByItsHash(t *testing.T) {
	const payload = `{"session_id":"s","hook_event_name":%q,"tool_name":%q,"task_id":"1","tool_input":{}}`
	list := func(event, tool, name string) string {
		e, err := agent.Claude{}.Decode(fmt.Appendf(nil, payload, event, tool), agent.Env{TaskList: name})
		if err != nil {
			t.Fatal(err)
		}
		return e.TaskList
	}
	a := list("PostToolUse", "TaskUpdate", "release plan")
	if a == "" || strings.Contains(a, "release") || a != list("TaskCompleted", "", "release plan") {
		t.Errorf("got list %q, want one hash for all events of a task", a)
	}
	if b := list("PostToolUse", "TaskUpdate", "another"); a == b {
		t.Errorf("two lists are both %q", b)
	}
	if got := list("PostToolUse", "TaskUpdate", "") + list("PostToolUse", "Bash", "release plan") +
		list("Stop", "", "release plan"); got != "" {
		t.Errorf("got list %q of events of no shared task, want none", got)
	}
}

func TestOnlyListedVariablesAreRead(t *testing.T) {
	listed := map[string]bool{
		"CLAUDE_PROJECT_DIR": true, "CLAUDE_CODE_SESSION_ID": true, "CLAUDE_CODE_ENTRYPOINT": true,
		"CLAUDE_ENV_FILE": true, "CLAUDE_CODE_TASK_LIST_ID": true, "CLAUDE_PID": true,
		"QWEN_CODE_SESSION_ID": true, "GEMINI_SESSION_ID": true, "COPILOT_CLI": true,
	}
	agent.Claude{}.Environ(func(name string) string {
		if !listed[name] {
			t.Errorf("read %s", name)
		}
		return ""
	})
}

func TestSessionIDsAreSafeNames(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{
		"../../x", "x", "..", ".", "a/b", `a\b`, "a\x00b", "a\nb", "con", "NUL.txt", "com1", "-rf", ".hidden",
		"end.", "a b", "é", "e\u0301", strings.Repeat("a", 4096), strings.Repeat("a", 4095), "x..y", "C:x", "💥",
	} {
		payload, _ := json.Marshal(map[string]string{"hook_event_name": "Stop", "session_id": id})
		e := decode(t, string(payload))
		s := e.Session
		if s == "" || len(s) > 200 || s != filepath.Base(s) || strings.Contains(s, "..") ||
			strings.ContainsAny(s, "/\\\x00\n :") || s[0] == '-' {
			t.Errorf("session id %.20q became %q, not one safe name", id, s)
		}
		if other, ok := seen[s]; ok {
			t.Errorf("session ids %.20q and %.20q both became %q", id, other, s)
		}
		seen[s] = id
	}
	const uuid = "993404b5-91aa-4a15-97f6-c25103f13900"
	if e := decode(t, `{"hook_event_name":"Stop","session_id":"`+uuid+`"}`); e.Session != uuid {
		t.Errorf("got session %q, want %q untouched", e.Session, uuid)
	}
}

func TestCallsWithoutAnIDAreTheSameForAnyKeyOrder(t *testing.T) {
	a := decode(t,
		`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Task","tool_input":{"a":1.50,"b":{"x":[1],"y":"<"}}}`)
	b := decode(t,
		`{"tool_input" : `+
			`{"b":{"y":"<","x":[1]},"a":1.50},"tool_name":"Agent","session_id":"s","hook_event_name":"PreToolUse"}`)
	if diff := cmp.Diff(a, b); diff != "" {
		t.Errorf("events differ:\n%s", diff)
	}
	if a.Tool != "Agent" {
		t.Errorf("got tool %q, want the new name of Task", a.Tool)
	}
}

func TestBothNamesOfTheClientAreKnown(t *testing.T) {
	for _, name := range []string{"claude-code", "claude"} {
		if d, ok := agent.ByName(name); !ok || d.ID() != "claude-code" {
			t.Errorf("%q: got %v, %t", name, d, ok)
		}
	}
	if d, ok := agent.ByName("clippy"); ok {
		t.Errorf("clippy: got %v", d)
	}
}

func decode(t *testing.T, payload string) mem.Event {
	t.Helper()
	e, err := agent.Claude{}.Decode([]byte(payload), agent.Env{})
	if err != nil {
		t.Fatalf("decode %.200s: %v", payload, err)
	}
	return e
}

// Several clients run the hooks that they find in Claude Code's files.
func TestPayloadsOfOtherClientsAreRefused(t *testing.T) {
	const rollout = `,"transcript_path":"/home/dev/.codex/sessions/2026/11/23/rollout-2026-11-23T23-00-00-c1.jsonl"`
	claude := map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "outer", "CLAUDE_PROJECT_DIR": "/p"}
	copilot := map[string]string{"COPILOT_CLI": "1", "CLAUDE_PROJECT_DIR": "/p"}
	qwen := map[string]string{"QWEN_CODE_SESSION_ID": "q1", "CLAUDE_PROJECT_DIR": "/p"}
	gemini := map[string]string{"GEMINI_SESSION_ID": "g1", "CLAUDE_PROJECT_DIR": "/p"}
	for _, c := range []struct {
		name, fields string
		env          []map[string]string
		want         error
	}{
		{"Copilot", `"session_id":"c0","source":"new"`, []map[string]string{copilot}, agent.ErrOtherClient},
		{"Qwen", `"session_id":"q1"`, []map[string]string{qwen}, agent.ErrOtherClient},
		{"Gemini", `"session_id":"g1"`, []map[string]string{gemini}, agent.ErrOtherClient},
		{"Codex, a turn", `"session_id":"c1","turn_id":"t1"`, nil, agent.ErrOtherClient},
		{"Codex, a start", `"session_id":"c1"` + rollout, nil, agent.ErrOtherClient},
		{
			"Codex, a start on Windows", `"session_id":"c1","transcript_path":"C:\\x\\rollout-1-c1.jsonl"`, nil,
			agent.ErrOtherClient,
		},
		{"Qwen within Claude Code", `"session_id":"q1"`, []map[string]string{claude, qwen}, agent.ErrOtherClient},
		{"Codex within Claude Code", `"session_id":"c1","turn_id":"t"`, []map[string]string{claude}, agent.ErrOtherClient},
		{"Claude Code", `"session_id":"outer"`, []map[string]string{claude}, nil},
		{"Claude Code within Copilot", `"session_id":"outer"`, []map[string]string{claude, copilot}, nil},
		{"Claude Code within Qwen", `"session_id":"outer"`, []map[string]string{claude, qwen, gemini}, nil},
		{"Claude Code without a variable", `"session_id":"s1","transcript_path":"/x/rollout-1/s1.jsonl"`, nil, nil},
	} {
		env := map[string]string{}
		for _, m := range c.env {
			maps.Copy(env, m)
		}
		d := agent.Claude{}
		e, err := d.Decode([]byte(`{"hook_event_name":"SessionStart",`+c.fields+`}`),
			d.Environ(func(name string) string { return env[name] }))
		if !errors.Is(err, c.want) || err != nil && e.Session != "" {
			t.Errorf("%s: got %+v, %v; want %v", c.name, e, err, c.want)
		}
	}
}
