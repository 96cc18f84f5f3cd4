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

// subagentStop stores what a subagent found. It never answers, because that would keep the subagent running. A
// stop without a type is the client's own summariser.
func (e *Engine) subagentStop(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if ec.AgentType == "" {
		ec.Text = ""
		return mem.Reply{}, event.Changes{Event: &ec.Event}, nil
	}
	var err error
	if ec.Turn.Trust, err = e.Event.SubagentTrust(ctx, ec); err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch, err := e.Capture.SubagentEnd(ctx, ec)
	if err != nil {
		return mem.Reply{}, event.Changes{}, err
	}
	ch.Merge(filesync.NoteAgent(ec, "STOPPED"), e.Digest.RefineLater(ec))
	return mem.Reply{}, ch, nil
}
