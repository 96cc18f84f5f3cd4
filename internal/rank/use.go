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

// DefaultHalfLife is the decay of past use where none is given.
const DefaultHalfLife = 30 * day

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

// counters are what is known of the use of a memory.
type counters struct {
	hits, prevented float64 // used, mistakes prevented; negative or no numbers count as 0
	age             time.Duration
	halfLife        time.Duration // not positive means DefaultHalfLife
}

// countersOf are those of m. A half-life of its own comes before that of u.
func countersOf(m mem.Memory, now time.Time, u Use) counters {
	return counters{float64(m.Uses), float64(m.Prevented), now.Sub(lastUse(m)), cmp.Or(ownHalfLife(m), u.HalfLife)}
}

// authority is the factor that past usefulness puts on relevance: from 1 up to
// Cap and never quite that.
func (u Use) authority(c counters) float64 {
	raw := u.useful(c) * c.decay()
	return min(math.Nextafter(u.Cap, 1), 1+(u.Cap-1)*raw/(raw+u.Saturation))
}

// useful is what counters of use add up to: each further hit counts less.
func (u Use) useful(c counters) float64 {
	return math.Log1p(counter(c.hits)) + u.Prevented*counter(c.prevented)
}

// documents is the weight of a memory in a briefing: it grows with use without bound and is 1 for a fresh memory
// without any.
func (u Use) documents(c counters) float64 {
	return (counter(c.hits) + u.Prevented*counter(c.prevented) + 1) * c.decay()
}

// salience is documents with each further hit counting less.
func (u Use) salience(c counters) float64 { return (u.useful(c) + 1) * c.decay() }

// decay is exp(-age/halfLife), an e-fold in spite of its customary name.
func (c counters) decay() float64 {
	if c.halfLife <= 0 {
		c.halfLife = DefaultHalfLife
	}
	return math.Exp(-float64(max(0, c.age)) / float64(c.halfLife))
}

// maxCounter keeps sums of counters finite.
const maxCounter = 1e12

func counter(n float64) float64 {
	return min(maxCounter, max(0, finite(n)))
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
