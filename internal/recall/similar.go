package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

const (
	// Alike is the share of common words from which a statement is taken for
	// another wording of one that is kept.
	Alike = 0.55
	// alikeMeaning is the cosine from which it is, whatever its words. Texts of one
	// project are near to each other, so this is a higher bar.
	alikeMeaning = 0.85
	// mostCompared is how many memories, the most alike, a statement is compared with.
	mostCompared = 20
)

// similar finds the kept memories that share most of their words or their meaning
// with a statement, the most alike first.
func (e *Service) similar(ctx context.Context, mm mem.Memory, scopes ...mem.Scope) ([]mem.Hit, error) {
	said := chars.Clip(WholeText(mm), event.MaxField)
	q := mem.Query{
		Text: said, Project: mm.Project, Scopes: scopes, Within: mm.Session, Limit: rank.Candidates,
	}
	hits, err := e.Matched(ctx, q, nil)
	if err != nil {
		return nil, fmt.Errorf("what is alike: %w", err)
	}
	likeness := rank.AlikeTo(mm)
	var out []mem.Hit
	for _, h := range e.withNearest(ctx, q, e.near(ctx, q), hits) {
		like := likeness(h.Memory)
		if cos := h.Parts[mem.PartCos]; cos >= alikeMeaning {
			like = max(like, cos)
		}
		if like > Alike {
			out = append(out, mem.Hit{Memory: h.Memory, Score: min(1, like)})
		}
	}
	slices.SortStableFunc(out, func(a, b mem.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), mostCompared)], nil
}

// AlreadyKept finds the memory that says what a statement says. If there is none, it
// returns the one that is most like it and differs. A nil hit means neither.
func (e *Service) AlreadyKept(ctx context.Context, mm mem.Memory) (*mem.Hit, lang.Judgement, error) {
	hits, err := e.similar(ctx, mm, mm.Scope)
	if err != nil {
		return nil, lang.Judgement{}, err
	}
	for _, h := range hits {
		if j := extract.CompareMemories(h.Memory, mm); j.Agrees() {
			return &h, j, nil
		}
	}
	if len(hits) == 0 {
		return nil, lang.Judgement{}, nil
	}
	return &hits[0], extract.CompareMemories(hits[0].Memory, mm), nil
}

// Apart records that a new statement and the memories like it are both kept.
func (e *Service) Apart(ctx context.Context, mm mem.Memory) ([]mem.Dismissal, error) {
	scopes := []mem.Scope{mm.Scope}
	if mm.Scope != mem.ScopeUser { // a session's memory may reach the project
		scopes = []mem.Scope{mem.ScopeSession, mem.ScopeProject}
	}
	hits, err := e.similar(ctx, mm, scopes...)
	if err != nil {
		return nil, err
	}
	var out []mem.Dismissal
	for _, h := range hits {
		out = append(out, mem.Dismissal{Rule: mem.RuleMerge, Other: h.Memory.ID})
		if h.Memory.Trust <= mm.Trust { // about the words of one with more trust that one is asked
			out = append(out, mem.Dismissal{Rule: mem.RuleOppose, Other: h.Memory.ID})
		}
	}
	return out, nil
}
