package continuity

import (
	"context"

	"remanence/internal/mem"
)

const ()

// GoesOn returns the session that goes on where the named one was. A client's
// servers outlive a conversation that is cleared: what they know is the id of the
// first one. The zero value if nobody can tell which goes on.
func (s *Service) GoesOn(ctx context.Context, ask SessionRequest) (mem.Session, error) {
	return s.Event.GoesOn(ctx, ask.ID)
}
