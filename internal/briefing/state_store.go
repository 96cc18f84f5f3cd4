package briefing

import (
	"cmp"
	"context"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// DeriveStanding fills in what follows from the project's last session.
func (e *Service) DeriveStanding(ctx context.Context, p mem.Project, out *workstate.State) error {
	g := gather{e: e, ec: event.Context{Project: p}}
	last, err := g.last(ctx)
	if err != nil || last.ID == "" {
		return err
	}
	s, err := e.leftBy(ctx, p.Key, last.ID)
	if err != nil {
		return err
	}
	out.Phase, out.Status, out.Blockers, out.Updated = s.Phase, s.Request, append(append(out.Blockers, s.Waiting...),
		s.Blocked...), last.LastEvent
	out.Next = cmp.Or(extract.First(s.Next), extract.First(s.Open))
	return nil
}
