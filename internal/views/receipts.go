package views

import (
	"cmp"
	"context"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

const receiptPage = 50

const maxReceiptPage = 200

// Receipts lists receipts, including those without an injection, newest first.
func (s *Service) Receipts(ctx context.Context, req ReceiptsRequest) (ReceiptsResponse, error) {
	p, err := s.Event.Place(ctx, req.Place)
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
		line.Short, line.Project = sess.Short, sess.ProjectName
		out.Receipts = append(out.Receipts, line)
	}
	return out, nil
}

func receiptRow(r mem.Receipt) ReceiptRow {
	l := ReceiptRow{
		ID:         r.ID,
		At:         r.At,
		Session:    r.Session,
		Trigger:    r.Trigger,
		Asked:      r.Asked,
		Outcome:    r.Outcome,
		Candidates: r.Candidates,
		Told:       len(r.Items),
		LeftOut:    len(r.Dropped),
		Tokens:     r.Tokens,
		Budget:     r.Budget,
		TookMS:     r.TookMS,
		Floor:      r.Floor,
	}
	for _, c := range r.Dropped {
		if c.Gate == rank.BelowFloor {
			l.Best = max(l.Best, c.Parts[rank.PartCoverage])
		}
	}
	return l
}
