package transcript_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/transcript"
)

// clientFiles is where each client keeps its recorded session, below a home directory.
func clientFiles() map[string]string {
	return map[string]string{
		"codex": ".codex/sessions/2026/11/23/" +
			"rollout-2026-11-23T23-43-47-01a20acb-5335-7322-8bf9-b969904b588d.jsonl",
		"gemini":  ".gemini/tmp/project/chats/session-2026-11-23T23-36-0f4741a1.jsonl",
		"copilot": ".copilot/session-state/d2d771d5-a322-405b-9cf3-f8b60a85bb23/events.jsonl",
		"qwen":    ".qwen/projects/-home-dev-project/chats/fbf3e89c-2074-43ce-8b62-9bb282c70254.jsonl",
	}
}

// homeOfClients is a home directory with the recorded sessions of all clients.
func homeOfClients(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for client, name := range clientFiles() {
		b, err := os.ReadFile(filepath.Join("testdata", client+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

// The transcript of a subagent of Codex begins with a copy of the session that it was forked from.
func TestSubagentsOfCodexAreNoSessions(t *testing.T) {
	home := homeOfClients(t)
	b, err := os.ReadFile(filepath.Join("testdata", "codex.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	const id = "01a20acb-9408-7b00-8720-ecc513255e94"
	head := `{"timestamp":"2026-11-23T23:44:00Z","type":"session_meta","payload":{"id":"` + id + `","cwd":"/p",` +
		`"source":{"subagent":{}},"thread_source":"subagent"}}` + "\n"
	path := filepath.Join(home, filepath.Dir(filepath.FromSlash(clientFiles()["codex"])), "rollout-"+id+".jsonl")
	if err := os.WriteFile(path, append([]byte(head), b...), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := transcript.List(t.Context(), filepath.Join(home, "none"), home)
	if err != nil || slices.ContainsFunc(files, func(f mem.TranscriptFile) bool { return f.Path == path }) {
		t.Errorf("listed %v, %v; want no subagent", files, err)
	}
}

func TestSessionsOfOtherClientsAreListed(t *testing.T) {
	home := homeOfClients(t)
	files, err := transcript.List(t.Context(), filepath.Join(home, "none"), home)
	if err != nil || len(files) != 4 {
		t.Fatalf("listed %v, %v; want 4 sessions", files, err)
	}
	want := map[string]string{
		"codex":   "01a20acb-5335-7322-8bf9-b969904b588d",
		"gemini":  "0f4741a1-5a67-4e32-9907-fb23a3953e5c",
		"copilot": "d2d771d5-a322-405b-9cf3-f8b60a85bb23",
		"qwen":    "fbf3e89c-2074-43ce-8b62-9bb282c70254",
	}
	day := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	for _, f := range files {
		if f.Session != want[f.Agent] || f.Cwd != "/home/dev/project" {
			t.Errorf("%s: session %q in %q, want %q in /home/dev/project", f.Agent, f.Session, f.Cwd, want[f.Agent])
		}
		if f.Began.Before(day) || !f.Ended.After(f.Began) {
			t.Errorf("%s: from %v to %v, want the real times", f.Agent, f.Began, f.Ended)
		}
	}
	if files, err = transcript.List(t.Context(), filepath.Join(home, "none"), ""); err != nil || len(files) != 0 {
		t.Errorf("without a home: %v, %v; want none", files, err)
	}
}

func TestEventsOfOtherClientsHaveCanonicalTools(t *testing.T) {
	home := homeOfClients(t)
	files, err := transcript.List(t.Context(), filepath.Join(home, "none"), home)
	if err != nil {
		t.Fatal(err)
	}
	write := "PostToolUse Write"
	for _, f := range files {
		p := transcript.Past{
			Redact: func(s string) string { return s }, JSON: func(b []byte) json.RawMessage { return b }, Unnumbered: true,
		}
		var got []string
		calls := map[string]bool{}
		_, err := p.Read(t.Context(), f.Path, mem.TranscriptPosition{Session: f.Session}, f.Ended.Add(time.Hour),
			func(e mem.Event) error {
				got = append(got, strings.TrimSpace(string(e.Kind)+" "+e.Tool+e.Text))
				if e.PromptID == "" || e.At.IsZero() {
					t.Errorf("%s: %s has turn %q and time %v", f.Agent, e.Kind, e.PromptID, e.At)
				}
				if e.Tool != "" && (e.ToolUseID == "" || calls[e.ToolUseID]) {
					t.Errorf("%s: call %q of %s is missing or double", f.Agent, e.ToolUseID, e.Tool)
				}
				calls[e.ToolUseID] = true
				if e.Kind == mem.PostToolUseFailure && e.Tool == "Bash" && !strings.HasPrefix(e.Error, "Exit code 3\n") {
					t.Errorf("%s: failed command says %q", f.Agent, e.Error)
				}
				if e.Tool == "Bash" && !strings.Contains(string(e.Input), `"command":`) {
					t.Errorf("%s: command has input %s", f.Agent, e.Input)
				}
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		want := []string{
			"UserPromptSubmit please do the basic thing", "PostToolUse Bash", write, "PostToolUseFailure Bash",
			"PostToolUse mcp__bench__echo", "Stop FINAL-ANSWER: all done.",
			"UserPromptSubmit and once more", "Stop SECOND-ANSWER: resumed.",
		}
		got = slices.DeleteFunc(got, func(s string) bool { return s == "PostToolUseFailure Read" }) // of two clients only
		if f.Agent == "copilot" {                                                                   // the tool was not there
			want[2] = "PostToolUseFailure Write"
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", f.Agent, got, want)
		}
	}
}

func TestWordsOfOtherClientsAreQuoted(t *testing.T) {
	for client := range clientFiles() {
		part, err := transcript.Tail(filepath.Join("testdata", client+".jsonl"), 1000, func(s string) string { return s })
		if err != nil {
			t.Fatal(err)
		}
		var prompts []string
		answer, all := "", ""
		for _, u := range part.Said {
			if u.Who == transcript.User {
				prompts = append(prompts, u.Text)
			} else {
				answer = u.Text
			}
			all += u.Text + "\n"
		}
		if want := []string{"please do the basic thing", "and once more"}; !slices.Equal(prompts, want) {
			t.Errorf("%s: prompts %q, want %q", client, prompts, want)
		}
		if answer != "SECOND-ANSWER: resumed." || strings.Count(all, "I will look around.") != 1 {
			t.Errorf("%s: last answer %q; all said:\n%s", client, answer, all)
		}
		if strings.Contains(all, "INJ-") {
			t.Errorf("%s: injected context is quoted:\n%s", client, all)
		}
	}
}
