package continuity

import (
	"context"

	"remanence/internal/mem"
)

// SessionRequest names a session by the agent's ID.
type SessionRequest struct {
	ID     string `json:"id"`
	Client int    `json:"client,omitempty"` // process id of the agent, for an ID that is not known
	Root   string `json:"root,omitempty"`   // directory that the agent was started in; goes with Client
}

// Successor returns the session that continues the named one. A client's MCP servers
// outlive a cleared conversation and know only the ID of the first. It returns the
// zero value if the successor is unknown.
func (s *Service) Successor(ctx context.Context, req SessionRequest) (mem.Session, error) {
	next, err := s.Event.Successor(ctx, req.ID)
	if err != nil || next.ID != "" {
		return next, err
	}
	if first, err := s.Event.SessionOf(ctx, req.ID); err != nil || first.ID != "" {
		return mem.Session{}, err // it is known, and was not continued
	}
	return s.Event.SessionOfClient(ctx, req.Client, req.Root)
}
