package stored

import (
	"context"
	"slices"

	"remanence/internal/mem"
)

// maxGroup is how many batches one transaction takes.
const maxGroup = 256

// Apply writes batches in groups, each with together, which writes some in one transaction. If that fails, those of the
// group are written one by one, so that only a bad one fails; unless atFault says that the error is the store's. Apply
// returns the results of the batches that were written, which come before the one that failed.
func Apply(ctx context.Context, batches []mem.Batch, atFault func(error) bool,
	together func(context.Context, []mem.Batch) ([]mem.Result, error),
) ([]mem.Result, error) {
	results := make([]mem.Result, 0, len(batches))
	if err := ctx.Err(); err != nil {
		return results, err
	}
	for group := range slices.Chunk(batches, maxGroup) {
		done, err := together(ctx, group)
		if err == nil {
			results = append(results, done...)
			continue
		}
		if len(group) == 1 || atFault(err) {
			return results, err
		}
		for single := range slices.Chunk(group, 1) {
			if done, err = together(ctx, single); err != nil {
				return results, err
			}
			results = append(results, done...)
		}
	}
	return results, nil
}
