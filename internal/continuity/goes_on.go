package continuity

import (
	"context"

	"remanence/internal/mem"
)

// Successor returns the session that continues the named one. A client's MCP servers
// outlive a cleared conversation and know only the ID of the first. It returns the
// zero value if the successor is unknown.
func (s *Service) Successor(ctx context.Context, ask SessionRequest) (mem.Session, error) {
	return s.Event.Successor(ctx, ask.ID)
}
