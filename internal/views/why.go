package views

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Why returns a receipt and the current state of its items.
func (s *Service) Why(ctx context.Context, req WhyRequest) (WhyResponse, error) {
	q := mem.ReceiptQuery{ID: req.ID, Limit: 50}
	if req.ID == "" || req.ID == "last" {
		p, err := s.Event.Place(ctx, req.ProjectRef)
		if err != nil {
			return WhyResponse{}, err
		}
		q.ID, q.Project = "", p.Key
	}
	rs, err := s.Store.Receipts(ctx, q)
	if err != nil && !errors.Is(err, mem.ErrNotFound) {
		return WhyResponse{}, err
	}
	if len(rs) == 0 {
		return WhyResponse{}, fmt.Errorf("receipt %q: %w", cmp.Or(req.ID, "last"), mem.ErrNotFound)
	}
	r := rs[0]
	for _, c := range rs { // "last" prefers the newest receipt with an injection
		if q.ID == "" && c.Outcome == mem.Injected {
			r = c
			break
		}
	}
	out := WhyResponse{Receipt: r, Weights: rank.AllWeights(), States: map[string]mem.Status{}, Used: map[string]bool{}}
	out.Agents = map[string]string{}
	if r.ID != rs[0].ID && rs[0].Outcome != mem.Injected {
		out.Later = &rs[0]
	}
	sess, err := s.Store.Session(ctx, r.Session)
	if err == nil {
		out.Short = sess.Short
	}
	var ids []string // without sessions, which the index also lists
	for _, it := range r.Items {
		if strings.HasPrefix(it.ID, "m_") {
			ids = append(ids, it.ID)
		}
	}
	known, err := s.Recall.ByID(ctx, ids)
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		m, ok := known[id]
		switch {
		case !ok:
			out.States[id] = "erased"
		case m.Status != mem.Active:
			out.States[id] = m.Status
		}
		if m.LastUsed.After(r.At) {
			out.Used[id] = true
		}
		if by := m.Source.Agent; by != "" && sess.Agent != "" && by != sess.Agent {
			out.Agents[id] = agentName(by)
		}
	}
	return out, nil
}
