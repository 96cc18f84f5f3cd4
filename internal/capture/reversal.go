package capture

import (
	"context"
	"fmt"
	"slices"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxReversed bounds the earlier statements that one statement is compared with.
const maxReversed = 20

// reversible are the kinds of what a later statement can end.
func reversible() []mem.Kind {
	return []mem.Kind{mem.Decision, mem.Convention, mem.Preference, mem.TradeOff}
}

// reversed finds what statements of the person end: decisions and rules of the project, of any session, that are older
// and not pinned. Each statement supersedes the best match. The edits end further ones, which stay as history.
func (s *Service) reversed(ctx context.Context, ec event.Context, stated []mem.Memory) ([]mem.Edit, error) {
	var out []mem.Edit
	over := mem.Superseded
	for i := range stated {
		mm := &stated[i]
		text := extract.ClaimOf(*mm)
		if mm.Trust < mem.TrustUser || !extract.ChangesCourse(text) {
			continue
		}
		hits, err := s.Store.Match(ctx, mem.Query{
			Project: ec.Project.Key, Terms: rank.Terms(text), Within: ec.Session, Before: ec.At, Limit: maxReversed,
			Kinds: reversible(),
		})
		if err != nil {
			return nil, fmt.Errorf("earlier decisions: %w", err)
		}
		for _, h := range hits {
			switch {
			case h.Scope == mem.ScopeUser && mm.Scope != mem.ScopeUser: // it holds in other projects as well
			case h.Pinned || h.Source.PromptID == ec.PromptID || !extract.Reverses(text, extract.ClaimOf(h.Memory)):
			case mm.Supersedes == "":
				mm.Supersedes = h.ID
			default:
				out = append(out, mem.Edit{ID: h.ID, Status: &over})
			}
		}
	}
	return out, nil
}

// reversedSince marks those of a past turn's memories as superseded that the person ended since: sessions of the past
// are read in after later ones.
func (s *Service) reversedSince(ctx context.Context, ec event.Context, made []mem.Memory) error {
	for i := range made {
		text := extract.ClaimOf(made[i])
		if !slices.Contains(reversible(), made[i].Kind) {
			continue
		}
		hits, err := s.Store.Match(ctx, mem.Query{
			Project: ec.Project.Key, Terms: rank.Terms(text), Within: ec.Session, After: ec.At.Add(1), Limit: maxReversed,
			MinTrust: mem.TrustUser,
		})
		if err != nil {
			return fmt.Errorf("later decisions: %w", err)
		}
		if slices.ContainsFunc(hits, func(h mem.Hit) bool {
			claim := extract.ClaimOf(h.Memory)
			return extract.ChangesCourse(claim) && extract.Reverses(claim, text)
		}) {
			made[i].Status = mem.Superseded
		}
	}
	return nil
}
