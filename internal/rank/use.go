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
	Start    Form          // orders a briefing
	Prompt   Form          // is the factor on the relevance of what was asked for
	HalfLife time.Duration // of both, for memories without one of their own; 0 means DefaultHalfLife

	Prevented  float64 // what a mistake prevented counts, in hits; 0 means DefaultPrevented
	Cap        float64 // that the authority never reaches, above 1; 0 means DefaultCap
	Saturation float64 // use at which the authority is half way to Cap; 0 means DefaultSaturation
	Boost      float64 // on the weight of what belongs to the project at hand; 0 means DefaultBoost
}

// What counts where Use says nothing, or what cannot be meant.
const (
	DefaultPrevented  = 3.0
	DefaultCap        = 1.8
	DefaultSaturation = 12.0
	DefaultBoost      = 5.0
)

const (
	mostFactor = 1e6 // of the documents' form on relevance, which knows no bound
	mostGiven  = 1e6 // of a number of Use
)

// given is a number of Use, or what it means where it is none.
func given(n, other float64) float64 {
	if n = finite(n); n <= 0 {
		return other
	}
	return min(n, mostGiven)
}

// full is u with every number in its place.
func (u Use) full() Use {
	u.Prevented, u.Saturation = given(u.Prevented, DefaultPrevented), given(u.Saturation, DefaultSaturation)
	u.Boost = given(u.Boost, DefaultBoost)
	if u.Cap = given(u.Cap, DefaultCap); u.Cap <= 1 {
		u.Cap = DefaultCap
	}
	return u
}

// Order sorts memories of a briefing, the weightiest first: pinned ones
// and evergreen ones before all others, those that belong to the project at hand
// at Boost times their weight. Equals keep their order. The input is left alone.
func (u Use) Order(ms []mem.Memory, now time.Time, belongs func(mem.Memory) bool) []mem.Memory {
	u = u.full()
	type weighed struct {
		at     int
		weight float64
	}
	order := make([]weighed, len(ms)) // sorted in place of the memories, which are large
	for i, m := range ms {
		order[i] = weighed{i, u.weight(m, now)}
		if belongs != nil && belongs(m) {
			order[i].weight *= u.Boost
		}
	}
	slices.SortStableFunc(order, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	out := make([]mem.Memory, len(ms))
	for i, o := range order {
		out[i] = ms[o.at]
	}
	return out
}

func (u Use) weight(m mem.Memory, now time.Time) float64 {
	if m.Pinned || m.Evergreen {
		return math.Inf(1)
	}
	c := countersOf(m, now, u)
	if u.Start == Logarithm {
		return u.salience(c)
	}
	return u.documents(c)
}

// Factor is what past use does to the relevance of a memory: 1 for one that was
// not used, and for a pinned or evergreen one, which was injected at the start. It
// is finite.
func (u Use) Factor(m mem.Memory, now time.Time) float64 {
	if u.Prompt == NoUse || m.Pinned || m.Evergreen {
		return 1
	}
	u = u.full()
	c := countersOf(m, now, u)
	if u.Prompt == Documents {
		return min(mostFactor, u.documents(c))
	}
	return u.authority(c)
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
// settled: it decides between those that are worth injecting anyway.
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
