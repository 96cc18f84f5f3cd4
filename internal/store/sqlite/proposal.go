package sqlite

import (
	"context"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// hasProposals is the condition of memories with proposals. Within a string of the
// JSON document the quotes would be escaped.
const hasProposals = `instr(m.standing, '"proposals":[') > 0`

// dropProposals erases the proposals that came from an erased session or contain a
// trace. Their memories stay: another author wrote them.
func (e *eraser) dropProposals(ctx context.Context, f *stored.Finder) error {
	found, err := rows(ctx, e.conn, stmt(selectMemories+" WHERE "+hasProposals), scanStored)
	if err != nil {
		return err
	}
	for _, r := range found {
		if err := ignoreUnreadable(r.unpack()); err != nil {
			return err
		}
		if _, marked := e.memories[r.number]; marked {
			continue
		}
		now := r.Memory
		now.Proposals = slices.DeleteFunc(slices.Clone(r.Proposals), func(p mem.Proposal) bool {
			return e.sessionIDs[p.Session] || slices.ContainsFunc(p.Traces(), f.In)
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
