package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/mem"
)

// BenchmarkEvent is what the worker does for one event: engine and database,
// without a process or a socket.
func BenchmarkEvent(b *testing.B) {
	home := b.TempDir()
	sys := config.System{Getenv: environment(map[string]string{"HOME": home}), Now: time.Now, Slack: time.Minute}
	paths, err := config.FindPaths(sys.Getenv, "")
	if err != nil {
		b.Fatal(err)
	}
	h, err := New(b.Context(), sys, paths, slog.New(slog.DiscardHandler), Extension{})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Store.Close()
	root := filepath.Join(home, "till")
	if err := exec.Command("git", "init", "-q", root).Run(); err != nil {
		b.Fatal(err)
	}
	n := 0
	send := func(e mem.Event) {
		n++
		e.ID, e.Agent, e.Root, e.Cwd, e.ToolUseID = fmt.Sprint("e", n), "claude-code", root, root, fmt.Sprint("t", n)
		if _, err := h.Engine.Handle(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
	for name, e := range map[string]mem.Event{
		"PostToolUse": {
			Kind: mem.PostToolUse, Tool: "Bash",
			Input: []byte(`{"command":"ls -la"}`), Response: []byte(`{"stdout":"hello there","stderr":""}`),
		},
		"Remembered": { // a command that makes a memory, and repeats it from then on
			Kind: mem.PostToolUse, Tool: "Bash",
			Input:    []byte(`{"command":"go test ./internal/till"}`),
			Response: []byte(`{"stdout":"ok  till/internal/till  0.213s","stderr":""}`),
		},
		"UserPromptSubmit": {Kind: mem.UserPromptSubmit, Text: "please fix the printer's driver in the till"},
		"Stop":             {Kind: mem.Stop, Text: "The driver is fixed."},
	} {
		b.Run(name, func(b *testing.B) {
			e.Session = "s" + name
			for p := range 50 { // turns of the session before
				e.PromptID = fmt.Sprint(name, p)
				send(mem.Event{
					Kind: mem.UserPromptSubmit, Session: e.Session, PromptID: e.PromptID,
					Text: "and now the other till",
				})
				send(mem.Event{Kind: mem.Stop, Session: e.Session, PromptID: e.PromptID, Text: "It works."})
			}
			for b.Loop() {
				if e.Kind == mem.UserPromptSubmit {
					e.PromptID = fmt.Sprint("p", n)
				}
				send(e)
			}
		})
	}
}

// openDaemon returns a daemon in a home of its own.
func openDaemon(t testing.TB) (*Daemon, config.Paths) {
	t.Helper()
	getenv := environment(map[string]string{"HOME": t.TempDir()})
	p, err := config.FindPaths(getenv, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(p.MakeWork(), os.MkdirAll(p.Data, 0o700)); err != nil {
		t.Fatal(err)
	}
	h, err := New(t.Context(), config.System{Getenv: getenv, Now: time.Now, Slack: time.Minute}, p, discard(), Extension{})
	if err != nil {
		t.Fatal(err)
	}
	return h, p
}
