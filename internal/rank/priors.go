package rank

import (
	"math"
	"path"
	"strings"
	"time"

	"remanence/internal/mem"
)

const day = 24 * time.Hour

// priors writes what is known of a memory besides its words into the parts of its score.
func priors(q Ask, m mem.Memory, parts map[string]float64) {
	parts[PartPath] = nearness(q.Files, m.Files)
	if !q.Now.IsZero() {
		parts[PartRecency] = Recency(q.Now.Sub(m.Created))
	}
	if q.Search {
		return
	}
	if !q.Now.IsZero() {
		parts["strength"] = Strength(m, q.Now)
		parts[PartUse] = Use{}.Factor(m, q.Now)
	}
	parts["scope"] = q.Profile.Weight(m.Scope)
	if q.Branch != "" && m.Branch == q.Branch {
		parts["branch"] = 1
	}
	if m.Trust == mem.TrustUser {
		parts["trust"] = 1
	}
}

const (
	freshDays  = 30   // an age that makes little difference
	oldestDays = 3650 // from which on nothing gets older
)

// Recency falls with the logarithm of the age: 1 now, 0.99 after a day, 0.86
// after a month, 0.46 after a year, 0 after ten.
func Recency(age time.Duration) float64 {
	days := min(oldestDays, max(0, float64(age)/float64(day)))
	return 1 - math.Log1p(days/freshDays)/math.Log1p(float64(oldestDays)/freshDays)
}

// nearness is 1 if a memory's file is at hand, one half if one of the same
// directory is.
func nearness(atHand, files []string) float64 {
	near := 0.0
	for _, f := range files {
		for _, h := range atHand {
			switch {
			case sameFile(h, f):
				return 1
			case path.Dir(f) != "." && sameFile(path.Dir(h), path.Dir(f)):
				near = 0.5
			}
		}
	}
	return near
}

// sameFile compares two paths of which either may be relative to the project.
func sameFile(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return b != "" && (a == b || strings.HasSuffix(a, "/"+b))
}

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

func clamp(f float64) float64 { return min(1, max(0, finite(f))) }

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}

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
