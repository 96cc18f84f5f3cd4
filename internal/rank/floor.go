package rank

import (
	"maps"
	"math"
	"slices"

	"remanence/internal/mem"
)

// Relevance decides whether something is injected unasked. It is a linear score, fitted to the
// questions of development sets, in stores of 60 to 22,000 memories, and to prompts that have
// nothing to do with them, and rounded; what it reaches is in docs/internals/recall.md. All of
// its parts are measured against the store's own frequencies and bounded, so that a long prompt
// is not more relevant for its length.
const (
	// LeastRelevance is the relevance from which on a memory is injected, unless that is
	// calibrated for its store.
	LeastRelevance = 0.50

	relevanceAttained = 1.2
	relevanceKnown    = 0.3
	relevanceClose    = 0.2
	relevanceWords    = 0.08 // of the logarithm of the number of distinctive words that are shared
	mostWords         = 4    // of them that count
	relevanceBack     = 0.1  // added if the question refers to the past
	relevanceTogether = 0.3
)

// PartRelevance is the relevance of a hit, from 0 to about 1, and more of one that nearly repeats the query; it is no
// part of its score.
const PartRelevance = "relevance"

// PartShare is what a hit that is injected beside a relevant one matches of the query, as a
// share of what that one matches; it is no part of the score.
const PartShare = "share_of_best"

// besideShare is the least such share. The threshold decides whether a prompt is about the
// memories at all, which the ranking cannot; which of them answer it, the ranking knows better.
const besideShare = 0.7

const (
	// chanceRank is the rank among the hits from which on they are found by chance, if it is more than the square root
	// of the number of memories: what a prompt asks for is in few of them, and the words that a project always uses are
	// in all the others.
	chanceRank = 12
	// aboveChance is how far the relevance of a memory is above that of what is found by chance.
	aboveChance = 0.12
)

// LeastAbove returns the relevance that hits found in a number of memories need to stand out from what the same query
// finds by chance, or 0 if it found few. On samples of 60 to 22,000 memories of four development sets a question gets
// its answer as often as without it, within 1.5 %; see docs/internals/recall.md.
func LeastAbove(q Ask, hits []mem.Hit, among int) float64 {
	at := max(chanceRank, int(math.Sqrt(float64(among)))) - 1
	if at >= len(hits) {
		return 0
	}
	found := make([]float64, 0, len(hits))
	for _, h := range hits {
		found = append(found, relevance(h.Parts, q.Back))
	}
	slices.Sort(found)
	return found[len(found)-1-at] + aboveChance
}

// Floor separates the hits of Order into those that are relevant enough to be injected and
// those that are not, both in their order, and writes each hit's relevance into its parts. A
// hit is relevant enough if its relevance is at least least, or if it matches the query nearly
// as well as the best of these that is eligible; nil means that all are.
func Floor(q Ask, hits []mem.Hit, least float64, eligible func(mem.Memory) bool) (
	kept []mem.Hit, cuts []mem.LeftOutItem,
) {
	hits = slices.Clone(hits)
	of := together(hits)
	passing, best := make([]bool, len(hits)), 0.0
	for i, h := range hits {
		p := maps.Clone(h.Parts)
		if p == nil {
			p = map[string]float64{}
		}
		if share := of[h.Memory.Session]; share > 0 {
			p[PartTogether] = share
		}
		p[PartRelevance] = relevance(p, q.Back)
		hits[i].Parts = p
		if passing[i] = p[PartRelevance] >= least || isNear(q, p); passing[i] && (eligible == nil || eligible(h.Memory)) {
			best = max(best, Match(p, q.Without))
		}
	}
	for i, h := range hits {
		switch beside := Beside(Match(h.Parts, q.Without), best); {
		case passing[i]:
			kept = append(kept, h)
		case beside > 0:
			h.Parts[PartShare] = beside
			kept = append(kept, h)
		default:
			cuts = append(cuts, cut(h, BelowFloor))
		}
	}
	return kept, cuts
}

// Match is how well a hit with such parts matches the query: the weighted sum of the parts that
// are not known of the memory itself, apart from those in without.
func Match(parts map[string]float64, without map[string]bool) float64 {
	s := 0.0
	for _, t := range Summands(parts) {
		if !t.Own && !without[t.Part] {
			s += t.Weight * parts[t.Part]
		}
	}
	return s
}

// Beside returns the share of best that a match is, or 0 if that is not enough to be injected
// beside a relevant hit whose match best is. best of 0 means that there is none.
func Beside(match, best float64) float64 {
	if best > 0 && match >= besideShare*best {
		return match / best
	}
	return 0
}

// BelowFloor is the gate of what Floor cuts.
const BelowFloor = "below_floor"

// Passes reports whether a hit with such parts is injected at a floor. near is the
// least nearness in meaning that is enough by itself.
func Passes(parts map[string]float64, floor, near float64) bool {
	return parts[PartRelevance] >= floor || isNear(Ask{Near: near}, parts)
}

// relevance is the relevance of a hit with such parts. It is 0 if the question says nothing of its own, and of an
// utterance that shares no word with it, since only those around it do.
func relevance(p map[string]float64, back bool) float64 {
	if p[PartKnown] <= 0 || p[PartCoverage] <= 0 {
		return 0
	}
	r := relevanceAttained*p[PartAttained] + relevanceKnown*p[PartKnown] + relevanceClose*p[PartProximity] +
		relevanceWords*math.Log1p(max(0, min(mostWords, p[PartWords])))
	if back {
		r += relevanceBack
	}
	return r + OfTogether(p)
}

// PartTogether is how much larger the share of the first hits that are of the session of a hit is than that of the
// other hits, 0…1: what a prompt asks for was worked on at one time, what it finds by chance at any. It is no part of
// the score.
const PartTogether = "together"

const (
	togetherFirst    = 6 // hits that are compared with the others
	togetherSessions = 4 // the least number of sessions that the hits are of
)

// OfTogether is what PartTogether adds to the relevance of a hit with such parts.
func OfTogether(p map[string]float64) float64 { return relevanceTogether * p[PartTogether] }

// together returns PartTogether for each session of the first hits. Conversations have none: each is about one thing,
// so that a single word finds many utterances of one.
func together(hits []mem.Hit) map[string]float64 {
	first, rest := map[string]int{}, map[string]int{}
	for i, h := range hits {
		of := rest
		if i < togetherFirst {
			of = first
		}
		if of[h.Memory.Session]++; h.Memory.Kind == mem.Utterance {
			return nil
		}
	}
	sessions := maps.Clone(rest)
	maps.Copy(sessions, first)
	if len(sessions) < togetherSessions || len(rest) == 0 {
		return nil
	}
	out := map[string]float64{}
	for session, n := range first {
		if chance := float64(rest[session]+1) / float64(len(hits)-togetherFirst+3); session != "" {
			out[session] = max(0, float64(n)/togetherFirst-chance)
		}
	}
	return out
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

func cut(h mem.Hit, gate string) mem.LeftOutItem {
	return mem.LeftOutItem{ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts, Gate: gate}
}
