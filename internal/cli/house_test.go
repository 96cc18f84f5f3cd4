package cli

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"remanence/internal/mem"
)

// BenchmarkEvent is what the worker does for one event: engine and database,
// without a process or a socket.
func BenchmarkEvent(b *testing.B) {
	home := b.TempDir()
	sys := System{Getenv: environment(map[string]string{"HOME": home}), Now: time.Now}
	paths, err := pathsFrom(sys.Getenv, "")
	if err != nil {
		b.Fatal(err)
	}
	h, err := build(b.Context(), sys, paths, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer h.store.Close()
	n := 0
	for name, e := range map[string]mem.Event{
		"PostToolUse": {
			Kind: mem.PostToolUse, Tool: "Bash", PromptID: "p",
			Input: []byte(`{"command":"ls -la"}`), Response: []byte(`{"stdout":"hello there","stderr":""}`),
		},
		"UserPromptSubmit": {Kind: mem.UserPromptSubmit, Text: "please fix the printer's driver in the till"},
		"Stop":             {Kind: mem.Stop, PromptID: "p", Text: "The driver is fixed."},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				n++
				e.ID, e.Agent, e.Session, e.Root, e.Cwd = fmt.Sprint("e", n), "claude-code", "s", home, home
				e.ToolUseID = fmt.Sprint("t", n)
				if _, err := h.engine.Handle(b.Context(), e); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
