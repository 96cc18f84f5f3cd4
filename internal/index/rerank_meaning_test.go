package index

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// near is a hit with a cosine, and without a score by words if that is 0.
func near(id string, words, cos float64) mem.Hit {
	return mem.Hit{
		Memory: mem.Memory{ID: id, Title: "title of " + id, Created: time.Unix(1e9, 0)}, Score: words,
		Parts: map[string]float64{mem.PartCos: cos},
	}
}

func first(hits []mem.Hit) string { return hits[0].Memory.ID }

func TestWhatStandsOutByMeaningComesFirst(t *testing.T) {
	hits := []mem.Hit{near("a", 0, 0.3), near("b", 0, 0.31), near("c", 0, 0.9), near("d", 0, 0.32), near("e", 0, 0.29)}
	got := Rerank(rank.Ask{Terms: rank.Terms("something else"), Search: true}, hits)
	if first(got) != "c" {
		t.Errorf("%s comes first, want c", first(got))
	}
	if p := got[0].Parts; p[mem.PartCos] != 0.9 || p[rank.PartMeaning] < 1.5 || p[rank.PartMeaning] > 3 {
		t.Errorf("parts are %v, want the cosine and how far it stands out", p)
	}
	if hits[2].Parts[rank.PartMeaning] != 0 {
		t.Error("the input was changed")
	}
}

func TestWithoutVectorsNothingChanges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var plain, alike []mem.Hit
		for i := range rapid.IntRange(1, 10).Draw(t, "hits") {
			h := near(fmt.Sprint("m", i), rapid.Float64Range(0.1, 10).Draw(t, "score"), 0.5)
			alike = append(alike, h) // of one cosine: nothing distinguishes them
			h.Parts = nil
			plain = append(plain, h)
		}
		q := rank.Ask{Terms: rank.Terms("title of m1")}
		a, b := Rerank(q, plain), Rerank(q, alike)
		for i := range a {
			if a[i].Memory.ID != b[i].Memory.ID || a[i].Score != b[i].Score {
				t.Fatalf("place %d: %s %v without, %s %v with vectors", i, a[i].Memory.ID, a[i].Score, b[i].Memory.ID, b[i].Score)
			}
			if _, ok := a[i].Parts[mem.PartCos]; ok {
				t.Fatalf("a cosine from nowhere: %v", a[i].Parts)
			}
		}
	})
}

func TestAnyCosineIsBearable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var hits []mem.Hit
		for i := range rapid.IntRange(1, 20).Draw(t, "hits") {
			cos := rapid.OneOf(rapid.Float64Range(-1, 1),
				rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0})).Draw(t, "cos")
			hits = append(hits, near(fmt.Sprint(i), rapid.SampledFrom([]float64{0, 1}).Draw(t, "score"), cos))
		}
		got := Rerank(rank.Ask{Terms: nil}, hits)
		for _, h := range got {
			if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || math.Abs(h.Parts[rank.PartMeaning]) > 3 {
				t.Fatalf("score %v, parts %v", h.Score, h.Parts)
			}
		}
		rank.Floor(rank.Ask{}, got, rank.LeastRelevance, nil)
	})
}

func TestMeaningAloneIsInjectedOnlyIfItIsNearAndStandsOut(t *testing.T) {
	crowd := func(best float64) []mem.Hit {
		hits := []mem.Hit{near("best", 0, best)}
		for i := range 9 {
			hits = append(hits, near(fmt.Sprint("other", i), 0, 0.3+0.01*float64(i)))
		}
		return hits
	}
	for _, c := range []struct {
		name  string
		hits  []mem.Hit
		floor float64
		want  int
	}{
		{"near and alone", crowd(0.8), 0, 1},
		{"far, though alone", crowd(0.45), 0, 0},
		{"near by a lower floor", crowd(0.45), 0.45, 1},
		{"near, not near enough", crowd(0.8), 0.9, 0},
		{"near, as all of them are", []mem.Hit{near("a", 0, 0.8), near("b", 0, 0.81), near("c", 0, 0.79)}, 0, 0},
		{"the only one there is", []mem.Hit{near("a", 0, 0.99)}, 0, 0},
	} {
		q := rank.Ask{Terms: rank.Terms("nothing in common"), Near: c.floor}
		kept, cuts := rank.Floor(q, Rerank(q, c.hits), rank.LeastRelevance, nil)
		if len(kept) != c.want || len(kept)+len(cuts) != len(c.hits) {
			t.Errorf("%s: %d kept, %d cut, want %d kept", c.name, len(kept), len(cuts), c.want)
		}
	}
}

// What meaning adds to the candidates must not make their words look common.
func TestNeighboursByMeaningDoNotChangeWhatWordsAreWorth(t *testing.T) {
	q := rank.Ask{Terms: rank.Terms("gateway retry"), Search: true}
	var words []mem.Hit
	for i := range 5 {
		words = append(words, mem.Hit{
			Memory: mem.Memory{ID: fmt.Sprint("w", i), Title: fmt.Sprint("the gateway number ", i)},
			Score:  3,
		})
	}
	hits := append([]mem.Hit(nil), words...)
	for i := range 70 {
		hits = append(hits, near(fmt.Sprint(i), 0, 0.5))
	}
	coverage := func(hits []mem.Hit) float64 {
		for _, h := range hits {
			if h.Memory.ID == "w0" {
				return h.Parts[rank.PartCoverage]
			}
		}
		return math.NaN()
	}
	if alone, among := coverage(Rerank(q, words)), coverage(Rerank(q, hits)); alone != among {
		t.Errorf("coverage is %v among neighbours, %v alone", among, alone)
	}
}
