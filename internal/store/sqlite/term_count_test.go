package sqlite

import (
	"fmt"
	"slices"
	"testing"

	"remanence/internal/mem"
)

func TestCountReturnsDocumentFrequencies(t *testing.T) {
	s := openStore(t)
	var b mem.Batch
	for i := range 120 {
		m := mem.Memory{
			Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: fmt.Sprintf("common words %d", i),
			Key: fmt.Sprint(i),
		}
		if i < 3 {
			m.Body = "a rare walrus, retry.go"
		}
		b.Memories = append(b.Memories, m)
	}
	b.Memories = append(b.Memories, mem.Memory{
		Scope: mem.ScopeProject, Project: "p_1", Session: "one",
		Kind: mem.Utterance, Title: "the walrus said it",
	})
	apply(t, s, b)
	for range 2 { // counted, then cached
		got, err := s.Count(t.Context(), mem.Query{Terms: []string{"common", "walrus", "retry.go", "unheard", `"!`}})
		if want := []int{120, 3, 3, 0, 0}; err != nil || got.Size != 120 || !slices.Equal(got.DocFreq, want) {
			t.Fatalf("got %+v, %v, want 120 and %v", got, err, want)
		}
	}
	spoken, err := s.Count(t.Context(), mem.Query{Terms: []string{"walrus", "common"}, Kinds: []mem.Kind{mem.Utterance}})
	if want := []int{1, 0}; err != nil || spoken.Size != 1 || !slices.Equal(spoken.DocFreq, want) {
		t.Errorf("utterances: got %+v, %v, want 1 and %v", spoken, err, want)
	}
}

// With an old count a common term would look rare.
func TestCountsAreRenewedWhenTheIndexGrows(t *testing.T) {
	s := openStore(t)
	next := 0
	grow := func(n int) {
		var b mem.Batch
		for range n {
			next++
			b.Memories = append(b.Memories, mem.Memory{
				Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact,
				Title: fmt.Sprintf("common words %d", next),
			})
		}
		apply(t, s, b)
	}
	for _, n := range []int{100, 3, 200} {
		grow(n)
		got, err := s.Count(t.Context(), mem.Query{Terms: []string{"common"}})
		if err != nil || got.Size != next || got.DocFreq[0] < next-next/20 {
			t.Errorf("of %d: got %+v, %v", next, got, err)
		}
	}
}

func TestCountOfAnEmptyIndex(t *testing.T) {
	got, err := openStore(t).Count(t.Context(), mem.Query{Terms: []string{"word"}})
	if err != nil || got.Size != 0 || !slices.Equal(got.DocFreq, []int{0}) {
		t.Errorf("got %+v, %v, want nothing of nothing", got, err)
	}
}
