package curate

import (
	"context"
	"fmt"
	"slices"

	"remanence/internal/mem"
)

// undismissed returns the findings of a rule that the person did not dismiss.
func undismissed(ctx context.Context, store mem.Store, rule string, found []Finding) ([]Finding, error) {
	if len(found) == 0 {
		return nil, nil
	}
	dismissed, err := dismissals(ctx, store)
	return slices.DeleteFunc(found, func(f Finding) bool { return isDismissed(dismissed, rule, f) }), err
}

// contradicted returns the linked contradictions of a project, the newer memory first.
func (s *Service) contradicted(ctx context.Context, p mem.Project) ([]Finding, error) {
	links, err := s.Store.LinksOf(ctx, mem.LinkContradicts, p.Key, MaxOfOneRule)
	if err != nil {
		return nil, fmt.Errorf("contradictions: %w", err)
	}
	ends, err := s.Recall.AtEnds(ctx, links)
	if err != nil {
		return nil, err
	}
	var out []Finding
	for _, l := range links {
		now, then := ends[l.From], ends[l.To]
		if now.ID == "" || then.ID == "" || now.Supersedes == then.ID {
			continue
		}
		out = append(out, contradiction(now, then))
	}
	return out, nil
}
