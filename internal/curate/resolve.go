package curate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// Resolve applies a person's decision about a finding of Review. Its changes are a run that can be
// undone. It returns ErrNotPerson for an agent.
func (s *Service) Resolve(ctx context.Context, req ResolveRequest) (ResolveResponse, error) {
	out := ResolveResponse{Rule: req.Rule, Action: req.Action, Memories: []mem.Memory{}}
	if req.Agent != "" {
		return out, ErrNotPerson
	}
	i := slices.IndexFunc(reviewRules(), func(r reviewRule) bool { return r.rule == req.Rule })
	if i < 0 {
		return out, fmt.Errorf("%q: %w", req.Rule, ErrNoRule)
	}
	r := reviewRules()[i]
	switch {
	case r.rule == ReviewProposal && req.Every:
		return s.resolveProposals(ctx, req)
	case r.rule == ReviewProposal:
		return s.resolveProposal(ctx, req)
	}
	if req.Every {
		return s.resolveEvery(ctx, req, r)
	}
	ls, err := s.draftsOf(ctx, req.IDs...)
	if err != nil {
		return out, err
	}
	if want := 1 + boolToInt(r.pair); len(ls) != want {
		return out, fmt.Errorf("%s is about %d and not %d memories: %w", req.Rule, want, len(ls), ErrNoFinding)
	}
	if r.pair && ls[0].ID == ls[1].ID {
		return out, fmt.Errorf("%s: %w", ls[0].ID, ErrSame)
	}
	if r.rule == ReviewContradiction { // the older one goes, in whichever order they are named
		slices.SortStableFunc(ls, func(a, b *draft) int { return b.Created.Compare(a.Created) })
	}
	switch {
	case req.Action == RejectFinding:
		_, err = s.applyDecision(
			ctx,
			nil,
			mem.Batch{Dismissed: []mem.Dismissal{{Rule: req.Rule, Memory: ls[0].ID, Other: secondID(ls)}}},
			ls,
		)
	case req.Action == AcceptFinding && req.Rule == ReviewSecret:
		_, err = s.Scan(ctx, event.ScanRequest{Fix: true})
	case r.changesMemories(req.Action):
		if err := checkFindable(ls); err != nil {
			return out, err
		}
		ps := &pass{drafts: ls}
		r.carryOut(ps, req.Action, ls)
		out.Run, err = s.applyDecision(ctx, ps, mem.Batch{}, ls)
	default:
		return out, fmt.Errorf("%q of %s: %w", req.Action, req.Rule, ErrNoFinding)
	}
	if err != nil {
		return out, err
	}
	s.counts.subtract(ls[0].stored.Project, req.Rule, 1)
	out.Memories, err = s.reload(ctx, ls)
	return out, err
}

// changesMemories reports whether an action about a finding of the rule changes memories.
func (r reviewRule) changesMemories(action string) bool {
	return action == AcceptFinding && (r.apply != nil || r.pair) || action == MergeFinding && r.pair
}

// carryOut applies a decision to the memories of a finding.
func (r reviewRule) carryOut(ps *pass, action string, ls []*draft) {
	if action == MergeFinding || r.apply == nil {
		ps.join(ls[0], ls[1], "merged in a review")
		return
	}
	l := ls[len(ls)-1]
	ps.record(r.rule, l, when(len(ls) > 1, ls[0].ID), "decided in a review", func(*mem.Memory) { r.apply(l) })
}

func boolToInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// secondID returns the ID of the second memory, or "" if there is one only.
func secondID(ls []*draft) string {
	if len(ls) < 2 {
		return ""
	}
	return ls[1].ID
}

// Merge merges memory Drop into memory Keep, as a run that can be undone.
func (s *Service) Merge(ctx context.Context, req MergeRequest) (MergeResponse, error) {
	ls, err := s.draftsOf(ctx, req.Keep, req.Drop)
	if err != nil {
		return MergeResponse{}, err
	}
	keep, drop := ls[0], ls[1]
	gone := checkFindable(ls)
	who, err := s.AuthorOf(ctx, req.Agent)
	if err != nil {
		return MergeResponse{}, err
	}
	switch {
	case keep.ID == drop.ID:
		return MergeResponse{}, fmt.Errorf("%s: %w", keep.ID, ErrSame)
	case gone != nil:
		return MergeResponse{}, gone
	case req.Agent != "" && (drop.Trust > keep.Trust || protected(drop.Memory) || !who.MayChange(drop.Memory)):
		return MergeResponse{}, fmt.Errorf("%s has more trust than %s or than the agent: %w", drop.ID, keep.ID, ErrNotPerson)
	}
	ps := &pass{drafts: ls}
	ps.join(keep, drop, "merged on request")
	id, err := s.applyDecision(ctx, ps, mem.Batch{}, ls)
	if err != nil {
		return MergeResponse{}, err
	}
	out := MergeResponse{Run: id}
	out.Memories, err = s.reload(ctx, ls)
	return out, err
}

// checkFindable returns ErrNoFinding if a memory is hidden. Changing it would bring it back, or hide
// another one.
func checkFindable(ls []*draft) error {
	for _, l := range ls {
		if !slices.Contains(event.Findable(), l.Status) {
			return fmt.Errorf("%s is %s: %w", l.ID, l.Status, ErrNoFinding)
		}
	}
	return nil
}

// draftsOf loads memories by ID, including hidden ones.
func (s *Service) draftsOf(ctx context.Context, ids ...string) ([]*draft, error) {
	ms, err := s.Event.Given(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*draft, 0, len(ms))
	for _, m := range ms {
		out = append(out, &draft{Memory: m, stored: m})
	}
	return out, nil
}

// applyDecision writes a decision and returns the ID of its run. ps is nil if no memory changes.
func (s *Service) applyDecision(ctx context.Context, ps *pass, b mem.Batch, ls []*draft) (string, error) {
	if ps != nil {
		b.Edits = ps.edits()
		if b.Run == nil {
			b.Run = &mem.Run{Kind: mem.RequestedRun, Project: ls[0].stored.Project, At: s.Now(), Examined: len(ls)}
		}
		b.Run.Changes = ps.steps
	}
	s.Event.Follow(&b)
	res, err := s.Store.Apply(ctx, b)
	if err != nil {
		return "", fmt.Errorf("decide: %w", err)
	}
	var ids []string
	for _, l := range ls {
		ids = append(ids, l.ID)
	}
	s.Event.LogDegraded("vault", s.WriteNotes(ctx, false, ids...))
	return res[0].Run, nil
}

// reload returns the current state of the memories, without erased ones.
func (s *Service) reload(ctx context.Context, ls []*draft) ([]mem.Memory, error) {
	out := []mem.Memory{}
	for _, l := range ls {
		m, err := s.Event.One(ctx, l.ID)
		if errors.Is(err, mem.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}
