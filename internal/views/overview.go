package views

import (
	"context"
	"fmt"
	"time"

	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// Overview returns the state of work of every project. A project whose state cannot be read is listed
// without it.
func (s *Service) Overview(ctx context.Context) (OverviewResponse, error) {
	ps, err := s.Store.Projects(ctx, "")
	if err != nil {
		return OverviewResponse{}, fmt.Errorf("projects: %w", err)
	}
	out := OverviewResponse{At: s.Now(), Projects: []OverviewRow{}}
	for _, p := range ps {
		item := OverviewRow{State: workstate.State{Project: p}, Stale: out.At.Sub(p.LastEvent) > StaleAfter}
		standing, err := s.Filesync.State(ctx, workstate.Request{
			ProjectRef: mem.ProjectRef{Project: p.Key}, Op: workstate.OpGet,
		})
		s.Event.LogDegraded("state of a project", err)
		if err == nil {
			item.State = standing
		}
		st, err := s.Store.Stats(ctx, p.Key, s.Event.Today())
		if err != nil {
			return out, fmt.Errorf("counts: %w", err)
		}
		item.Memories, item.Sessions = st.Memories, st.Sessions
		out.Projects = append(out.Projects, item)
	}
	return out, nil
}

// OverviewResponse is the state of work of every project, last active first.
type OverviewResponse struct {
	At       time.Time     `json:"at"`
	Projects []OverviewRow `json:"projects"`
}

// OverviewRow is one project.
type OverviewRow struct {
	State    workstate.State `json:"state"`
	Memories int             `json:"memories"`
	Sessions int             `json:"sessions"`
	Stale    bool            `json:"stale"` // no event for StaleAfter
}

// StaleAfter is the time without an event after which a project is stale.
const StaleAfter = 7 * 24 * time.Hour
