package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/agent"
	"remanence/internal/engine"
	"remanence/internal/event"
	"remanence/internal/hook"
	"remanence/internal/mem"
	"remanence/internal/project"
	"remanence/internal/redact"
	"remanence/internal/store/sqlitetest"
	"remanence/test/golden"
)

// fixture is one recorded call of the real client.
type fixture struct {
	Meta struct {
		Event string `json:"event"`
	} `json:"_meta"`
	Stdin json.RawMessage   `json:"stdin"`
	Env   map[string]string `json:"env"`
}

// TestEveryRecordedCallHasItsExactAnswer plays each recorded payload through
// hook, redactor, dialect and engine, over a store that knows something, and holds
// reply and standard output to the byte.
func TestEveryRecordedCallHasItsExactAnswer(t *testing.T) {
	files, err := filepath.Glob("../agent/testdata/events/*.json")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	zone := time.Local
	time.Local = time.UTC // rows of the index show local times
	defer func() { time.Local = zone }()
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		f := readFixture(t, file)
		if f.Stdin == nil || f.Meta.Event == "StatusLine" {
			continue // not a call of a hook command
		}
		t.Run(name, func(t *testing.T) {
			got := answerTo(t, f)
			golden.Compare(t, filepath.Join("testdata", "answers", name+".txt"), got)
		})
	}
}

func readFixture(t *testing.T, file string) fixture {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var f fixture
	if err := json.Unmarshal(b, &f); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return f
}

// recorder notes what passes the handler.
type recorder struct {
	next  mem.Handler
	event mem.Event
	reply mem.Reply
	calls int
}

func (r *recorder) Handle(ctx context.Context, e mem.Event) (mem.Reply, error) {
	reply, err := r.next.Handle(ctx, e)
	r.event, r.reply, r.calls = e, reply, r.calls+1
	return reply, err
}

// answerTo plays one payload and describes what came of it.
func answerTo(t *testing.T, f fixture) string {
	t.Helper()
	now := func() time.Time { return time.Date(2026, 1, 15, 10, 0, 0, 0, time.UTC) }
	store := sqlitetest.Open(t, now)
	redactor := &redact.Redactor{}
	eng := engine.New(engine.Config{
		Store: store, Redactor: redactor, Now: now, Secret: []byte("fixed"), Slack: time.Minute,
		Settings: func() event.Settings { return event.Defaults(event.Lean) },
		Project: func(dir string) (mem.Project, error) {
			return mem.Project{Key: "p_000000000001", Name: filepath.Base(dir), Root: dir}, nil
		},
		Rel: project.Rel,
	})
	var common struct {
		Session string `json:"session_id"`
	}
	if err := json.Unmarshal(f.Stdin, &common); err != nil {
		t.Fatal(err)
	}
	root := f.Env["CLAUDE_PROJECT_DIR"]
	learn(t, eng, now(), root, common.Session)

	rec := &recorder{next: eng}
	var out bytes.Buffer
	exits := 0
	hook.Run(hook.Config{
		Dialect: agent.Claude{}, Stdin: bytes.NewReader(f.Stdin), Stdout: &out,
		Getenv: func(k string) string {
			if k == "CLAUDE_ENV_FILE" {
				return "" // the recorded path is not on this machine
			}
			return f.Env[k]
		},
		ReadPayload: func(r io.Reader) (hook.Payload, error) {
			o, err := redactor.Object(r)
			return hook.Payload{JSON: o.JSON, Size: o.Size, Truncated: o.Truncated, Private: o.Counts.Private > 0}, err
		},
		Handler: rec, Now: now, Nonce: "nonce", Slack: time.Minute, Exit: func(int) { exits++ },
	})
	if exits > 0 {
		t.Errorf("the hook ended the process %d times", exits)
	}
	if rec.calls == 0 {
		return "event: not one of ours\nstdout:\n" + out.String()
	}
	keepsIdsAndPaths(t, f.Stdin, rec.event)
	reply, err := json.MarshalIndent(rec.reply, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return "event: " + string(rec.event.Kind) + " " + rec.event.ID + " " + rec.event.Key + "\nreply: " + string(reply) +
		"\nstdout:\n" + out.String()
}

// learn lets the engine know something of the project before the recorded call.
func learn(t *testing.T, eng *engine.Engine, now time.Time, root, session string) {
	t.Helper()
	ago := now.Add(-24 * time.Hour)
	give := func(e mem.Event) {
		e.Agent, e.At, e.Root = "claude-code", ago, root
		e.Identify("learned")
		if _, err := eng.Handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
		ago = ago.Add(time.Minute)
	}
	for _, s := range []string{"earlier", session} {
		give(mem.Event{
			Kind: mem.UserPromptSubmit, Session: s, PromptID: "p-" + s,
			Text: "please say hello from bash and look after a.txt",
		})
		give(mem.Event{
			Kind: mem.PostToolUseFailure, Session: s, PromptID: "p-" + s, ToolUseID: "t1-" + s, Tool: "Bash",
			Input: json.RawMessage(`{"command":"echo oops >&2; exit 3"}`), Error: "Exit code 3\noops",
		})
		give(mem.Event{
			Kind: mem.PostToolUse, Session: s, PromptID: "p-" + s, ToolUseID: "t2-" + s, Tool: "Edit",
			Input: json.RawMessage(`{"file_path":"` + root + `/a.txt","old_string":"x","new_string":"one"}`),
		})
		give(mem.Event{
			Kind: mem.PostToolUse, Session: s, PromptID: "p-" + s, ToolUseID: "t3-" + s, Tool: "Bash",
			Input: json.RawMessage(`{"command":"echo oops >&2; exit 3"}`), Response: json.RawMessage(`{"stdout":"ok"}`),
		})
		give(mem.Event{
			Kind: mem.Stop, Session: s, PromptID: "p-" + s,
			Text: "I decided to greet with hello from bash instead of a banner. Careful: a.txt must not be empty. Still " +
				"open: the goodbye is missing.",
		})
		give(mem.Event{Kind: mem.PreCompact, Session: s, Source: "auto"})
	}
}

// keepsIdsAndPaths fails if the redactor changed an id or a path of the payload.
func keepsIdsAndPaths(t *testing.T, payload []byte, e mem.Event) {
	t.Helper()
	var in struct {
		Session    string `json:"session_id"`
		Prompt     string `json:"prompt_id"`
		ToolUse    string `json:"tool_use_id"`
		Cwd        string `json:"cwd"`
		Transcript string `json:"transcript_path"`
		Own        string `json:"agent_transcript_path"`
		Agent      string `json:"agent_id"`
		Input      struct {
			File string `json:"file_path"`
		} `json:"tool_input"`
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		t.Fatal(err)
	}
	if e.Kind == mem.SubagentStop {
		in.Transcript = in.Own
	}
	var kept struct {
		File string `json:"file_path"`
	}
	if len(e.Input) > 0 {
		if err := json.Unmarshal(e.Input, &kept); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ what, want, got string }{
		{"session id", in.Session, e.Session},
		{"prompt id", in.Prompt, e.PromptID},
		{"tool use id", in.ToolUse, e.ToolUseID},
		{"cwd", in.Cwd, e.Cwd},
		{"transcript", in.Transcript, e.Transcript},
		{"agent id", in.Agent, e.AgentID},
		{"file", in.Input.File, kept.File},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
}
