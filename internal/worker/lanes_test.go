//go:build unix

package worker_test

import (
	"context"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/worker"
)

func TestASlowJobHoldsUpNoOther(t *testing.T) {
	st := sqlitetest.Open(t, nil)
	if _, err := st.Apply(t.Context(), mem.Batch{Jobs: []mem.Job{
		{Kind: "slow", Key: "1"},
		{Kind: "quick"},
		{Kind: "slow", Key: "2"},
	}}); err != nil {
		t.Fatal(err)
	}
	quick, free := make(chan struct{}), make(chan struct{})
	slow := make(chan string, 2)
	w := start(t, worker.Config{Store: st, Slow: []string{"slow"}, Do: func(ctx context.Context, j mem.Job) (mem.Batch,
		error,
	) {
		if j.Kind == "quick" {
			close(quick)
			return mem.Batch{}, nil
		}
		slow <- j.Key
		select {
		case <-free:
		case <-ctx.Done():
		}
		return mem.Batch{}, nil
	}})
	await(t, func() bool { return len(slow) == 1 })
	await(t, func() bool {
		select {
		case <-quick:
			return true
		default:
			return false
		}
	})
	if len(slow) != 1 {
		t.Errorf("%d slow jobs are done at once, want one after the other", len(slow))
	}
	close(free)
	await(t, func() bool {
		left, err := st.Jobs(t.Context(), "slow", 9)
		return err == nil && len(left) == 0 && len(slow) == 2
	})
	w.cancel()
	w.wait(t)
}
