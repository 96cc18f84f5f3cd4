package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

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
