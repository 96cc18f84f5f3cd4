package daemon

import (
	"context"
	"testing"
	"testing/synctest"

	"remanence/internal/index"
	"remanence/internal/mem"
)

// emptyStore is a store without memories.
type emptyStore struct{ mem.Store }

func (emptyStore) List(context.Context, mem.Query) ([]mem.Memory, error) { return nil, nil }

func TestCalibrationWaitsForTheIndex(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		s := index.NewStore(emptyStore{})
		began := false
		go onceIndexed(s, func(context.Context) { began = true })(ctx)
		if synctest.Wait(); began {
			t.Fatal("it began before the index was built")
		}
		go s.Run(ctx, func(err error) { t.Error(err) })
		if synctest.Wait(); !began {
			t.Error("it did not begin once the index was built")
		}
	})
}

func TestADaemonThatEndsCalibratesNoMore(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	s := index.NewStore(emptyStore{})
	onceIndexed(s, func(context.Context) { t.Error("it began") })(ctx)
}
