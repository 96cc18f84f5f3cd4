package curate

import (
	"context"
	"fmt"

	"remanence/internal/event"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// resolvedShown is how many memories the answer lists.
const resolvedShown = 20

// resolveEvery applies one decision to all findings of a rule. They form one run, written in chunks so
// that concurrent events wait less.
func (s *Service) resolveEvery(ctx context.Context, req ResolveRequest, r reviewRule) (ResolveResponse, error) {
	out := ResolveResponse{Rule: req.Rule, Action: req.Action, DryRun: req.DryRun, Memories: []mem.Memory{}}
	scan := r.rule == ReviewSecret && req.Action == AcceptFinding
	if len(req.IDs) > 0 || req.Action != RejectFinding && !r.changesMemories(req.Action) && !scan {
		return out, fmt.Errorf("%q of every %s: %w", req.Action, req.Rule, ErrNoFinding)
	}
	d, err := s.loadReview(ctx, req.ProjectRef, req.MemoryFilter)
	if err != nil {
		return out, err
	}
	taken := map[string]bool{}
	var chosen [][]*draft
	for _, f := range d.findings(r) {
		ls, ok := d.draftsFor(f, taken)
		if !ok || r.needsSingleReview(req.Action, ls) {
			out.Left++
			continue
		}
		for _, l := range ls {
			taken[l.ID] = true
		}
		chosen = append(chosen, ls)
	}
	if out.Decided = len(chosen); !req.DryRun && len(chosen) > 0 {
		if scan {
			_, err = s.Scan(ctx, event.ScanRequest{Fix: true})
		} else {
			out.Run, err = s.resolveAll(ctx, req, r, d, chosen)
		}
		if err != nil {
			return out, err
		}
		s.counts.subtract(d.project.Key, req.Rule, len(chosen))
	}
	var shown []*draft
	for _, ls := range chosen[:min(len(chosen), resolvedShown)] {
		shown = append(shown, ls[len(ls)-1])
	}
	out.Memories, err = s.reload(ctx, shown)
	return out, err
}

// draftsFor returns the memories of a finding. ok is false if one was not loaded or belongs to a
// finding already chosen.
func (d *reviewData) draftsFor(f Finding, taken map[string]bool) (ls []*draft, ok bool) {
	for _, id := range f.IDs {
		m := d.known[id]
		if m == nil || taken[id] {
			return nil, false
		}
		ls = append(ls, &draft{Memory: *m, stored: *m})
	}
	return ls, true
}

// needsSingleReview reports whether a finding must be decided on its own. Text that reads like an
// instruction is not trusted in bulk.
func (r reviewRule) needsSingleReview(action string, ls []*draft) bool {
	return r.rule == ReviewLowTrust && action == AcceptFinding && inject.SuspiciousMemory(ls[0].Memory)
}

// resolveAll writes decisions about findings and returns the ID of their run.
func (s *Service) resolveAll(
	ctx context.Context,
	req ResolveRequest,
	r reviewRule,
	d *reviewData,
	chosen [][]*draft,
) (string, error) {
	run := mem.Run{Kind: mem.RequestedRun, Project: d.project.Key, At: s.Now(), Examined: len(chosen)}
	for len(chosen) > 0 {
		part := chosen[:min(len(chosen), maxSteps)]
		chosen = chosen[len(part):]
		ps, b := &pass{}, mem.Batch{}
		for _, ls := range part {
			ps.drafts = append(ps.drafts, ls...)
			if req.Action == RejectFinding {
				b.Dismissed = append(b.Dismissed, mem.Dismissal{Rule: r.rule, Memory: ls[0].ID, Other: secondID(ls)})
				continue
			}
			r.carryOut(ps, req.Action, ls)
		}
		changes := ps
		if req.Action == RejectFinding {
			changes = nil
		} else {
			next := run
			b.Run = &next
		}
		id, err := s.applyDecision(ctx, changes, b, ps.drafts)
		if err != nil {
			return run.ID, err
		}
		run.ID = id
	}
	return run.ID, nil
}
