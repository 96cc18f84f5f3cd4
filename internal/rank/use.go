package rank

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"remanence/internal/mem"
)

// Form is one of the formulas by which past use counts.
type Form string

// The forms. The zero value is Documents for an order and ByAuthority for a factor.
const (
	Documents   Form = "documents" // Weight
	Logarithm   Form = "log"       // Salience; for an order only
	ByAuthority Form = "authority" // Authority; for a factor only
	NoUse       Form = "none"      // for a factor only
)

// Use is how past use counts. The zero value of every field is its default.
type Use struct {
	Start    Form          // orders what nobody asked for
	Prompt   Form          // is the factor on the relevance of what was asked for
	HalfLife time.Duration // of both; 0 means DefaultHalfLife
}

const (
	matchBoost = 5.0 // on the weight of what belongs to the project at hand
	mostFactor = 1e6 // of the documents' form on relevance, which knows no bound
)

// Order sorts memories that nobody asked for, the weightiest first: pinned ones
// before all others, those that belong to the project at hand at five times
// their weight. Equals keep their order. The input is left alone.
func (u Use) Order(ms []mem.Memory, now time.Time, belongs func(mem.Memory) bool) []mem.Memory {
	weights := make(map[string]float64, len(ms))
	for _, m := range ms {
		w := u.weight(m, now)
		if belongs != nil && belongs(m) {
			w *= matchBoost
		}
		weights[m.ID] = w
	}
	out := slices.Clone(ms)
	slices.SortStableFunc(out, func(a, b mem.Memory) int { return cmp.Compare(weights[b.ID], weights[a.ID]) })
	return out
}

func (u Use) weight(m mem.Memory, now time.Time) float64 {
	if m.Pinned {
		return math.Inf(1)
	}
	formula := Weight
	if u.Start == Logarithm {
		formula = Salience
	}
	return formula(float64(m.Uses), 0, now.Sub(lastUse(m)), u.HalfLife)
}

// Factor is what past use does to the relevance of a memory: 1 for one that was
// not used, and for a pinned one, which was told at the start. It is finite.
func (u Use) Factor(m mem.Memory, now time.Time) float64 {
	if u.Prompt == NoUse || m.Pinned {
		return 1
	}
	formula := Authority
	if u.Prompt == Documents {
		formula = Weight
	}
	return min(mostFactor, formula(float64(m.Uses), 0, now.Sub(lastUse(m)), u.HalfLife))
}

// The parts of a score that Standing writes, and what a file that is no longer
// the same costs: as much as the age of many months, too little to put what is
// unrelated before it.
const (
	PartUse     = "authority"
	PartStale   = "stale"
	weightStale = 0.15
)

// Standing is what is known of memories beside their relevance, once that is
// settled: it decides between those that are worth telling anyway.
type Standing struct {
	Now   time.Time
	Use   Use
	Stale func(mem.Memory) bool // its files are no longer the same; nil means none
}

// Order gives hits the scores that are due to them by their standing, in place
// of any factor of use they have, and sorts them. The input is left alone.
func (s Standing) Order(hits []mem.Hit) []mem.Hit {
	out := slices.Clone(hits)
	for i, h := range out {
		parts := maps.Clone(h.Parts)
		if parts == nil {
			parts = map[string]float64{}
		}
		score := finite(h.Score)
		if had := parts[PartUse]; had > 0 {
			score /= had
		}
		delete(parts, PartUse)
		if s.Use.Prompt != NoUse {
			parts[PartUse] = s.Use.Factor(h.Memory, s.Now)
			score *= parts[PartUse]
		}
		if s.Stale != nil && s.Stale(h.Memory) {
			parts[PartStale] = 1
			score -= weightStale
		}
		out[i].Score, out[i].Parts = score, parts
	}
	slices.SortStableFunc(out, func(a, b mem.Hit) int { return cmp.Compare(b.Score, a.Score) })
	return out
}
