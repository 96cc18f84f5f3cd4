package curate

import (
	"context"
	"fmt"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// markEdit returns the edit of a forget, restore, pin or unpin request.
func markEdit(verb string) (ed mem.Edit, err error) {
	switch verb {
	case ProposeForget:
		ed.Status = new(mem.Forgotten)
	case ProposeRestore:
		ed.Status, ed.MergedInto = new(mem.Active), new(string)
	case ProposePin:
		ed.Pinned = new(true)
	case ProposeUnpin:
		ed.Pinned = new(false)
	default:
		err = fmt.Errorf("%q: %w", verb, ErrNoVerb)
	}
	return ed, err
}

// Mark forgets, restores, pins or unpins memories. Memories that an agent may not change get a
// proposal instead.
func (s *Service) Mark(ctx context.Context, req MarkRequest) (MarkResponse, error) {
	out := MarkResponse{Verb: req.Verb, DryRun: req.DryRun}
	ed, err := markEdit(req.Verb)
	if err != nil {
		return out, err
	}
	if err := s.Event.MayKeep(ctx, req.Agent, req.Reason); err != nil {
		return out, err
	}
	who, err := s.AuthorOf(ctx, req.Agent)
	if err != nil {
		return out, err
	}
	s.Event.LogDegraded("vault", s.SyncVault(ctx, event.Person))
	ms, err := s.markTargets(ctx, req)
	if err != nil {
		return out, err
	}
	out.Memories = ms
	if req.DryRun || len(ms) == 0 {
		return out, nil
	}
	if ms, out.Proposed, err = s.proposeMarks(ctx, req, who, ms); err != nil || len(ms) == 0 {
		out.Memories = []mem.Memory{}
		return out, err
	}
	var b mem.Batch
	for _, mm := range ms {
		ed.ID, ed.Anchors, ed.Feedback = mm.ID, nil, s.reasonFeedback(req.Verb, req.Reason, req.Agent)
		if req.Verb == "pin" { // pinning confirms the memory
			ed.Anchors = s.Recall.Confirmed(ctx, mm)
		}
		if req.Verb == "restore" {
			b.Dismissed = append(b.Dismissed, restoreDismissals(mm)...)
		}
		b.Edits = append(b.Edits, ed)
	}
	s.Event.Follow(&b)
	if _, err := s.Store.Apply(ctx, b); err != nil {
		return out, fmt.Errorf("%s: %w", req.Verb, err)
	}
	ids := make([]string, 0, len(ms))
	for _, mm := range ms {
		ids = append(ids, mm.ID)
	}
	s.Event.LogDegraded("vault", s.WriteNotes(ctx, req.Verb == "restore", ids...))
	if out.Memories, err = s.Store.List(ctx, mem.Query{IDs: ids, Hidden: true}); err != nil {
		return out, fmt.Errorf("%s: %w", req.Verb, err)
	}
	return out, nil
}

// markTargets returns the memories that a request names by ID or query.
func (s *Service) markTargets(ctx context.Context, req MarkRequest) ([]mem.Memory, error) {
	if len(req.IDs) > 0 {
		return s.Store.List(ctx, mem.Query{IDs: req.IDs, ExactIDs: req.SkipUnknown, Hidden: true})
	}
	if req.Query == nil {
		return nil, fmt.Errorf("no id and no query: %w", mem.ErrNotFound)
	}
	q := *req.Query
	q.Limit, q.Within = MaxFound, "*"
	if len(q.Tags) == 1 && IsImportTag(q.Tags[0]) { // an import is reverted whole
		q.Limit = maxTagged
	}
	found, err := s.Recall.Search(ctx, recall.SearchRequest{ProjectRef: req.ProjectRef, Query: q})
	if err != nil {
		return nil, err
	}
	ms := make([]mem.Memory, 0, len(found.Hits))
	for _, h := range found.Hits {
		ms = append(ms, h.Memory)
	}
	return ms, nil
}

// The actions of a proposal. Except ProposeEdit they are actions of a MarkRequest.
const (
	ProposeEdit    = "edit"
	ProposeForget  = "forget"
	ProposeRestore = "restore"
	ProposePin     = "pin"
	ProposeUnpin   = "unpin"
)
