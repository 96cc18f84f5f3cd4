package sqlite

import (
	"context"
	"slices"

	"remanence/internal/mem"
)

// hasProposals is the condition of memories with proposals. Within a string of the
// document the quotes of such a text have backslashes.
const hasProposals = `instr(m.standing, '"proposals":[') > 0`

// dropProposals erases the proposals that came from an erased session or hold a
// trace. Their memories stay: they are another author's words.
func (e *eraser) dropProposals(ctx context.Context, f *finder) error {
	query := "SELECT " + memoryColumns + " FROM memory m LEFT JOIN session s ON s.number = m.session WHERE " + hasProposals
	found, err := rows(ctx, e.conn, query, nil, scanRaw)
	if err != nil {
		return err
	}
	for _, r := range found {
		if err := despite(r.unpack()); err != nil {
			return err
		}
		if _, doomed := e.memories[r.number]; doomed {
			continue
		}
		now := r.Memory
		now.Proposals = slices.DeleteFunc(slices.Clone(r.Proposals), func(p mem.Proposal) bool {
			return e.whole[p.Session] || slices.ContainsFunc(p.Traces(), f.in)
		})
		if len(now.Proposals) == len(r.Proposals) {
			continue
		}
		if err := e.entry.updateMemory(ctx, r, now, false); err != nil {
			return err
		}
	}
	return nil
}
