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
	found, err := e.memories(ctx, hasProposals)
	if err != nil {
		return err
	}
	for _, r := range found {
		now, changed := e.WithoutProposals(r, f)
		if !changed {
			continue
		}
		if err := e.UpdateMemory(ctx, r, now); err != nil {
			return err
		}
	}
	return nil
}
