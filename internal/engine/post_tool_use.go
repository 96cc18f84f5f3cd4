package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// postToolUse stores a tool call, and injects what is known about its failure, or the file that it read or changed.
func (e *Engine) postToolUse(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	ch := e.Continuity.MeasureInTurn(ec)
	c := e.Event.ReadCall(ec.Event, ec.Project)
	tainted, err := e.Event.TaintByCall(ctx, ec, c)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ec = ec.WithTaint(tainted)
	ch.Merge(tainted)
	if e.Capture.OwnCall(ec.Event) { // its response has injected text, which must not become a memory
		ch.Merge(event.Changes{Event: capture.WithoutResponse(ec.Event)})
		return mem.Reply{}, ch, nil
	}
	if ec.Kind == mem.PostToolUse {
		kept, completed, err := e.Capture.ToolSucceeded(ctx, ec, c)
		if err != nil {
			return mem.Reply{}, event.Changes{}, err
		}
		ch.Merge(kept, filesync.NoteTasks(ec, completed))
	}
	var reply mem.Reply
	var more event.Changes
	switch said, failed := c.Failed(); {
	case ec.Tool == mem.ToolShell && failed && c.Plain != "" && !ec.Interrupt:
		reply, more, err = e.commandFailed(ctx, ec, c, said)
	case ec.Kind != mem.PostToolUse:
	case event.EditsFile(ec.Tool):
		reply, more, err = e.Recall.FileNotes(ctx, ec, c, ec.Settings.Budgets.Write)
	case ec.Tool == mem.ToolRead:
		reply, more, err = e.Recall.FileNotes(ctx, ec, c, ec.Settings.Budgets.Read)
	case ec.Tool == mem.ToolAgent:
		reply, more, err = e.Briefing.AgentCompleted(ctx, ec)
	}
	ch.Merge(more)
	return reply, ch, err
}

// commandFailed stores a command that failed as it said, and injects the fix if one is known.
func (e *Engine) commandFailed(ctx context.Context, ec event.Context, c extract.Call, said string) (mem.Reply,
	event.Changes, error,
) {
	ch, err := e.Capture.CommandFailed(ctx, ec, c, said)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	reply, injected, err := e.Recall.CommandNotes(ctx, ec, c, said)
	ch.Merge(injected)
	return reply, ch, err
}
