package rank

import (
	"math"
	"time"

	"remanence/internal/mem"
)

const day = 24 * time.Hour

// halfLife is how long an unused memory takes to lose half its strength.
func halfLife(m mem.Memory) time.Duration {
	switch {
	case m.Kind == mem.Scratch:
		return day
	case m.Kind == mem.Howto || m.Scope == mem.ScopeUser:
		return 30 * day
	case m.Scope == mem.ScopeSession:
		return day
	}
	return 7 * day
}

// Strength is how much a memory counts now, 0…1: importance × confidence,
// halved for each half-life without use. Each use makes the half-life 15 % longer.
func Strength(m mem.Memory, now time.Time) float64 {
	idle := now.Sub(lastUse(m))
	if idle < 0 || m.Pinned {
		idle = 0
	}
	life := float64(halfLife(m)) * (1 + 0.15*float64(max(0, m.Uses)))
	return clamp(m.Importance) * clamp(m.Confidence) * math.Exp2(-float64(idle)/life)
}

// lastUse is when m was last used, else when it was made.
func lastUse(m mem.Memory) time.Time {
	if m.LastUsed.IsZero() {
		return m.Created
	}
	return m.LastUsed
}

// DefaultHalfLife is the decay of the two SCRI weights where none is given.
const DefaultHalfLife = 30 * day

// Authority is the factor that past usefulness puts on relevance, 1 … 1.8 and
// never quite that: it saturates at about twelve good turns. hits counts uses, prevented counts
// mistakes avoided, age runs from the last use. Counters that are negative or
// no numbers count as 0; a halfLife that is not positive is DefaultHalfLife.
// The decay is exp(-age/halfLife), an e-fold in spite of its customary name.
func Authority(hits, prevented float64, age, halfLife time.Duration) float64 {
	raw := useful(hits, prevented) * decay(age, halfLife)
	return 1 + 0.8*raw/(raw+12)
}

// useful is what counters of use add up to: each further hit counts less.
func useful(hits, prevented float64) float64 {
	return math.Log1p(counter(hits)) + 3*counter(prevented)
}

// Weight is the order of memories that nobody asked for: it grows with use
// without bound and is 1 for a fresh memory without any. Its arguments are
// those of Authority.
func Weight(hits, prevented float64, age, halfLife time.Duration) float64 {
	return (counter(hits) + 3*counter(prevented) + 1) * decay(age, halfLife)
}

// Salience is Weight with each further hit counting less. Its arguments are
// those of Authority.
func Salience(hits, prevented float64, age, halfLife time.Duration) float64 {
	return (useful(hits, prevented) + 1) * decay(age, halfLife)
}

func decay(age, halfLife time.Duration) float64 {
	if halfLife <= 0 {
		halfLife = DefaultHalfLife
	}
	return math.Exp(-float64(max(0, age)) / float64(halfLife))
}

// maxCounter keeps sums of counters finite.
const maxCounter = 1e12

func counter(n float64) float64 {
	return min(maxCounter, max(0, finite(n)))
}

func clamp(f float64) float64 { return min(1, max(0, finite(f))) }

// Profile is what sort of question it is: it decides how much the scopes count.
type Profile string

// The profiles. The zero value is the balance for any question.
const (
	Balanced     Profile = ""
	Codebase     Profile = "codebase"
	Preferences  Profile = "preferences"
	Debugging    Profile = "debugging"
	NewProject   Profile = "new_project"
	Architecture Profile = "architecture"
)

// Weight is what a scope counts under the profile, 0…1; the three add up to 1.
func (p Profile) Weight(s mem.Scope) float64 {
	session, project, user := p.weights()
	switch s {
	case mem.ScopeSession:
		return session
	case mem.ScopeUser:
		return user
	}
	return project
}

func (p Profile) weights() (session, project, user float64) {
	switch p {
	case Codebase:
		return 0.20, 0.60, 0.20
	case Preferences:
		return 0.10, 0.20, 0.70
	case Debugging:
		return 0.40, 0.40, 0.20
	case NewProject:
		return 0.30, 0.10, 0.60
	case Architecture:
		return 0.15, 0.65, 0.20
	}
	return 0.50, 0.35, 0.15
}
