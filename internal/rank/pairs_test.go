package rank_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestAllPairsThatAreAlikeAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for round := range 20 {
		var ms []mem.Memory
		for range 60 {
			var words []string
			for range 1 + r.IntN(8) {
				words = append(words, fmt.Sprintf("word%c%c", 'a'+r.IntN(3), 'k'+r.IntN(4)))
			}
			ms = append(ms, mem.Memory{Title: strings.Join(words, " ")})
		}
		least := 0.5 + float64(round%5)/10
		want := map[[2]int]float64{}
		for i := range ms {
			for j := range i {
				if like := rank.Alike(ms[j], ms[i]); like >= least {
					want[[2]int{j, i}] = like
				}
			}
		}
		got := rank.Pairs(ms, least)
		for _, p := range got {
			if want[[2]int{p.A, p.B}] != p.Alike {
				t.Errorf("round %d: %+v, want %v", round, p, want[[2]int{p.A, p.B}])
			}
		}
		if len(got) != len(want) || len(want) == 0 {
			t.Errorf("round %d: %d pairs, want %d, more than none", round, len(got), len(want))
		}
	}
}
