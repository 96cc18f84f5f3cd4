package rank

import (
	"math"
	"time"

	"remanence/internal/mem"
)

// When memories are put away.
const (
	faded      = 0.05     // strength below which a memory is archived
	keptAnyway = 14 * day // by its age
	usesKeep   = 2        // uses from which on it is not archived
	staleAfter = 30 * day // without use
	usesFresh  = 3        // uses from which on it is not stale
)

// Stale reports whether a memory was not used for a month, and seldom before.
func Stale(m mem.Memory, now time.Time) bool {
	return m.Status == mem.Active && m.Uses < usesFresh && now.Sub(lastUse(m)) >= staleAfter
}

// Faded reports whether so little is left of a memory, at least two weeks old and
// used less than twice, that it is to be archived.
func Faded(m mem.Memory, now time.Time) bool {
	return m.Status == mem.Active && m.Uses < usesKeep && now.Sub(m.Created) > keptAnyway && Strength(m, now) < faded
}

// The bounds of Merit and, for an importance alone, the one above which a memory
// is its project's whatever its merit.
const (
	MeritProject = 0.6 // from which on what a session learned is its project's
	MeritUser    = 0.7 // from which on what a project learned may be its person's
	Weighty      = 0.7
)

// Merit is what a memory is worth beyond where it was learned, 0…1: 0.4 ·
// importance + 0.3 · confidence + what use adds, lg(uses + 1) / 2 up to 0.2, + up
// to 0.1 for its kind + 0.05 if it has a vector. Numbers that are none count as 0.
func Merit(m mem.Memory, embedded bool) float64 {
	merit := 0.4*clamp(m.Importance) + 0.3*clamp(m.Confidence) + min(math.Log10(1+counter(float64(m.Uses)))/2, 0.2) +
		meritOfKind(m.Kind)
	if embedded {
		merit += 0.05
	}
	return min(1, merit)
}

func meritOfKind(k mem.Kind) float64 {
	switch k {
	case mem.Convention, mem.Howto:
		return 0.1
	case mem.Decision, mem.ErrorFix, mem.Rationale:
		return 0.08
	case mem.Preference, mem.Fact:
		return 0.06
	}
	return 0
}
