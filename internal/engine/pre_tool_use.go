package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// preToolUse stores the launch of a subagent, for the brief that is injected when it starts. If the person wants
// notes before a call, it injects them; the client shows them together with the tool's result anyway.
func (e *Engine) preToolUse(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	c := e.Event.ReadCall(ec.Event, ec.Project)
	if ec.Settings.Profile != event.Full || e.Capture.OwnCall(ec.Event) {
		return mem.Reply{}, event.Changes{}, nil
	}
	switch ec.Tool {
	case mem.ToolRead:
		return e.Recall.FileNotes(ctx, ec, c, ec.Settings.Budgets.Read)
	case mem.ToolWrite, mem.ToolEdit:
		return e.Recall.FileNotes(ctx, ec, c, ec.Settings.Budgets.Write)
	case mem.ToolShell:
		return e.Recall.CommandNotes(ctx, ec, c, "")
	}
	return mem.Reply{}, event.Changes{}, nil
}
