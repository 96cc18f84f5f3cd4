package rank_test

import (
	"math"
	"slices"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

func TestNearnessRunsFromOppositeToSame(t *testing.T) {
	for cos, want := range map[float64]float64{1: 1, 0.5: 0.5, 0: 0.414, -1: 0.333} {
		if got := rank.Nearness(cos); math.Abs(got-want) > 0.001 {
			t.Errorf("nearness of %v is %v, want %v", cos, got, want)
		}
	}
}

// What is known of a memory besides its words (here its age) does not lift it beside a
// relevant one.
func TestNearlyAsGoodAMatchIsInjectedBesideARelevantOne(t *testing.T) {
	hit := func(id string, words, attained, recency float64) mem.Hit {
		return mem.Hit{Memory: mem.Memory{ID: id}, Parts: map[string]float64{
			rank.PartBM25F: words, rank.PartAttained: attained, rank.PartKnown: 0.5, rank.PartRecency: recency,
			rank.PartCoverage: 0.5,
		}}
	}
	hits := []mem.Hit{
		hit("m_relevant", 1, 1, 0), hit("m_near", 0.8, 0.2, 0), hit("m_far", 0.6, 0.2, 1), hit("m_none", 0, 0, 1),
	}
	floor := func(hits []mem.Hit, eligible func(mem.Memory) bool) (kept []string) {
		got, cuts := rank.Floor(rank.Ask{Terms: []string{"ferry"}}, hits, rank.LeastRelevance, eligible)
		for _, h := range got {
			kept = append(kept, h.Memory.ID)
			if share := h.Parts[rank.PartShare]; (h.Memory.ID == "m_near") != (math.Abs(share-0.8) < 0.001) {
				t.Errorf("share of %s: %v", h.Memory.ID, share)
			}
		}
		if len(got)+len(cuts) != len(hits) {
			t.Errorf("kept %d and cut %d of %d", len(got), len(cuts), len(hits))
		}
		return kept
	}
	if got := floor(hits, nil); !slices.Equal(got, []string{"m_relevant", "m_near"}) {
		t.Errorf("beside a relevant one: kept %v", got)
	}
	for words, want := range map[float64]int{0.69: 0, 0.71: 1} { // the least share is 0.7
		if got, _ := rank.Floor(rank.Ask{Terms: []string{"ferry"}}, []mem.Hit{
			hit("m_relevant", 1, 1, 0), hit("m_other", words, 0.2, 0),
		}, rank.LeastRelevance, nil); len(got) != 1+want {
			t.Errorf("a share of %v: kept %d", words, len(got))
		}
	}
	if got := floor(hits[1:], nil); len(got) != 0 {
		t.Errorf("without a relevant one: kept %v", got)
	}
	gone := func(m mem.Memory) bool { return m.ID != "m_relevant" } // such as one that was injected before
	if got := floor(hits, gone); !slices.Equal(got, []string{"m_relevant"}) {
		t.Errorf("beside one that is not eligible: kept %v", got)
	}
	if _, written := hits[0].Parts[rank.PartRelevance]; written {
		t.Error("the hits that were passed in have changed")
	}
}

func TestWhatStandsOutIsAboveWhatIsFoundByChance(t *testing.T) {
	hits := func(attained ...float64) (out []mem.Hit) {
		for _, a := range attained {
			out = append(out, mem.Hit{Parts: map[string]float64{
				rank.PartAttained: a, rank.PartKnown: 0.5, rank.PartCoverage: 0.5,
			}})
		}
		return out
	}
	relevance := func(h mem.Hit) float64 {
		got, _ := rank.Floor(rank.Ask{}, []mem.Hit{h}, 0, nil)
		return got[0].Parts[rank.PartRelevance]
	}
	alike := slices.Repeat([]float64{0.3}, 15)
	for _, tt := range []struct {
		name  string
		hits  []mem.Hit
		among int
		above []float64 // what stands out
	}{
		{"few hits", hits(0.3, 0.3, 0.2), 1000, []float64{0.3, 0.3, 0.2}},
		{"all alike", hits(alike...), 15, nil},
		{"one is better", hits(append([]float64{0.5}, alike...)...), 16, []float64{0.5}},
		{"a little better", hits(append([]float64{0.35}, alike...)...), 16, nil},
		{"one of many near ones", hits(append([]float64{1}, slices.Repeat([]float64{0.75}, 15)...)...), 16, []float64{1}},
		{"more alike in a larger store", hits(append(slices.Clone(alike), 0.1, 0.1)...), 289, alike},
	} {
		least := rank.LeastAbove(rank.Ask{}, tt.hits, tt.among)
		var above []float64
		for _, h := range tt.hits {
			if relevance(h) >= least {
				above = append(above, h.Parts[rank.PartAttained])
			}
		}
		if !slices.Equal(above, tt.above) {
			t.Errorf("%s: %v stand out above %.2f, want %v", tt.name, above, least, tt.above)
		}
	}
}

// What a prompt asks for was worked on in one session, what it finds by chance in any.
func TestAHitAmongOthersOfItsSessionIsMoreRelevant(t *testing.T) {
	hits := func(kind mem.Kind, sessions string) (out []mem.Hit) {
		for _, s := range sessions {
			out = append(out, mem.Hit{Memory: mem.Memory{Session: string(s), Kind: kind}, Parts: map[string]float64{
				rank.PartAttained: 0.2, rank.PartKnown: 0.5, rank.PartCoverage: 0.5,
			}})
		}
		return out
	}
	first := func(kind mem.Kind, sessions string) float64 {
		kept, _ := rank.Floor(rank.Ask{Terms: []string{"ferry"}}, hits(kind, sessions), 0, nil)
		return kept[0].Parts[rank.PartRelevance]
	}
	scattered := first(mem.Discovery, "abcdefghabcd")
	for _, tt := range []struct {
		kind     mem.Kind
		sessions string
		more     bool
	}{
		{mem.Discovery, "aaaaaabcdefg", true},
		{mem.Discovery, "aaaabcdefgbc", true},
		{mem.Discovery, "aaaaaaaaaaaa", false}, // a store of one session
		{mem.Discovery, "aaaaaabcbcbc", false}, // or of three
		{mem.Discovery, "aaaaaa", false},       // nothing to compare with
		{mem.Utterance, "aaaaaabcdefg", false},
	} {
		if got := first(tt.kind, tt.sessions) - scattered; got > 0.05 != tt.more {
			t.Errorf("%s of sessions %s: %.2f more relevant than scattered, want more: %v", tt.kind, tt.sessions, got, tt.more)
		}
	}
}
