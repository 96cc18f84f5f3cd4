package sqlite

import (
	"sync"
	"testing"

	"remanence/internal/mem"
)

func TestAStoreThatGaveItsMemoryBackGoesOn(t *testing.T) {
	s := filled(t)
	want, err := s.List(t.Context(), mem.Query{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 { // readers are busy meanwhile
		all.Go(func() {
			for range 5 {
				if _, err := s.List(t.Context(), mem.Query{Limit: 100}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 5 {
		if err := s.GiveBack(t.Context()); err != nil {
			t.Errorf("give back: %v", err)
		}
	}
	all.Wait()
	if got, err := s.List(t.Context(), mem.Query{Limit: 1000}); err != nil || len(got) != len(want) {
		t.Errorf("got %d memories, %v, want %d", len(got), err, len(want))
	}
	if st := s.read.Stats(); st.InUse != 0 {
		t.Errorf("%d connections are still held", st.InUse)
	}
	if _, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{{Kind: mem.Fact, Title: "after"}}}); err != nil {
		t.Errorf("write: %v", err)
	}
}
