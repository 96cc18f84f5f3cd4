package capture

import (
	"context"
	"fmt"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// maxReversed bounds the earlier statements that one statement is compared with.
const maxReversed = 20

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
			Kinds: []mem.Kind{mem.Decision, mem.Convention, mem.Preference, mem.TradeOff},
		})
		if err != nil {
			return nil, fmt.Errorf("earlier decisions: %w", err)
		}
		for _, h := range hits {
			switch {
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
