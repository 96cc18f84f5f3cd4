package sqlite

import (
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// openStore returns a store in a directory of the test, with the suite's clock. When the test ends, its statements must
// have kept their plans.
func openStore(t testing.TB) *Store {
	t.Helper()
	s := openAny(t)
	t.Cleanup(func() { plansHold(t, s) })
	return s
}

// openAny is openStore for tests that build the search index anew, which makes new plans.
func openAny(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "remanence.db"), Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
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

func TestSQLiteMovesRecords(t *testing.T) {
	storetest.RunRecords(t, func(t *testing.T) mem.Store { return openAny(t) })
}
