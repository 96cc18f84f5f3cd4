package rank

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"remanence/internal/mem"
)

// odd are counters that no store should hold, and ages as odd.
var (
	oddCounters = []float64{0, 1, -1, 12, 1e9, math.MaxFloat64, -math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	oddSpans    = []time.Duration{0, 1, -1, day, 30 * day, math.MaxInt64, math.MinInt64}
)

func countersFrom(hits, prevented float64, age, life time.Duration) counters {
	return counters{hits, prevented, age, life}
}

func authority(hits, prevented float64, age, life time.Duration) float64 {
	return Use{}.full().authority(countersFrom(hits, prevented, age, life))
}

func documents(hits, prevented float64, age, life time.Duration) float64 {
	return Use{}.full().documents(countersFrom(hits, prevented, age, life))
}

func salience(hits, prevented float64, age, life time.Duration) float64 {
	return Use{}.full().salience(countersFrom(hits, prevented, age, life))
}

func TestFormulasOfUseKeepTheirBoundsWhateverTheyAreGiven(t *testing.T) {
	for _, hits := range oddCounters {
		for _, prevented := range oddCounters {
			for _, age := range oddSpans {
				for _, life := range oddSpans {
					if a := authority(hits, prevented, age, life); !(a >= 1 && a < 1.8) {
						t.Errorf("Authority(%v, %v, %v, %v) = %v, want it in [1, 1.8)", hits, prevented, age, life, a)
					}
					for name, got := range map[string]float64{
						"Weight":   documents(hits, prevented, age, life),
						"Salience": salience(hits, prevented, age, life),
					} {
						if !(got >= 0 && got < 1e13) {
							t.Errorf("%s(%v, %v, %v, %v) = %v, want it finite", name, hits, prevented, age, life, got)
						}
					}
				}
			}
		}
	}
}

func TestCountersThatAreNoNumbersCountAsNone(t *testing.T) {
	for _, f := range []func(a, b float64, age, life time.Duration) float64{authority, documents, salience} {
		for _, n := range []float64{-3, math.NaN(), math.Inf(1), math.Inf(-1)} {
			if got, want := f(n, n, 3*day, 0), f(0, 0, 3*day, 0); got != want {
				t.Errorf("with %v: got %v, want %v as with 0", n, got, want)
			}
		}
		if got, want := f(3, 1, 3*day, -day), f(3, 1, 3*day, 30*day); got != want {
			t.Errorf("with a half-life below 0: got %v, want %v as with 30 days", got, want)
		}
	}
}

func TestNumbersOfUseThatCannotBeMeantAreTheirDefaults(t *testing.T) {
	m := mem.Memory{Uses: 4, Prevented: 2, Created: now}
	for _, n := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		for _, prompt := range []Form{ByAuthority, Documents} {
			u := Use{Prompt: prompt, Prevented: n, Cap: n, Saturation: n, Boost: n}
			if got, want := u.Factor(m, now), (Use{Prompt: prompt}).Factor(m, now); got != want {
				t.Errorf("with %v, %s: got %v, want %v", n, prompt, got, want)
			}
		}
	}
	for _, limit := range []float64{1.000001, 3, math.MaxFloat64} {
		u := Use{Cap: limit, Saturation: math.SmallestNonzeroFloat64}
		got := u.Factor(mem.Memory{Uses: math.MaxInt, Prevented: math.MaxInt, Created: now}, now)
		if !(got >= 1 && got < limit && got <= mostGiven) {
			t.Errorf("cap %v: got %v", limit, got)
		}
	}
}

func TestAMistakePreventedCountsForThreeHits(t *testing.T) {
	saved, hit := mem.Memory{ID: "saved", Prevented: 2, Created: now}, mem.Memory{ID: "hit", Uses: 5, Created: now}
	if got := idsOf(Use{}.Order([]mem.Memory{hit, saved}, now, nil)); got[0] != "saved" { // 7 and 6
		t.Errorf("got %v", got)
	}
	if got := idsOf(Use{Prevented: 1}.Order([]mem.Memory{hit, saved}, now, nil)); got[0] != "hit" { // 3 and 6
		t.Errorf("got %v where it counts for one", got)
	}
	if got, want := (Use{}).Factor(saved, now), 1+0.8*6/18.; math.Abs(got-want) > 1e-9 {
		t.Errorf("factor %v, want %v", got, want)
	}
}

func TestAMemorysOwnHalfLifeComesFirst(t *testing.T) {
	m := used("m", 9, 30*day)
	for _, tt := range []struct{ days, want float64 }{
		{60, 10 / math.Sqrt(math.E)},
		{0, 10 / math.E},
		{-5, 10 / math.E},
		{math.NaN(), 10 / math.E},
		{1e300, 10},
	} {
		m.HalfLife = tt.days
		if got := (Use{Prompt: Documents}).Factor(m, now); math.Abs(got-tt.want) > 0.01 {
			t.Errorf("%v days: got %v, want %v", tt.days, got, tt.want)
		}
	}
	m.HalfLife = 1
	if week := Strength(used("m", 0, 7*day), now); Strength(m, now) > week && week > 0 {
		t.Error("strength does not go by it")
	}
}

func TestWhatIsEvergreenDoesNotAge(t *testing.T) {
	old := mem.Memory{ID: "old", Evergreen: true, Importance: 1, Confidence: 1, Created: now.Add(-999 * day)}
	if got := idsOf(Use{}.Order([]mem.Memory{used("often", 300, 0), old}, now, nil)); got[0] != "old" {
		t.Errorf("got %v", got)
	}
	if f, s := (Use{}).Factor(old, now), Strength(old, now); f != 1 || s != 1 {
		t.Errorf("factor %v, strength %v, want 1 and 1", f, s)
	}
}

func TestSalience(t *testing.T) {
	for _, tt := range []struct {
		hits, prevented float64
		age             time.Duration
		want            float64
	}{
		{0, 0, 0, 1},
		{0, 0, 30 * day, 1 / math.E},
		{math.E - 1, 0, 0, 2},
		{0, 2, 0, 7},
		{math.E - 1, 2, 60 * day, 8 / math.E / math.E},
	} {
		if got := salience(tt.hits, tt.prevented, tt.age, 0); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("Salience(%v, %v, %v) = %v, want %v", tt.hits, tt.prevented, tt.age, got, tt.want)
		}
	}
}

// used is a memory that was used so often, the last time so long ago.
func used(id string, uses int, ago time.Duration) mem.Memory {
	return mem.Memory{ID: id, Uses: uses, LastUsed: now.Add(-ago), Created: now.Add(-400 * day), Project: "p_1"}
}

func idsOf(ms []mem.Memory) []string {
	out := []string{}
	for _, m := range ms {
		out = append(out, m.ID)
	}
	return out
}

func TestABriefingIsOrderedByUseAndAge(t *testing.T) {
	pinned := mem.Memory{ID: "pinned", Pinned: true, Created: now.Add(-999 * day)}
	fresh := mem.Memory{ID: "fresh", Created: now}
	elsewhere := mem.Memory{ID: "elsewhere", Created: now}
	ms := []mem.Memory{fresh, used("often", 300, 60*day), used("lately", 12, 0), used("long ago", 5, 300*day), pinned}
	for _, tt := range []struct {
		use  Use
		want []string
	}{
		{Use{}, []string{"pinned", "often", "lately", "fresh", "long ago"}}, // 40.7, 13, 1, 0.0003
		{Use{Start: Documents}, []string{"pinned", "often", "lately", "fresh", "long ago"}},
		{Use{Start: Logarithm}, []string{"pinned", "lately", "fresh", "often", "long ago"}}, // 3.6, 1, .91
		{Use{HalfLife: 10 * day}, []string{"pinned", "lately", "fresh", "often", "long ago"}},
	} {
		if got := idsOf(tt.use.Order(ms, now, nil)); !slices.Equal(got, tt.want) {
			t.Errorf("%+v: got %v, want %v", tt.use, got, tt.want)
		}
	}
	here := func(m mem.Memory) bool { return m.ID == "here" }
	// 1 and 5 × 0.22
	got := idsOf(Use{}.Order([]mem.Memory{elsewhere, {ID: "here", Created: now.Add(-45 * day)}}, now, here))
	if want := []string{"here", "elsewhere"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v: what belongs here counts five times", got, want)
	}
}

func TestUseIsAFactorOnRelevance(t *testing.T) {
	m := used("m", 9, 30*day)
	for _, tt := range []struct {
		name string
		use  Use
		m    mem.Memory
		want float64
	}{
		{"authority", Use{}, m, 1 + 0.8*math.Log(10)/math.E/(math.Log(10)/math.E+12)},
		{"documents", Use{Prompt: Documents}, m, 10 / math.E},
		{"documents, beyond all bounds", Use{Prompt: Documents}, used("m", math.MaxInt, 0), 1e6},
		{"none", Use{Prompt: NoUse}, m, 1},
		{"pinned: it was injected at the start", Use{}, mem.Memory{Pinned: true, Uses: 99, LastUsed: now}, 1},
		{"pinned, documents", Use{Prompt: Documents}, mem.Memory{Pinned: true, Uses: 99, LastUsed: now}, 1},
		{"never used", Use{}, mem.Memory{Created: now}, 1},
		{"half-life", Use{HalfLife: 60 * day}, m, authority(9, 0, 30*day, 60*day)},
	} {
		if got := tt.use.Factor(tt.m, now); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestStandingDecidesCloseCallsOnly(t *testing.T) {
	hits := []mem.Hit{
		{Memory: mem.Memory{ID: "changed", Created: now}, Score: 1.1, Parts: map[string]float64{"fts": 1, PartUse: 1}},
		{Memory: mem.Memory{ID: "steady", Created: now}, Score: 1.0},
		{Memory: mem.Memory{ID: "far better", Created: now}, Score: 2.0, Parts: map[string]float64{PartUse: 1}},
	}
	s := Standing{Now: now, Stale: func(m mem.Memory) bool { return m.ID != "steady" }}
	got := s.Order(hits)
	ids := []string{got[0].Memory.ID, got[1].Memory.ID, got[2].Memory.ID}
	if want := []string{"far better", "steady", "changed"}; !slices.Equal(ids, want) {
		t.Errorf("order %v, want %v", ids, want)
	}
	if p := got[2].Parts; p[PartStale] != 1 || p["fts"] != 1 {
		t.Errorf("parts %v, want the old ones and stale", p)
	}
	if _, touched := hits[0].Parts[PartStale]; touched {
		t.Error("the input was changed")
	}
}

func TestStandingReplacesTheFactorAScoreHas(t *testing.T) {
	hit := mem.Hit{Memory: used("m", 9, 0), Score: 3, Parts: map[string]float64{PartUse: 1.5}}
	if got := (Standing{Now: now, Use: Use{Prompt: NoUse}}).Order([]mem.Hit{hit})[0].Score; math.Abs(got-2) > 1e-9 {
		t.Errorf("without use: score %v, want 2", got)
	}
	want := 2 * authority(9, 0, 0, 0)
	if got := (Standing{Now: now}).Order([]mem.Hit{hit})[0].Score; math.Abs(got-want) > 1e-9 {
		t.Errorf("score %v, want %v", got, want)
	}
}

// A score that is no number could not even be written down.
func TestStandingIsFinite(t *testing.T) {
	for _, uses := range []int{math.MinInt, -1, 0, math.MaxInt} {
		for _, form := range []Form{"", Documents, NoUse} {
			for _, score := range []float64{math.NaN(), math.Inf(1), -1, 0} {
				hit := mem.Hit{Memory: mem.Memory{Uses: uses, Pinned: uses == 0}, Score: score}
				got := Standing{Now: now, Use: Use{Prompt: form}}.Order([]mem.Hit{hit})
				if _, err := json.Marshal(got); err != nil {
					t.Errorf("%d uses, %q, score %v: %v", uses, form, score, err)
				}
			}
		}
	}
}
