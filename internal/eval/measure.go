package eval

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Cutoffs are the numbers of results at which recall is measured.
func Cutoffs() []int { return []int{1, 5, 10, 50} }

// Depth is how many results are asked for.
const Depth = 50

// ndcgAt is the number of results that nDCG looks at.
const ndcgAt = 10

// RecallAt is the share of the relevant that is among the first k found. Where
// nothing is relevant it is 0.
func RecallAt(found []string, relevant map[string]float64, k int) float64 {
	if len(relevant) == 0 {
		return 0
	}
	n := 0
	for _, id := range found[:min(k, len(found))] {
		if relevant[id] > 0 {
			n++
		}
	}
	return float64(n) / float64(len(relevant))
}

// AnyAt is 1 if anything relevant is among the first k found, else 0.
func AnyAt(found []string, relevant map[string]float64, k int) float64 {
	for _, id := range found[:min(k, len(found))] {
		if relevant[id] > 0 {
			return 1
		}
	}
	return 0
}

// ReciprocalRank is one divided by the place of the first relevant that was
// found, 0 where none was.
func ReciprocalRank(found []string, relevant map[string]float64) float64 {
	for i, id := range found {
		if relevant[id] > 0 {
			return 1 / float64(i+1)
		}
	}
	return 0
}

// NDCGAt is the normalised discounted cumulative gain of the first k found:
// each gain divided by the binary logarithm of its place plus one, the sum
// divided by that of the best order (Järvelin and Kekäläinen 2002).
func NDCGAt(found []string, relevant map[string]float64, k int) float64 {
	got := 0.0
	for i, id := range found[:min(k, len(found))] {
		got += max(0, relevant[id]) / math.Log2(float64(i+2))
	}
	gains := make([]float64, 0, len(relevant))
	for _, g := range relevant {
		gains = append(gains, max(0, g))
	}
	slices.SortStableFunc(gains, func(a, b float64) int { return cmp.Compare(b, a) })
	best := 0.0
	for i, g := range gains[:min(k, len(gains))] {
		best += g / math.Log2(float64(i+2))
	}
	if best == 0 {
		return 0
	}
	return got / best
}

// percentile is the value that a share p of the sorted list does not exceed, by
// nearest rank, in milliseconds; 0 for an empty list.
func percentile(sorted []time.Duration, p float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(p*float64(len(sorted)))) - 1
	return float64(sorted[max(0, i)].Microseconds()) / 1000
}
