package sqlite

import (
	"context"

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
		now, changed := e.WithoutProposals(r.number, r.Memory, f)
		if !changed {
			continue
		}
		if err := e.entry.updateMemory(ctx, r, now, false); err != nil {
			return err
		}
	}
	return nil
}
