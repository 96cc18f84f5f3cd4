package rank

import (
	"math"

	"remanence/internal/mem"
)

// The floor under which nothing is told. Coverage is measured against the
// store's own frequencies, so that a prompt whose words the store does not
// know, or knows from everywhere, covers little of itself.
//
// Measured with the prompts of package eval: of 156 that have nothing to do with
// the store, 3 were told something in restic's history, 2 in Go's library and 1
// in chats; of the questions whose answer was among the first four, 91, 68 and
// 44 % got it.
const (
	floorPair   = 0.55 // with two telling words met …
	floorClose  = 0.30 // … or less, if they stand together …
	together    = 0.15 // … this much: two of a question's eight words side by side come to as much
	floorName   = 0.40 // with a compound or identifier met
	floorSingle = 0.70 // with one telling word only: it has to be what the question is about …
	rareSingle  = 0.75 // … and of few memories: about 6 of 300
	floorBack   = 0.20 // when the question refers to the past and one telling word is met

	// longQuestion is the number of telling words from which on a question
	// says more than any memory can answer; the floors sink with the root of
	// the excess, never below leastFloor, and a third word has to be met.
	longQuestion = 12
	leastFloor   = 0.12
)

// Floor parts the hits of Order into those worth telling, in their order, and
// those that are not. floor is the coverage that a hit with two telling words needed.
func Floor(q Ask, hits []mem.Hit) (kept []mem.Hit, cuts []mem.LeftOutItem, floor float64) {
	sink := sinking(q)
	for _, h := range hits {
		if worthTelling(h.Parts, sink, leastWords(sink), q.Back) || isNear(q, h.Parts) {
			kept = append(kept, h)
		} else {
			cuts = append(cuts, cut(h, BelowFloor))
		}
	}
	return kept, cuts, max(leastFloor, floorPair*sink)
}

// BelowFloor is the gate of what Floor cuts.
const BelowFloor = "below_floor"

// Passes reports whether a hit of such parts would be worth telling at a floor,
// where Floor returned the one that was: the floors for several words are as much
// higher or lower, never below leastFloor. near is the least nearness in meaning
// that is worth telling by itself, and back says whether the question refers to
// the past.
func Passes(parts map[string]float64, was, floor, near float64, back bool) bool {
	return worthTelling(parts, floor/floorPair, leastWords(was/floorPair), back) || isNear(Ask{Near: near}, parts)
}

// leastWords is how many telling words have to be met.
func leastWords(sink float64) float64 {
	if sink < 1 {
		return 3
	}
	return 2
}

// sinking is the factor, at most 1, by which the floors sink for a long question.
func sinking(ask Ask) float64 {
	telling := distinctive(ask)
	if telling <= longQuestion {
		return 1
	}
	return math.Sqrt(longQuestion / telling)
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

func worthTelling(p map[string]float64, sink, least float64, back bool) bool {
	coverage, telling := p[PartCoverage], p[PartTelling]
	switch {
	case telling >= least && coverage >= max(leastFloor, floorPair*sink):
		return true
	case telling >= least && coverage >= max(leastFloor, floorClose*sink) && p[PartProximity] >= together*sink:
		return true
	case p[PartName] > 0 && telling >= 1 && coverage >= max(leastFloor, floorName*sink):
		return true
	case telling >= 1 && coverage >= floorSingle && p[PartRarity] >= rareSingle:
		return true
	}
	return back && telling >= 1 && coverage >= floorBack
}

func cut(h mem.Hit, gate string) mem.LeftOutItem {
	return mem.LeftOutItem{ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts, Gate: gate}
}
