package views

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

const receiptPage = 50

const maxReceiptPage = 200

// Receipts lists receipts, including those without an injection, newest first.
func (s *Service) Receipts(ctx context.Context, req ReceiptsRequest) (ReceiptsResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return ReceiptsResponse{}, err
	}
	out := ReceiptsResponse{Project: p, Receipts: []ReceiptRow{}}
	limit := min(cmp.Or(max(req.Limit, 0), receiptPage), maxReceiptPage)
	q := mem.ReceiptQuery{
		Project: p.Key,
		Trigger: req.Trigger,
		Outcome: req.Outcome,
		Memory:  req.Memory,
		Limit:   limit + 1,
		Offset:  max(req.Offset, 0),
	}
	if req.Session != "" {
		sess, err := s.Store.Session(ctx, req.Session)
		if err != nil {
			return out, err
		}
		q.Session = sess.ID
	}
	rs, err := s.Store.Receipts(ctx, q)
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	out.More = len(rs) > limit
	session := s.Event.Lookup(ctx)
	for _, r := range rs[:min(limit, len(rs))] {
		sess, line := session(r.Session), receiptRow(r)
		line.Short, line.Project, line.ProjectName = sess.Short, sess.Project, sess.ProjectName
		out.Receipts = append(out.Receipts, line)
	}
	return out, nil
}

func receiptRow(r mem.Receipt) ReceiptRow {
	l := ReceiptRow{
		ID: r.ID, At: r.At, Session: r.Session, Trigger: r.Trigger, Query: r.Query, Outcome: r.Outcome,
		Candidates: r.Candidates, Injected: len(r.Items), LeftOut: r.AllLeftOut(),
		Tokens: r.Tokens, Budget: r.Budget, TookMS: r.TookMS, Floor: r.Floor,
	}
	for _, c := range r.LeftOut {
		if c.Gate == rank.BelowFloor {
			l.Best = max(l.Best, c.Parts[rank.PartCoverage])
		}
	}
	return l
}

// ReceiptsRequest asks for a page of receipts, newest first.
type ReceiptsRequest struct {
	mem.ProjectRef
	Session string               `json:"session,omitempty"` // the agent's ID, a short ID or a unique prefix
	Trigger string               `json:"trigger,omitempty"` // exact
	Outcome mem.InjectionOutcome `json:"outcome,omitempty"` // exact
	Memory  string               `json:"memory,omitempty"`  // only receipts with this memory
	Offset  int                  `json:"offset,omitempty"`
	Limit   int                  `json:"limit,omitempty"` // 0 means 50; at most 200
}

// ReceiptsResponse is a page of receipts.
type ReceiptsResponse struct {
	Project  mem.Project  `json:"project"`
	Receipts []ReceiptRow `json:"receipts"`
	More     bool         `json:"more"` // older receipts exist
}

// ReceiptRow is the summary of one receipt.
type ReceiptRow struct {
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Session string    `json:"session"`       // the agent's ID
	Short   string    `json:"session_short"` // empty if the session is not known any more
	Project string    `json:"project"`       // its key
	// ProjectName is empty if the session is not known any more.
	ProjectName string               `json:"project_name"`
	Trigger     string               `json:"trigger"`
	Query       string               `json:"query"`
	Outcome     mem.InjectionOutcome `json:"outcome"`
	Candidates  int                  `json:"candidates"`
	Injected    int                  `json:"injected"` // number of injected items
	LeftOut     int                  `json:"left_out"`
	Tokens      int                  `json:"tokens"`
	Budget      int                  `json:"budget"`
	TookMS      float64              `json:"took_ms"`
	Floor       float64              `json:"floor"`
	Best        float64              `json:"best"` // highest coverage of the query by an item below the floor, 0…1
}
