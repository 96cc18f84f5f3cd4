package sqlite

import (
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// openStore returns a store in a directory of the test, with the suite's clock.
func openStore(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "remanence.db"), Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		plansHold(t, s)
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func apply(t testing.TB, s *Store, batches ...mem.Batch) []mem.Result {
	t.Helper()
	got, err := s.Apply(t.Context(), batches...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestSQLiteKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mem.Store { return openStore(t) })
}
