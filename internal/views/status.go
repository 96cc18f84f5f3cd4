package views

import (
	"context"
	"fmt"

	"remanence/internal/mem"
)

// Status returns the state of a project and of the daemon.
func (s *Service) Status(ctx context.Context, at mem.ProjectRef) (StatusResponse, error) {
	p, err := s.Event.Place(ctx, at)
	if err != nil {
		return StatusResponse{}, err
	}
	out := StatusResponse{Project: p}
	if out.Stats, err = s.Store.Stats(ctx, p.Key, s.Event.Today()); err != nil {
		return out, fmt.Errorf("counts: %w", err)
	}
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: 1})
	if err != nil {
		return out, fmt.Errorf("last session: %w", err)
	}
	if len(ss) > 0 {
		out.Last = &ss[0]
		if out.Context, err = s.Continuity.ContextOf(ctx, ss[0]); err != nil {
			return out, err
		}
	}
	rs, err := s.Store.Receipts(ctx, mem.ReceiptQuery{Project: p.Key, Limit: 50})
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	for i := range rs {
		if rs[i].Outcome == mem.Injected {
			out.LastInjection = &rs[i]
			break
		}
	}
	if out.Pauses, err = s.Store.Paused(ctx, s.Now()); err != nil {
		return out, fmt.Errorf("pauses: %w", err)
	}
	out.Review = s.Curate.ReviewCount(p.Key)
	out.Health, err = s.health(ctx, out)
	return out, err
}

// health returns the backlog of all projects: stuck jobs of another project are reported for every
// project.
func (s *Service) health(ctx context.Context, o StatusResponse) (Health, error) {
	all := o.Stats.Waiting
	if o.Project.Key != "" {
		var err error
		if all, err = s.Store.Waiting(ctx); err != nil {
			return Health{}, fmt.Errorf("backlog: %w", err)
		}
	}
	h := Health{QueueDepth: all.Jobs - all.LaterJobs, DeadJobs: all.DeadJobs}
	if !all.OldestJob.IsZero() {
		h.OldestJobS = max(0, s.Now().Sub(all.OldestJob).Seconds())
	}
	return h, nil
}
