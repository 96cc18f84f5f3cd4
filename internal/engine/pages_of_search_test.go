package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/recall"
)

func TestPagesOfASearchHoldEveryHitOnce(t *testing.T) {
	s := newStage(t)
	r := rand.New(rand.NewPCG(1, 2))
	words := strings.Fields("session race harbour lamp export retry scanner gate till port")
	var b mem.Batch
	for i := range 200 {
		said := []string{"lock"}
		for range 3 + r.IntN(30) {
			said = append(said, words[r.IntN(len(words))])
		}
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: fmt.Sprint("note ", i),
			Body:    strings.Join(said, " "),
			Created: s.clock.Add(-time.Duration(r.IntN(5000)) * time.Hour), Trust: mem.TrustUser,
		})
	}
	if _, err := s.store.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	var all []string
	for len(all) <= 200 {
		got, err := s.Recall.Search(t.Context(), recall.SearchRequest{
			ProjectRef: shop,
			Query:      mem.Query{Text: "session lock race", Limit: 20, Offset: len(all)},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Hits) == 0 {
			break
		}
		for _, h := range got.Hits {
			all = append(all, h.Memory.ID)
		}
	}
	slices.Sort(all)
	if once := slices.Compact(slices.Clone(all)); len(once) != 200 || len(all) != 200 {
		t.Errorf("the pages hold %d hits, %d of them once; want each of 200", len(all), len(once))
	}
}
