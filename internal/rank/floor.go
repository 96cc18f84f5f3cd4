package rank

import (
	"maps"
	"math"

	"remanence/internal/mem"
)

// Relevance decides what is injected unasked. It is a linear score, fitted to the
// questions of the development sets and to prompts that have nothing to do with
// them, and rounded; what it reaches is in docs/internals/recall.md. Coverage and
// proximity are measured against the store's own frequencies, so that a prompt
// whose words the store does not know, or knows from everywhere, gets little.
const (
	// LeastRelevance is the relevance from which on a memory is injected, unless that is
	// calibrated for its store.
	LeastRelevance = 0.55

	relevanceScale = 3.64
	relevanceClose = 4.5  // weight of proximity beside coverage, which has 1
	mostWords      = 4    // distinctive words that count
	relevanceBack  = 0.29 // added if the question refers to the past

	// Some matches are relevant by themselves: one word of few memories (about 6
	// of 300) that is what the question is about, and a compound or identifier.
	singleCoverage = 0.70
	singleRarity   = 0.75
	nameCoverage   = 0.40

	// longQuestion is the number of distinctive words from which on a question
	// says more than any memory can answer.
	longQuestion = 12
)

// PartRelevance is the relevance of a hit, 0…1; it is no part of its score.
const PartRelevance = "relevance"

// Floor separates the hits of Order into those whose relevance is at least least, in their
// order, and those that are not relevant enough to be injected, and writes each hit's
// relevance into its parts.
func Floor(q Ask, hits []mem.Hit, least float64) (kept []mem.Hit, cuts []mem.LeftOutItem) {
	share := answerable(q)
	for _, h := range hits {
		h.Parts = maps.Clone(h.Parts)
		if h.Parts == nil {
			h.Parts = map[string]float64{}
		}
		h.Parts[PartRelevance] = relevance(h.Parts, share, q.Back, least)
		if h.Parts[PartRelevance] >= least || isNear(q, h.Parts) {
			kept = append(kept, h)
		} else {
			cuts = append(cuts, cut(h, BelowFloor))
		}
	}
	return kept, cuts
}

// BelowFloor is the gate of what Floor cuts.
const BelowFloor = "below_floor"

// Passes reports whether a hit with such parts is injected at a floor. near is the
// least nearness in meaning that is enough by itself, and back says whether the
// question refers to the past, for hits whose relevance was not stored.
func Passes(parts map[string]float64, floor, near float64, back bool) bool {
	r, stored := parts[PartRelevance]
	if !stored {
		r = relevance(parts, 1, back, LeastRelevance)
	}
	return r >= floor || isNear(Ask{Near: near}, parts)
}

// relevance is the relevance of a hit with such parts. share is that of a question
// that one memory can answer. A match that is relevant by itself has at least least.
func relevance(p map[string]float64, share float64, back bool, least float64) float64 {
	coverage, words := p[PartCoverage], p[PartWords]
	if words < 1 {
		return 0
	}
	r := ((coverage+relevanceClose*p[PartProximity])/share + math.Log1p(min(mostWords, words))) / relevanceScale
	if back {
		r += relevanceBack
	}
	if p[PartName] > 0 && coverage >= nameCoverage*share || coverage >= singleCoverage && p[PartRarity] >= singleRarity {
		r = max(r, least)
	}
	return min(1, r)
}

// answerable is the share of a question that one memory can answer: 1, or less for a
// long question.
func answerable(ask Ask) float64 {
	words := distinctive(ask)
	if words <= longQuestion {
		return 1
	}
	return math.Sqrt(longQuestion / words)
}

const (
	// DefaultNear is how near, 0…1, a memory must be that shares no word with the
	// question; see Nearness.
	DefaultNear = 0.5
	// standsOut is how far it must be ahead of the other candidates: to a question
	// about nothing that is known, all are about as near.
	standsOut = 1.5
)

// Nearness is the likeness of two vectors of length 1 by their distance,
// 1/(1 + distance): 1 where they are the same, 0.41 where they have nothing in
// common, 0.33 where they are opposites.
func Nearness(cos float64) float64 {
	return 1 / (1 + math.Sqrt(max(0, 2-2*finite(cos))))
}

// isNear reports whether a hit is worth injecting for its meaning alone.
func isNear(q Ask, p map[string]float64) bool {
	cos, ok := p[mem.PartCos]
	least := q.Near
	if least <= 0 {
		least = DefaultNear
	}
	return ok && p[PartMeaning] >= standsOut && Nearness(cos) >= least
}

// distinctive counts the words of a question that say something about a topic; a
// pair of letters is half a one.
func distinctive(ask Ask) float64 {
	n, seen := 0.0, map[string]bool{}
	var list []Token
	for _, term := range ask.Terms {
		list = Analyze(list[:0], term)
		for _, t := range list {
			if seen[t.Key] || t.Kind == Whole || t.Identifier || IsEveryday(t.Key) {
				continue
			}
			seen[t.Key] = true
			if n++; t.Pair {
				n -= 0.5
			}
		}
	}
	return n
}

func cut(h mem.Hit, gate string) mem.LeftOutItem {
	return mem.LeftOutItem{ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts, Gate: gate}
}
