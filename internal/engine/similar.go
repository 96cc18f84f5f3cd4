package engine

import (
	"context"
	"fmt"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

const (
	// alike is the share of common words from which a statement is taken for
	// another wording of one that is kept.
	alike = 0.55
	// alikeMeaning is the cosine from which it is, whatever its words. Texts of one
	// project are near to each other, so this is a higher bar.
	alikeMeaning = 0.85
)

// similar finds the kept memory of the same reach that says nearly the same as a
// statement. Nil if there is none.
func (e *Engine) similar(ctx context.Context, mm mem.Memory) (*mem.Hit, error) {
	said := mem.Clip(wholeText(mm), maxField)
	q := mem.Query{
		Text: said, Terms: rank.Terms(said), Project: mm.Project, Scopes: []mem.Scope{mm.Scope}, Within: mm.Session, Limit: rank.Candidates,
	}
	hits, _, err := e.matched(ctx, q, nil)
	if err != nil {
		return nil, fmt.Errorf("what is alike: %w", err)
	}
	likeness := rank.AlikeTo(mm)
	var best *mem.Hit
	for _, h := range e.byMeaning(ctx, said, q, hits) {
		like := likeness(h.Memory)
		if cos := h.Parts[mem.PartCos]; cos >= alikeMeaning {
			like = max(like, cos)
		}
		if like > alike && (best == nil || like > best.Score) {
			best = &mem.Hit{Memory: h.Memory, Score: min(1, like)}
		}
	}
	return best, nil
}
