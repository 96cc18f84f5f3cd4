package stored

import (
	"cmp"
	"math"
	"slices"

	"remanence/internal/mem"
)

// MostScored is how many memories are scored. If more match, those of the rarest terms are.
const MostScored = 3000

// Parameters of BM25, as SQLite's FTS5 has them.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// BM25 is the weight of a term that occurs so many times in a memory. length is that of the memory, as a multiple of
// the mean length.
func BM25(times, length float64) float64 {
	return times * (bm25K1 + 1) / (times + bm25K1*(1-bm25B+bm25B*length))
}

// InverseFrequency is the weight of a term that some memories of an index contain, as in FTS5.
func InverseFrequency(size, count int) float64 {
	n := float64(count)
	return max(1e-6, math.Log((float64(size)-n+0.5)/(n+0.5)))
}

// Candidate is a memory that contains terms of a query.
type Candidate struct {
	Number, Created int64
	Score           float64
}

// Scoring has what a score depends on besides the memory.
type Scoring struct {
	Terms   []Term
	size    int
	weights [4]float64 // of A to D
	mean    float64    // length of a memory
}

// NewScoring returns the scoring of q in an index with some memories of a mean length. Terms that no memory
// contains have no part in it. The rarest comes first, and none twice.
func NewScoring(q mem.Query, terms []Term, size int, mean float64) Scoring {
	terms = slices.DeleteFunc(terms, func(t Term) bool { return t.Count == 0 })
	slices.SortStableFunc(terms, func(a, b Term) int {
		return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(a.Text(), b.Text()))
	})
	sc := Scoring{size: size, weights: weightsOf(q), mean: max(1, mean)}
	sc.Terms = slices.CompactFunc(terms, func(a, b Term) bool { return a.Text() == b.Text() })
	return sc
}

// Score scores a memory of a length by the places of the words. found is false if it has no term: of a phrase it may
// have the words alone. Places are counted first: a sum of fractions depends on their order, and that of a map is
// random.
func (sc Scoring) Score(p Places, length float64) (score float64, found bool) {
	for _, t := range sc.Terms {
		times := t.times(p)
		found = found || times != [4]int{}
		sum := 0.0
		for i, n := range times {
			sum += float64(n) * sc.weights[i]
		}
		score += InverseFrequency(sc.size, t.Count) * BM25(sum, length/sc.mean)
	}
	return score, found
}

// Best returns the page of q, best first; ties break by newest. find returns memories that contain one of some terms,
// at most [MostScored]. It is asked for all terms only if it finds too few with the rarest.
func (sc Scoring) Best(q mem.Query, find func([]Term) ([]Candidate, error)) (found []Candidate, err error) {
	if len(sc.Terms) == 0 {
		return nil, nil
	}
	rare, sum := 0, 0
	for rare < len(sc.Terms) && (rare == 0 || sum+sc.Terms[rare].Count <= MostScored) {
		sum += sc.Terms[rare].Count
		rare++
	}
	want := max(q.Offset, 0) + LimitOr(q.Limit)
	for _, n := range []int{rare, len(sc.Terms)} {
		if found, err = find(sc.Terms[:n]); err != nil {
			return nil, err
		}
		if len(found) >= want || n == len(sc.Terms) {
			break
		}
	}
	slices.SortFunc(found, func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Created, a.Created), cmp.Compare(b.Number, a.Number))
	})
	return Page(found, q.Limit, q.Offset), nil
}

// Hits returns the memories of candidates, in their order. read reads those with some numbers that exist.
func Hits(found []Candidate, read func(numbers []int64) ([]mem.Memory, error)) ([]mem.Hit, error) {
	numbers := make([]int64, len(found))
	scores := make(map[string]float64, len(found))
	for i, c := range found {
		numbers[i] = c.Number
		scores[MemoryID(c.Number)] = c.Score
	}
	ms, err := read(numbers)
	out := make([]mem.Hit, 0, len(ms))
	for _, m := range ms {
		out = append(out, mem.Hit{Memory: m, Score: scores[m.ID]})
	}
	return out, err
}
