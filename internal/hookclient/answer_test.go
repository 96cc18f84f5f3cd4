package hookclient

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/hook"
	"remanence/internal/mem"
)

// completed is an event after a hook of the client has added to it what its payload lacks.
func completed(t *testing.T, client string, e mem.Event) mem.Event {
	t.Helper()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".local/state/remanence"), 0o700); err != nil {
		t.Fatal(err)
	}
	sys := config.System{Getenv: environment(map[string]string{"HOME": home}), Now: time.Now}
	c := prepare(sys, hook.Config{Getenv: sys.Getenv})
	e.Agent = client
	if c.Complete != nil {
		c.Complete(&e)
	}
	return e
}

func TestTheAnswerThatAPayloadLacksIsReadFromTheTranscriptAndRedacted(t *testing.T) {
	const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyzA"
	file := filepath.Join(t.TempDir(), "events.jsonl")
	lines := strings.Repeat(`{"type":"hook.start","data":{}}`+"\n", maxTail/20) + fmt.Sprintf(
		`{"type":"assistant.message","data":{"content":"Done <private>with Mitzi</private> by %s."}}`+"\n", token)
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	e := mem.Event{Kind: mem.Stop, Transcript: file}
	got := completed(t, "copilot", e).Text
	if !strings.HasPrefix(got, "Done ") || strings.Contains(got, "Mitzi") || strings.Contains(got, token) {
		t.Errorf("got %q, want the redacted answer", got)
	}
	for name, e := range map[string]mem.Event{
		"another event": {Kind: mem.SessionEnd, Transcript: file}, "no transcript": {Kind: mem.Stop},
		"no file": {Kind: mem.Stop, Transcript: file + "x"}, "a directory": {Kind: mem.Stop, Transcript: filepath.Dir(file)},
	} {
		if got := completed(t, "copilot", e).Text; got != "" {
			t.Errorf("%s: got %q, want nothing", name, got)
		}
	}
	if got := completed(t, "codex", e).Text; got != "" {
		t.Errorf("codex: got %q, want nothing: its payload has the answer", got)
	}
}

// A resumed session of an agent ends the uninstalled state only if its settings have our hooks now.
func TestHooksAreInstalledWhereTheAgentsSettingsNameThem(t *testing.T) {
	for agent, file := range map[string]string{
		"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini": ".gemini/settings.json",
		"qwen": ".qwen/settings.json", "copilot": ".copilot/hooks/remanence.json",
		"opencode": ".config/opencode/plugins/remanence.js",
	} {
		home := t.TempDir()
		getenv := environment(map[string]string{"HOME": home})
		path := filepath.Join(home, file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{
			`{"command": "\"/usr/bin/remanence\" hook ` + agent + `"}`: true, `{"command": "\"/usr/bin/other\" hook"}`: false,
		} {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := hooksInstalled(getenv, agent); got != want {
				t.Errorf("%s with %s: got %v, want %v", agent, text, got, want)
			}
		}
	}
}

// Copilot calls the hook before the answer is in the file.
func TestAnAnswerThatIsWrittenALittleLaterIsFound(t *testing.T) {
	file := filepath.Join(t.TempDir(), "events.jsonl")
	waits := 0
	complete := lastAnswer(hook.Config{Member: func(_, text string) string { return text }}, func() {
		if waits++; waits == 2 {
			line := `{"type":"assistant.message","data":{"content":"Done."}}` + "\n"
			if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	e := mem.Event{Agent: "copilot", Kind: mem.Stop, Transcript: file}
	if complete(&e); e.Text != "Done." || waits != 2 {
		t.Errorf("got %q after %d waits", e.Text, waits)
	}
	e = mem.Event{Agent: "copilot", Kind: mem.Stop, Transcript: file + "x"}
	if complete(&e); e.Text != "" || waits != 2+maxLooks-1 {
		t.Errorf("got %q after %d waits in all, want it to give up", e.Text, waits)
	}
}
