package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// preToolUse remembers the launch of a subagent, for the brief that goes into
// it when it starts. Where the person asked for notes before a call, it gives
// them; the client shows them together with the tool's result all the same.
func (e *Engine) preToolUse(ctx context.Context, m *event.Context) (mem.Reply, error) {
	c := e.Event.ReadCall(m.Event, m.Project)
	if m.Settings.Profile != event.Full || e.Capture.OwnCall(m.Event) {
		return mem.Reply{}, nil
	}
	switch m.Tool {
	case "Read":
		return e.Recall.FileNotes(ctx, m, c.File, m.Settings.Budgets.Read)
	case "Write", "Edit":
		return e.Recall.FileNotes(ctx, m, c.File, m.Settings.Budgets.Write)
	case "Bash":
		return e.Recall.CommandNotes(ctx, m, c)
	}
	return mem.Reply{}, nil
}
