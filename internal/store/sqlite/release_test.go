package sqlite

import (
	"sync"
	"testing"

	"remanence/internal/mem"
)

func TestAStoreWorksAfterReleasingMemory(t *testing.T) {
	s := storeWithSecret(t)
	want, err := s.List(t.Context(), mem.Query{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 { // concurrent readers
		all.Go(func() {
			for range 5 {
				if _, err := s.List(t.Context(), mem.Query{Limit: 100}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		if err := s.ReleaseMemory(t.Context()); err != nil {
			t.Errorf("give back: %v", err)
		}
	}
	all.Wait()
	if got, err := s.List(t.Context(), mem.Query{Limit: 1000}); err != nil || len(got) != len(want) {
		t.Errorf("got %d memories, %v, want %d", len(got), err, len(want))
	}
	if err := s.ReleaseMemory(t.Context()); err != nil {
		t.Errorf("give back: %v", err)
	}
	if st := s.read.Stats(); st.InUse != 0 || st.OpenConnections > keptReaders {
		t.Errorf("%d connections are still held, %d open, want at most %d", st.InUse, st.OpenConnections, keptReaders)
	}
	if _, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{{Kind: mem.Fact, Title: "after"}}}); err != nil {
		t.Errorf("write: %v", err)
	}
}

// All connections share the sum of their limits.
func TestConnectionsKeepFewPages(t *testing.T) {
	s := openStore(t)
	var read, write int
	if err := s.read.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&read); err != nil {
		t.Fatal(err)
	}
	if err := s.conn.QueryRowContext(t.Context(), "PRAGMA cache_size").Scan(&write); err != nil {
		t.Fatal(err)
	}
	if most := -2000; read < most || write < most { // KiB
		t.Errorf("a reader's cache is %d, the writer's %d, want at most %d", read, write, most)
	}
}
