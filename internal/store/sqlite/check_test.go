package sqlite

import (
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

func TestAStoreThatGrowsBetweenTwoChecksIsSound(t *testing.T) {
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "r.db"), Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 3 {
		m := mem.Memory{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: string(rune('a'+i)) + " something to be found"}
		if _, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{m}}); err != nil {
			t.Fatal(err)
		}
		if h := s.Check(t.Context()); h.Err != nil {
			t.Fatalf("check %d: %v", i+1, h.Err)
		}
	}
}
