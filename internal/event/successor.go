package event

import (
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
)

// clearWithin is the longest time between a cleared conversation and the start of its successor.
const clearWithin = 30 * time.Second

const mostClears = 100 // of one client that are followed

// Successor returns the session that continues the one with the id, if there is one.
func (e *Service) Successor(ctx context.Context, id string) (mem.Session, error) {
	s, err := e.SessionOf(ctx, id)
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

// after returns the one session that began when another was cleared, in the same place. If a second session began
// before that one was over, the successor is unknown.
func (e *Service) after(ctx context.Context, s mem.Session) (mem.Session, error) {
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
