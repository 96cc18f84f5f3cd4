package continuity

import (
	"context"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/outcome"
)

// maxWorkCalls bounds the commands that are read of a session.
const maxWorkCalls = 500

// Commands returns what the commands of a session did that worked: commits, deliveries and checks.
func (s *Service) Commands(ctx context.Context, session mem.Session) (out []outcome.Command, err error) {
	calls, err := s.Store.Events(ctx, mem.EventQuery{
		Session: session.ID, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: mem.ToolShell, Limit: maxWorkCalls,
	})
	if err != nil {
		return nil, fmt.Errorf("commands of %s: %w", session.Short, err)
	}
	for _, ev := range calls {
		if c, ok := outcome.ReadEvent(ev, s.Event.ReadCall(ev, mem.Project{})); ok {
			out = append(out, c)
		}
	}
	return out, nil
}
