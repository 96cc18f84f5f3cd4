package continuity

import (
	"context"
	"fmt"
	"time"

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
	named, err := s.Event.SessionOf(ctx, req.ID)
	if err != nil {
		return mem.Session{}, err
	}
	if named.ID == "" {
		return s.sessionOfClient(ctx, req.Client, req.Root)
	}
	return s.Event.Successor(ctx, req.ID)
}

// Bounds of the session starts at which sessionOfClient looks.
const (
	startsSearched = 50
	clientRunsFor  = 7 * 24 * time.Hour
)

// sessionOfClient returns the running session that the agent's process of that id started or resumed last in a
// directory; the zero value if there is none. A client that resumes a session gives its MCP servers the id of another
// one, which is never used.
func (s *Service) sessionOfClient(ctx context.Context, client int, root string) (mem.Session, error) {
	if client <= 0 || root == "" {
		return mem.Session{}, nil
	}
	starts, err := s.Store.Events(ctx, mem.EventQuery{
		Kinds: []mem.EventKind{mem.SessionStart}, After: s.Now().Add(-clientRunsFor), Limit: startsSearched,
	})
	if err != nil {
		return mem.Session{}, fmt.Errorf("session of the client: %w", err)
	}
	newest := mem.Event{}
	for _, start := range starts {
		if start.Client == client && start.Root == root && start.At.After(newest.At) {
			newest = start
		}
	}
	found, err := s.Event.SessionOf(ctx, newest.Session)
	if err != nil || found.Status == mem.Completed {
		return mem.Session{}, err
	}
	return found, nil
}
