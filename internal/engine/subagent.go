package engine

import (
	"cmp"
	"context"
	"fmt"

	"remanence/internal/mem"
)

// subagentStart briefs a subagent: with what is known about the task it was
// launched for. Launches and starts of one type are matched first in, first out.
func (e *Engine) subagentStart(ctx context.Context, m *moment) (mem.Reply, error) {
	m.leaveAgent("STARTED")
	launch, ok, err := e.launchOf(ctx, m)
	if err != nil || !ok {
		return mem.Reply{}, err
	}
	return e.subagentBrief(ctx, m, launch)
}

// subagentStop keeps what a subagent found. It never answers: that would keep
// the subagent running. A stop without a type is the client's own summariser.
func (e *Engine) subagentStop(ctx context.Context, m *moment) (mem.Reply, error) {
	if m.AgentType == "" {
		m.Text = ""
		return mem.Reply{}, nil
	}
	m.leaveAgent("STOPPED")
	if err := e.taintBySubagent(ctx, m); err != nil {
		return mem.Reply{}, err
	}
	about := ""
	if launch, ok, err := e.launchOf(ctx, m); err != nil {
		return mem.Reply{}, err
	} else if ok {
		about = launch.about
	}
	m.add(findings(m, about)...)
	e.refineLater(m)
	return mem.Reply{}, nil
}

// launchOf finds the call that launched the subagent of the event: the n-th
// launch of its type belongs to the n-th subagent of the type.
func (e *Engine) launchOf(ctx context.Context, m *moment) (call, bool, error) {
	launches, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PreToolUse}, Tool: "Agent", Limit: 200})
	if err != nil {
		return call{}, false, fmt.Errorf("launches: %w", err)
	}
	starts, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.SubagentStart}, Limit: 200})
	if err != nil {
		return call{}, false, fmt.Errorf("subagents: %w", err)
	}
	n := 0
	for i := len(starts) - 1; i >= 0 && starts[i].AgentID != m.AgentID; i-- {
		if starts[i].AgentType == m.AgentType {
			n++
		}
	}
	for i := len(launches) - 1; i >= 0; i-- {
		lm := moment{Event: launches[i], project: m.project}
		c := e.understand(&lm)
		if cmp.Or(c.subagent, "general-purpose") != m.AgentType {
			continue
		}
		if n == 0 {
			return c, true, nil
		}
		n--
	}
	return call{}, false, nil
}
