package rank

import (
	"cmp"
	"math"
	"time"

	"remanence/internal/mem"
)

const day = 24 * time.Hour

// halfLife is how long an unused memory takes to lose half its strength.
func halfLife(m mem.Memory) time.Duration {
	own := ownHalfLife(m)
	switch {
	case own > 0:
		return own
	case m.Kind == mem.Scratch:
		return day
	case m.Kind == mem.Howto || m.Kind == mem.Preference || m.Scope == mem.ScopeUser:
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
	if idle < 0 || m.Pinned || m.Evergreen {
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

// ownHalfLife is the half-life that a memory brings, 0 for none.
func ownHalfLife(m mem.Memory) time.Duration {
	days := finite(m.HalfLife)
	if days <= 0 {
		return 0
	}
	return max(1, time.Duration(min(days, maxDays)*float64(day)))
}

// maxDays keeps a half-life within what a time.Duration holds.
const maxDays = 100_000

// The decay of all three is exp(-age/halfLife), an e-fold in spite of its
// customary name.

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
