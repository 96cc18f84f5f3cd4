package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// postToolUseFailure stores a call that failed, and injects the fix if one is known.
func (e *Engine) postToolUseFailure(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	ch := e.Continuity.MeasureInTurn(ec)
	c := e.Event.ReadCall(ec.Event, ec.Project)
	tainted, err := e.Event.TaintByCall(ctx, ec, c)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ec = ec.WithTaint(tainted)
	ch.Merge(tainted)
	if e.Capture.OwnCall(ec.Event) || ec.Interrupt || ec.Tool != mem.ToolShell || c.Plain == "" {
		return mem.Reply{}, ch, nil
	}
	failed, err := e.Capture.CommandFailed(ctx, ec, c)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	reply, injected, err := e.Recall.CommandNotes(ctx, ec, c)
	ch.Merge(failed, injected)
	return reply, ch, err
}
