package rank

import (
	"strings"

	"remanence/internal/mem"
)

// A memory is cited by its id, by the last part of its key, or by the beginning
// of one that is a hash, as short as people write hashes.
const (
	leastName = 4 // bytes of a name that can cite
	leastHash = 7
	mostHash  = 12
)

// citable are the names by which hits can cite one another, and the hit that each names.
func citable(hits []mem.Hit) map[string]int {
	out := make(map[string]int, 2*len(hits))
	for i, h := range hits {
		out[h.Memory.ID] = i
		name := h.Memory.Key[strings.LastIndexByte(h.Memory.Key, ':')+1:]
		if len(name) < leastName {
			continue
		}
		out[name] = i
		if isHash(name) {
			for n := leastHash; n <= mostHash; n++ {
				out[name[:n]] = i
			}
		}
	}
	return out
}

func isHash(name string) bool {
	if len(name) < 40 {
		return false
	}
	return strings.Trim(name, "0123456789abcdef") == ""
}

// votes are what hits gain by being cited: the scores of those that cite them,
// each hit once, as shares of the best, 1 at most.
func votes(docs []doc, scores []float64, best float64) []float64 {
	out := make([]float64, len(docs))
	if best <= 0 {
		return out
	}
	for i, d := range docs {
		for to := range d.cites {
			if to != i {
				out[to] = min(1, out[to]+finite(scores[i])/best)
			}
		}
	}
	return out
}
