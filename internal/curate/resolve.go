package curate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// Resolve does what a person decided about a finding of Review. What it changes
// is a round like any other, and can be taken back as one.
func (e *Service) Resolve(ctx context.Context, ask ResolveRequest) (ResolveResponse, error) {
	out := ResolveResponse{Rule: ask.Rule, Action: ask.Action, Memories: []mem.Memory{}}
	if ask.Agent != "" {
		return out, ErrNotPerson
	}
	i := slices.IndexFunc(reviews(), func(r reviewed) bool { return r.rule == ask.Rule })
	if i < 0 {
		return out, fmt.Errorf("%q: %w", ask.Rule, ErrNoRule)
	}
	r := reviews()[i]
	switch {
	case r.rule == ReviewProposal && ask.Every:
		return e.resolveProposals(ctx, ask)
	case r.rule == ReviewProposal:
		return e.resolveProposal(ctx, ask)
	}
	if ask.Every {
		return e.resolveEvery(ctx, ask, r)
	}
	ls, err := e.livesOf(ctx, ask.IDs...)
	if err != nil {
		return out, err
	}
	if want := 1 + count(r.pair); len(ls) != want {
		return out, fmt.Errorf("%s is about %d and not %d memories: %w", ask.Rule, want, len(ls), ErrNoFinding)
	}
	if r.pair && ls[0].ID == ls[1].ID {
		return out, fmt.Errorf("%s: %w", ls[0].ID, ErrSame)
	}
	switch {
	case ask.Action == RejectFinding:
		_, err = e.decide(ctx, nil, mem.Batch{Dismissed: []mem.Dismissal{{Rule: ask.Rule, Memory: ls[0].ID, Other: otherThan(ls)}}}, ls)
	case ask.Action == AcceptFinding && ask.Rule == ReviewSecret:
		_, err = e.Scan(ctx, event.ScanRequest{Fix: true})
	case r.does(ask.Action):
		if err := stillThere(ls); err != nil {
			return out, err
		}
		rd := &round{lives: ls}
		r.settle(rd, ask.Action, ls)
		out.Round, err = e.decide(ctx, rd, mem.Batch{}, ls)
	default:
		return out, fmt.Errorf("%q of %s: %w", ask.Action, ask.Rule, ErrNoFinding)
	}
	if err != nil {
		return out, err
	}
	e.inbox.decided(ls[0].was.Project, ask.Rule, 1)
	out.Memories, err = e.asTheyAre(ctx, ls)
	return out, err
}

// does reports whether an action about a finding of the rule changes memories.
func (r reviewed) does(action string) bool {
	return action == AcceptFinding && (r.apply != nil || r.pair) || action == MergeFinding && r.pair
}

// settle does what was decided about a finding with these memories.
func (r reviewed) settle(rd *round, action string, ls []*life) {
	if action == MergeFinding || r.apply == nil {
		rd.join(ls[0], ls[1], "merged in a review")
		return
	}
	l := ls[len(ls)-1]
	rd.change(r.rule, l, only(len(ls) > 1, ls[0].ID), "decided in a review", func(*mem.Memory) { r.apply(l) })
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// otherThan is the second of two memories.
func otherThan(ls []*life) string {
	if len(ls) < 2 {
		return ""
	}
	return ls[1].ID
}

// Merge has one memory go into another. It is a round that can be taken back.
func (e *Service) Merge(ctx context.Context, ask MergeRequest) (MergeResponse, error) {
	ls, err := e.livesOf(ctx, ask.Keep, ask.Drop)
	if err != nil {
		return MergeResponse{}, err
	}
	keep, drop := ls[0], ls[1]
	gone := stillThere(ls)
	who, err := e.AuthorOf(ctx, ask.Agent)
	if err != nil {
		return MergeResponse{}, err
	}
	switch {
	case keep.ID == drop.ID:
		return MergeResponse{}, fmt.Errorf("%s: %w", keep.ID, ErrSame)
	case gone != nil:
		return MergeResponse{}, gone
	case ask.Agent != "" && (drop.Trust > keep.Trust || guarded(drop.Memory) || !who.MayChange(drop.Memory)):
		return MergeResponse{}, fmt.Errorf("%s has more trust than %s or than the agent: %w", drop.ID, keep.ID, ErrNotPerson)
	}
	rd := &round{lives: ls}
	rd.join(keep, drop, "merged on request")
	id, err := e.decide(ctx, rd, mem.Batch{}, ls)
	if err != nil {
		return MergeResponse{}, err
	}
	out := MergeResponse{Round: id}
	out.Memories, err = e.asTheyAre(ctx, ls)
	return out, err
}

// stillThere is the error about memories of which one was put away: what is
// done to it now would bring it back, or take another one with it.
func stillThere(ls []*life) error {
	for _, l := range ls {
		if !slices.Contains(event.Findable(), l.Status) {
			return fmt.Errorf("%s is %s: %w", l.ID, l.Status, ErrNoFinding)
		}
	}
	return nil
}

// livesOf are memories by id, hidden ones too.
func (e *Service) livesOf(ctx context.Context, ids ...string) ([]*life, error) {
	ms, err := e.Event.Given(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*life, 0, len(ms))
	for _, m := range ms {
		out = append(out, &life{Memory: m, was: m})
	}
	return out, nil
}

// decide writes what somebody decided, and returns the round's id. rd is nil
// where no memory changes.
func (e *Service) decide(ctx context.Context, rd *round, b mem.Batch, ls []*life) (string, error) {
	if _, ok := e.Store.(mem.RunLog); !ok {
		return "", ErrNoChronicle
	}
	if rd != nil {
		b.Edits = rd.edits()
		if b.Run == nil {
			b.Run = &mem.Run{Kind: mem.AskedRun, Project: ls[0].was.Project, At: e.Now(), Looked: len(ls)}
		}
		b.Run.Changes = rd.steps
	}
	e.Event.Follow(&b)
	res, err := e.Store.Apply(ctx, b)
	if err != nil {
		return "", fmt.Errorf("decide: %w", err)
	}
	var ids []string
	for _, l := range ls {
		ids = append(ids, l.ID)
	}
	e.Event.Without("vault", e.WriteNotes(ctx, false, ids...))
	return res[0].Run, nil
}

// asTheyAre are the memories as they are now, as far as they are still there.
func (e *Service) asTheyAre(ctx context.Context, ls []*life) ([]mem.Memory, error) {
	out := []mem.Memory{}
	for _, l := range ls {
		m, err := e.Event.One(ctx, l.ID)
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
