package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
)

const (
	// clearWithin is how long after a conversation was cleared the next begins at most.
	clearWithin = 30 * time.Second
	mostClears  = 100 // of one client that are followed
)

// GoesOn returns the session that goes on where the named one was. A client's
// servers outlive a conversation that is cleared: what they know is the id of the
// first one. The zero value if nobody can tell which goes on.
func (e *Engine) GoesOn(ctx context.Context, ask mem.SessionAsk) (mem.Session, error) {
	return e.goesOn(ctx, ask.ID)
}

func (e *Engine) goesOn(ctx context.Context, id string) (mem.Session, error) {
	s, err := e.sessionOf(ctx, id)
	for range mostClears {
		if err != nil {
			return mem.Session{}, fmt.Errorf("session of the agent: %w", err)
		}
		if s.ID == "" || s.Status != mem.Completed {
			return s, nil
		}
		if s.EndReason != "clear" {
			return mem.Session{}, nil
		}
		s, err = e.after(ctx, s)
	}
	return mem.Session{}, nil
}

// after is the one session that began when another was cleared, in the same
// place. If a second began before that one was over, nobody knows which it is.
func (e *Engine) after(ctx context.Context, s mem.Session) (mem.Session, error) {
	all, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: s.Project, Limit: 200})
	if err != nil {
		return mem.Session{}, err
	}
	next := slices.DeleteFunc(all, func(c mem.Session) bool {
		since := c.Created.Sub(s.Completed)
		return c.ID == s.ID || c.Root != s.Root || since < 0 || since > clearWithin
	})
	if len(next) == 0 {
		return mem.Session{}, nil
	}
	slices.SortStableFunc(next, func(a, b mem.Session) int { return a.Created.Compare(b.Created) })
	first := next[0]
	if len(next) > 1 && (first.Status != mem.Completed || next[1].Created.Before(first.Completed)) {
		return mem.Session{}, nil
	}
	return first, nil
}
