package capture

import (
	"cmp"
	"context"
	"fmt"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// FindLaunch finds the tool call that launched the subagent of the event. The n-th
// launch of a type belongs to the n-th subagent of that type.
func (s *Service) FindLaunch(ctx context.Context, m *event.Context) (extract.Call, bool, error) {
	launches, err := s.Store.Events(
		ctx,
		mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PreToolUse}, Tool: "Agent", Limit: 200},
	)
	if err != nil {
		return extract.Call{}, false, fmt.Errorf("launches: %w", err)
	}
	starts, err := s.Store.Events(
		ctx,
		mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.SubagentStart}, Limit: 200},
	)
	if err != nil {
		return extract.Call{}, false, fmt.Errorf("subagents: %w", err)
	}
	n := 0
	for i := len(starts) - 1; i >= 0 && starts[i].AgentID != m.AgentID; i-- {
		if starts[i].AgentType == m.AgentType {
			n++
		}
	}
	for i := len(launches) - 1; i >= 0; i-- {
		c := s.Event.ReadCall(launches[i], m.Project)
		if cmp.Or(c.Subagent, "general-purpose") != m.AgentType {
			continue
		}
		if n == 0 {
			return c, true, nil
		}
		n--
	}
	return extract.Call{}, false, nil
}
