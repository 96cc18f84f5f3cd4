package engine

import (
	"context"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// postToolUse stores a tool call that succeeded, and injects what is known about the file that it read or changed.
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
	kept, completed, err := e.Capture.ToolSucceeded(ctx, ec, c)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch.Merge(kept, filesync.NoteTasks(ec, completed))
	var reply mem.Reply
	var injected event.Changes
	switch {
	case event.EditsFile(ec.Tool):
		reply, injected, err = e.Recall.FileNotes(ctx, ec, c, ec.Settings.Budgets.Write)
	case ec.Tool == mem.ToolRead:
		reply, injected, err = e.Recall.FileNotes(ctx, ec, c, ec.Settings.Budgets.Read)
	case ec.Tool == mem.ToolAgent:
		reply, injected, err = e.Briefing.AgentCompleted(ctx, ec)
	}
	ch.Merge(injected)
	return reply, ch, err
}
