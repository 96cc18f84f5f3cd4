package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// subagentStart injects what is known about a subagent's task. Launches and starts of one type are matched first
// in, first out.
func (e *Engine) subagentStart(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	ch := filesync.NoteAgent(ec, "STARTED")
	launch, ok, err := e.Capture.FindLaunch(ctx, ec)
	if err != nil || !ok {
		return mem.Reply{}, ch, err
	}
	reply, injected, err := e.Recall.SubagentBrief(ctx, ec, launch)
	ch.Merge(injected)
	return reply, ch, err
}
