package views

import (
	"context"
	"fmt"
	"slices"

	"remanence/internal/mem"
)

// StatusLineRequest asks for what an agent's status line shows.
type StatusLineRequest struct {
	mem.ProjectRef
	Session string `json:"session,omitempty"` // the agent's id; "" counts no injections
}

// StatusLineResponse is what an agent's status line shows.
type StatusLineResponse struct {
	Memories int  `json:"memories"` // active, of the project
	Items    int  `json:"items"`    // injected into the session so far
	Tokens   int  `json:"tokens"`   // of these
	Review   int  `json:"review"`   // findings that wait for a decision
	Paused   bool `json:"paused"`   // for the project, the session or all
}

// maxLineReceipts bounds the injections of a session that are added up.
const maxLineReceipts = 1000

// StatusLine returns what an agent's status line shows of a session and its project.
func (s *Service) StatusLine(ctx context.Context, req StatusLineRequest) (StatusLineResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return StatusLineResponse{}, err
	}
	st, err := s.Store.Stats(ctx, p.Key, s.Event.Today())
	if err != nil {
		return StatusLineResponse{}, fmt.Errorf("counts: %w", err)
	}
	out := StatusLineResponse{Memories: st.Memories}
	if counts := s.Curate.ReviewCount(p.Key); counts != nil {
		out.Review = counts.Total
	}
	pauses, err := s.Store.Paused(ctx, s.Now())
	if err != nil {
		return out, fmt.Errorf("pauses: %w", err)
	}
	out.Paused = slices.ContainsFunc(pauses, func(one mem.Pause) bool { return one.Of(p.Key, req.Session) })
	if req.Session == "" {
		return out, nil
	}
	receipts, err := s.Store.Receipts(ctx, mem.ReceiptQuery{
		Session: req.Session, Outcome: mem.Injected, Limit: maxLineReceipts, Brief: true,
	})
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	for _, r := range receipts {
		out.Items, out.Tokens = out.Items+len(r.Items), out.Tokens+r.Tokens
	}
	return out, nil
}
