package continuity

import (
	"context"

	"remanence/internal/mem"
)

// SessionRequest names a session by the agent's ID.
type SessionRequest struct {
	ID string `json:"id"`
}

// Successor returns the session that continues the named one. A client's MCP servers
// outlive a cleared conversation and know only the ID of the first. It returns the
// zero value if the successor is unknown.
func (s *Service) Successor(ctx context.Context, req SessionRequest) (mem.Session, error) {
	return s.Event.Successor(ctx, req.ID)
}
