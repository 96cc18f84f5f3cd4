package engine

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/filesync"
	"remanence/internal/mem"
)

// subagentStart briefs a subagent: with what is known about the task it was
// launched for. Launches and starts of one type are matched first in, first out.
func (e *Engine) subagentStart(ctx context.Context, m *event.Context) (mem.Reply, error) {
	m.Take(filesync.NoteAgent(*m, "STARTED"))
	launch, ok, err := e.Capture.FindLaunch(ctx, *m)
	if err != nil || !ok {
		return mem.Reply{}, err
	}
	return e.Recall.SubagentBrief(ctx, m, launch)
}

// subagentStop keeps what a subagent found. It never answers: that would keep
// the subagent running. A stop without a type is the client's own summariser.
func (e *Engine) subagentStop(ctx context.Context, m *event.Context) (mem.Reply, error) {
	if m.AgentType == "" {
		m.Text = ""
		return mem.Reply{}, nil
	}
	m.Take(filesync.NoteAgent(*m, "STOPPED"))
	if err := e.Event.TaintBySubagent(ctx, m); err != nil {
		return mem.Reply{}, err
	}
	found, err := e.Capture.SubagentEnd(ctx, *m)
	if err != nil {
		return mem.Reply{}, err
	}
	found.Merge(e.Digest.RefineLater(*m))
	m.Take(found)
	return mem.Reply{}, nil
}
