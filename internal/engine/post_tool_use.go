package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// postToolUse keeps a tool call that worked, and tells what is known of the file it touched.
func (e *Engine) postToolUse(ctx context.Context, m *event.Context) (mem.Reply, error) {
	e.Continuity.QueueMeasureInTurn(m)
	c := e.Event.ReadCall(m.Event, m.Project)
	if err := e.Event.TaintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.Capture.OwnCall(m) {
		capture.DropResponse(m) // what we told must not come back as memory
		return mem.Reply{}, nil
	}
	done, err := e.Capture.KeepTodos(ctx, m, c)
	if err != nil {
		return mem.Reply{}, err
	}
	filesync.NoteTasks(m, done)
	switch m.Tool {
	case "Read", "Grep", "Glob", "LS":
		capture.DropResponse(m) // what was looked at is kept, not what it holds
	}
	switch m.Tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		keepOutcome(m)
		e.Capture.Observe(ctx, m, event.Changed(m, c))
		return e.Recall.FileNotes(ctx, m, c.File, m.Settings.Budgets.Write)
	case "Read":
		return e.Recall.FileNotes(ctx, m, c.File, m.Settings.Budgets.Read)
	case "Bash":
		return mem.Reply{}, e.Capture.CommandSucceeded(ctx, m, c)
	case "Agent":
		return e.Briefing.AgentCompleted(ctx, m)
	}
	return mem.Reply{}, nil
}

// postToolUseFailure keeps a call that failed, and tells the fix if one is known.
func (e *Engine) postToolUseFailure(ctx context.Context, m *event.Context) (mem.Reply, error) {
	e.Continuity.QueueMeasureInTurn(m)
	c := e.Event.ReadCall(m.Event, m.Project)
	if err := e.Event.TaintByCall(ctx, m, c); err != nil {
		return mem.Reply{}, err
	}
	if e.Capture.OwnCall(m) || m.Interrupt {
		return mem.Reply{}, nil
	}
	if m.Tool != "Bash" || c.Plain == "" {
		return mem.Reply{}, nil
	}
	mm := event.Failed(m, c)
	if extract.Remote(m.Tool, c.Command) {
		mm.Trust, mm.Origin = mem.TrustNone, mem.FromWeb // its error text is somebody else's
	}
	if m.Recovered {
		var err error
		if mm.Resolved, err = e.Capture.WorkedLater(ctx, m, c); err != nil {
			return mem.Reply{}, err
		}
	}
	e.Capture.Observe(ctx, m, mm)
	return e.Recall.CommandNotes(ctx, m, c)
}
