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

// ends reports whether one statement ends what another laid down. What holds in all projects is ended only by what
// does.
func ends(now, then mem.Memory) bool {
	return (then.Scope != mem.ScopeUser || now.Scope == mem.ScopeUser) &&
		extract.Reverses(extract.ClaimOf(now), extract.ClaimOf(then))
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
			case h.Pinned || h.Source.PromptID == ec.PromptID || !ends(*mm, h.Memory):
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
		if !slices.Contains(reversible(), made[i].Kind) {
			continue
		}
		hits, err := s.Store.Match(ctx, mem.Query{
			Project: ec.Project.Key, Terms: rank.Terms(extract.ClaimOf(made[i])), Within: ec.Session,
			After: ec.At.Add(1), MinTrust: mem.TrustUser, Limit: maxReversed,
		})
		if err != nil {
			return fmt.Errorf("later decisions: %w", err)
		}
		if slices.ContainsFunc(hits, func(h mem.Hit) bool { return ends(h.Memory, made[i]) }) {
			made[i].Status = mem.Superseded
		}
	}
	return nil
}
