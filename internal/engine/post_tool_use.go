package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// postToolUse keeps a tool call that worked, and tells what is known of the file it touched.
func (e *Engine) postToolUse(ctx context.Context, m *event.Context) (mem.Reply, error) {
	m.Take(e.Continuity.MeasureInTurn(*m))
	c := e.Event.ReadCall(m.Event, m.Project)
	if err := e.Event.TaintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.Capture.OwnCall(m.Event) { // its response has injected text, which must not become a memory
		m.Take(event.Changes{Event: capture.WithoutResponse(m.Event)})
		return mem.Reply{}, nil
	}
	kept, completed, err := e.Capture.ToolSucceeded(ctx, *m, c)
	if err != nil {
		return mem.Reply{}, err
	}
	m.Take(kept)
	m.Take(filesync.NoteTasks(*m, completed))
	switch m.Tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		return e.Recall.FileNotes(ctx, m, c.File, m.Settings.Budgets.Write)
	case "Read":
		return e.Recall.FileNotes(ctx, m, c.File, m.Settings.Budgets.Read)
	case "Agent":
		return e.Briefing.AgentCompleted(ctx, m)
	}
	return mem.Reply{}, nil
}

// postToolUseFailure keeps a call that failed, and tells the fix if one is known.
func (e *Engine) postToolUseFailure(ctx context.Context, m *event.Context) (mem.Reply, error) {
	m.Take(e.Continuity.MeasureInTurn(*m))
	c := e.Event.ReadCall(m.Event, m.Project)
	if err := e.Event.TaintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.Capture.OwnCall(m.Event) || m.Interrupt || m.Tool != "Bash" || c.Plain == "" {
		return mem.Reply{}, nil
	}
	failed, err := e.Capture.CommandFailed(ctx, *m, c)
	if err != nil {
		return mem.Reply{}, err
	}
	m.Take(failed)
	return e.Recall.CommandNotes(ctx, m, c)
}
