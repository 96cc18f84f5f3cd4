package rank

import (
	"cmp"
	"math"
	"slices"

	"remanence/internal/mem"
)

const (
	// Lambda is how much relevance counts against novelty when Diversify picks.
	Lambda = 0.8

	// same is the overlap from which two memories say the same.
	same = 0.90
)

// Diversify picks up to n hits, most relevant first, each time the one that is
// the best mix of relevance and of words not in those before it (maximal
// marginal relevance). A hit that repeats one already picked is cut as a duplicate;
// of two such, in different scopes, the wider scope wins unless the other
// scores twice as much. A hit that repeats one of known is cut likewise. n of 0 or less means all. The lexicon
// remembers how words are read; nil means none.
func Diversify(hits []mem.Hit, n int, l *Lexicon, known ...mem.Memory) (kept []mem.Hit, cuts []mem.LeftOutItem) {
	var before []map[string]bool
	for _, m := range known {
		before = append(before, wordSet(m, l))
	}
	rest := make([]candidate, 0, len(hits))
	for _, h := range hits {
		c := candidate{hit: h, words: wordSet(h.Memory, l)}
		if slices.ContainsFunc(before, func(words map[string]bool) bool { return saySame(words, c.words) }) {
			cuts = append(cuts, cut(h, "duplicate"))
			continue
		}
		rest = append(rest, c)
	}
	rest, doubles := dropDoubles(rest)
	cuts = append(cuts, doubles...)
	best := bestScore(hits)
	for len(rest) > 0 && (n <= 0 || len(kept) < n) {
		at := nextPick(rest, best)
		pick := rest[at]
		kept = append(kept, pick.hit)
		rest = slices.Delete(rest, at, at+1)
		for i := range rest {
			rest[i].covered = max(rest[i].covered, overlap(rest[i].words, pick.words))
		}
	}
	for _, c := range rest {
		cuts = append(cuts, cut(c.hit, "limit"))
	}
	return kept, cuts
}

// bestScore is the highest finite score of hits, 0 if none is above.
func bestScore(hits []mem.Hit) float64 {
	best := 0.0
	for _, h := range hits {
		if h.Score > best && !math.IsInf(h.Score, 0) {
			best = h.Score
		}
	}
	return best
}

type candidate struct {
	hit     mem.Hit
	words   map[string]bool
	covered float64 // greatest overlap with what was picked
}

// dropDoubles leaves one of each set of memories that say the same, at the
// place of its first.
func dropDoubles(list []candidate) (out []candidate, cuts []mem.LeftOutItem) {
	for _, c := range list {
		at := slices.IndexFunc(out, func(o candidate) bool { return saySame(o.words, c.words) })
		switch {
		case at < 0:
			out = append(out, c)
		case beats(c.hit, out[at].hit):
			cuts = append(cuts, cut(out[at].hit, "duplicate"))
			out[at] = c
		default:
			cuts = append(cuts, cut(c.hit, "duplicate"))
		}
	}
	return out, cuts
}

// saySame reports whether two sets overlap by more than same, which sets of
// different sizes cannot.
func saySame(a, b map[string]bool) bool {
	few, many := min(len(a), len(b)), max(len(a), len(b))
	return float64(few) > same*float64(many) && overlap(a, b) > same
}

// beats reports whether a wins over b, which scores at least as much.
func beats(a, b mem.Hit) bool {
	return Reach(a.Memory.Scope) > Reach(b.Memory.Scope) && b.Score < 2*a.Score
}

// Reach orders scopes: of two, the greater reaches further.
func Reach(s mem.Scope) int {
	switch s {
	case mem.ScopeUser:
		return 2
	case mem.ScopeProject:
		return 1
	}
	return 0
}

func nextPick(list []candidate, best float64) int {
	at, top := 0, -2.0
	for i, c := range list {
		if v := Lambda*share(c.hit.Score, best, i) - (1-Lambda)*c.covered; v > top {
			at, top = i, v
		}
	}
	return at
}

// share is score as a share of the best one. Where a store gives no positive
// scores the place among the hits stands in.
func share(score, best float64, place int) float64 {
	if best <= 0 {
		return 1 / float64(1+place)
	}
	return max(0, finite(score)/best)
}

// Alike is how much of what two memories say is said in the same words: the
// Jaccard index of their words, 0…1.
func Alike(a, b mem.Memory) float64 { return AlikeTo(a)(b) }

// AlikeTo is Alike for one memory and many others: its words are read once.
func AlikeTo(a mem.Memory) func(b mem.Memory) float64 {
	words := wordSet(a, nil)
	return func(b mem.Memory) float64 { return overlap(words, wordSet(b, nil)) }
}

// Words are the words of a memory, read once to compare it with many others.
type Words map[string]bool

// WordsOf reads the words of a memory.
func WordsOf(m mem.Memory) Words { return wordSet(m, nil) }

// Alike is what the function Alike returns of the two memories.
func (w Words) Alike(o Words) float64 { return overlap(w, o) }

// overlap is the Jaccard index of two sets, 0…1; of two empty ones it is 0.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if both == 0 {
		return 0
	}
	return float64(both) / float64(len(a)+len(b)-both)
}

// Distil puts what was learned in a turn before the summary of that turn, where
// both are among the hits: the summary is found by the words of what was asked,
// and what was learned is the answer. It comes in the order of its scores, since
// how unlike the summary it is counts for nothing then. Else the order stays. The
// input is left alone.
func Distil(hits []mem.Hit) []mem.Hit {
	out := make([]mem.Hit, 0, len(hits))
	rest := slices.Clone(hits)
	for len(rest) > 0 {
		first := rest[0]
		rest = rest[1:]
		if first.Memory.Kind == mem.Summary && first.Memory.Source.PromptID != "" {
			from := len(out)
			rest = slices.DeleteFunc(rest, func(h mem.Hit) bool {
				same := sameTurn(h.Memory, first.Memory) && h.Memory.Kind != mem.Summary
				if same {
					out = append(out, h)
				}
				return same
			})
			slices.SortStableFunc(out[from:], func(a, b mem.Hit) int { return cmp.Compare(b.Score, a.Score) })
		}
		out = append(out, first)
	}
	return out
}

func sameTurn(a, b mem.Memory) bool {
	return a.Session == b.Session && a.Source.PromptID == b.Source.PromptID
}
