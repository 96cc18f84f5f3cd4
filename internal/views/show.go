package views

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// Show returns whole memories. Those that an agent requests count as used.
func (s *Service) Show(ctx context.Context, req event.IDs) (ShowResponse, error) {
	s.Event.LogDegraded("vault", s.Filesync.SyncVault(ctx, event.Person))
	ms, err := s.Event.Given(ctx, req.IDs)
	if err != nil {
		return ShowResponse{}, err
	}
	s.Event.LogDegraded("uses", s.countUse(ctx, req.Agent, ms))
	links, err := s.Recall.Beside(ctx, ms)
	return ShowResponse{Memories: ms, Links: links}, err
}

// countUse counts a use of memories that an agent fetches, once per turn.
func (s *Service) countUse(ctx context.Context, agent string, ms []mem.Memory) error {
	turn, err := s.Event.TurnAt(ctx, agent)
	if err != nil || turn == "" {
		return err
	}
	var b mem.Batch
	for _, mm := range ms {
		b.Edits = append(b.Edits, mem.Edit{ID: mm.ID, Used: 1, UsedIn: mem.Use{Turn: turn, How: mem.Fetched}})
	}
	_, err = s.Store.Apply(ctx, b)
	return err
}
