package recall

import (
	"testing"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestAnotherFloorCountsForWhatIsBesideARelevantOne(t *testing.T) {
	parts := func(words, relevance float64) map[string]float64 {
		return map[string]float64{rank.PartBM25F: words, rank.PartCoverage: 0.3, rank.PartRelevance: relevance}
	}
	best, beside, far := parts(1, 0.7), parts(0.9, 0.3), parts(0.2, 0.2)
	said := map[string]float64{rank.PartBM25F: 0.9, rank.PartCoverage: 0.3, rank.PartRelevance: 0.3, rank.PartSession: 0}
	r := mem.Receipt{Items: []mem.InjectedItem{{ID: "m_1", Parts: best}, {ID: "m_2", Parts: beside}}}
	for _, c := range []struct {
		floor                    float64
		best, beside, far, quote bool
	}{{0.6, true, true, false, false}, {0.9, false, false, false, false}} {
		judge := floorOf(r, c.floor, 0)
		passes := func(parts map[string]float64) bool {
			ok, share := judge(parts)
			if want := ok && parts[rank.PartRelevance] < c.floor; (share > 0) != want {
				t.Errorf("floor %v, %v: share %v", c.floor, parts, share)
			}
			return ok
		}
		if passes(best) != c.best || passes(beside) != c.beside || passes(far) != c.far || passes(said) != c.quote {
			t.Errorf("floor %v: best %v, beside it %v, far %v, a quote %v; want %+v", c.floor, passes(best), passes(beside),
				passes(far), passes(said), c)
		}
	}
}

// A memory that another rule left out brings nothing in beside it.
func TestOnlyWhatTheFloorOrTheBudgetLeftOutBringsOthersIn(t *testing.T) {
	parts := func(words, relevance float64) map[string]float64 {
		return map[string]float64{rank.PartBM25F: words, rank.PartCoverage: 0.3, rank.PartRelevance: relevance}
	}
	for gate, want := range map[string]bool{rank.BelowFloor: true, "budget": true, "already_told": false, "trust": false} {
		r := mem.Receipt{Floor: 0.9, LeftOut: []mem.LeftOutItem{{ID: "m_1", Parts: parts(1, 0.7), Gate: gate}}}
		if got, _ := floorOf(r, 0.6, 0)(parts(0.9, 0.3)); got != want {
			t.Errorf("beside one that %q left out: %v", gate, got)
		}
	}
}
