package engine

import (
	"context"

	"remanence/internal/mem"
)

// preToolUse remembers the launch of a subagent, for the brief that goes into
// it when it starts. Where the person asked for notes before a call, it gives
// them; the client shows them together with the tool's result all the same.
func (e *Engine) preToolUse(ctx context.Context, m *moment) (mem.Reply, error) {
	c := e.understand(m)
	if m.settings.Profile != Full || e.ours(m) {
		return mem.Reply{}, nil
	}
	switch m.Tool {
	case "Read":
		return e.fileNotes(ctx, m, c.file, m.settings.Budgets.Read)
	case "Write", "Edit":
		return e.fileNotes(ctx, m, c.file, m.settings.Budgets.Write)
	case "Bash":
		return e.commandNotes(ctx, m, c)
	}
	return mem.Reply{}, nil
}
