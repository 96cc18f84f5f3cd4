package views

import (
	"context"
	"fmt"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// DeadWeight finds memories of a project that were injected at least DeadAfter times and never used.
// Pinned memories, those of the person and young ones are left out.
func (s *Service) DeadWeight(ctx context.Context, p mem.Project) ([]curate.Finding, error) {
	c, err := allInjections(ctx, s, p)
	if err != nil {
		return nil, fmt.Errorf("dead weight: %w", err)
	}
	dead, err := s.deadItems(ctx, c)
	if err != nil {
		return nil, fmt.Errorf("dead weight: %w", err)
	}
	var out []curate.Finding
	for _, d := range dead {
		if m := c.known[d.ID]; m.Pinned || m.Trust == mem.TrustUser || s.Now().Sub(m.Created) < recall.Young {
			continue
		}
		out = append(out, curate.Finding{
			Rule: curate.LintDeadWeight, IDs: []string{d.ID}, Fix: "remanence forget " + d.ID,
			Text: fmt.Sprintf("injected %d times for %d tokens, never used: %s", d.Injections, d.Tokens, d.Title),
		})
	}
	return out, nil
}
