package stored

import (
	"context"
	"errors"
	"slices"
	"testing"

	"remanence/internal/mem"
)

func TestOnlyABadBatchOfAGroupFails(t *testing.T) {
	bad, away := errors.New("bad"), errors.New("away")
	for _, c := range []struct {
		name    string
		batches int
		failing int // the number of the batch that fails, from 1
		err     error
		groups  []int // sizes of the transactions, in turn
		results int
	}{
		{"all are good", 300, 0, nil, []int{256, 44}, 300},
		{"one is bad", 258, 258, bad, []int{256, 2, 1, 1}, 257},
		{"the only one is bad", 1, 1, bad, []int{1}, 0},
		{"the store is at fault", 3, 2, away, []int{3}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			batches := make([]mem.Batch, c.batches)
			for i := range batches {
				batches[i].FinishedJobs = make([]string, i+1)
			}
			var groups []int
			results, err := Apply(t.Context(), batches, func(err error) bool { return errors.Is(err, away) },
				func(_ context.Context, group []mem.Batch) (results []mem.Result, err error) {
					groups = append(groups, len(group))
					for _, b := range group {
						if len(b.FinishedJobs) == c.failing {
							return nil, c.err
						}
						results = append(results, mem.Result{Seq: int64(len(b.FinishedJobs))})
					}
					return results, nil
				})
			if !errors.Is(err, c.err) || !slices.Equal(groups, c.groups) || len(results) != c.results {
				t.Errorf("%d results, %v, transactions of %v, want %d, %v and %v", len(results), err, groups, c.results, c.err,
					c.groups)
			}
			for i, r := range results {
				if r.Seq != int64(i+1) {
					t.Fatalf("result %d is that of batch %d", i+1, r.Seq)
				}
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Apply(gone, make([]mem.Batch, 1), nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after its end: %v", err)
	}
}
