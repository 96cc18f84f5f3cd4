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

// citable are the names by which hits can cite one another, and the hits that
// they name: of a hash its beginning, too.
type citable map[string]cited

type cited struct {
	place int
	name  string
}

func citableIn(hits []mem.Hit) citable {
	out := make(citable, 3*len(hits))
	for i, h := range hits {
		for _, name := range [...]string{h.Memory.ID, h.Memory.Key[strings.LastIndexByte(h.Memory.Key, ':')+1:]} {
			if len(name) < leastName {
				continue
			}
			out[name] = cited{i, name}
			if isHash(name) {
				out[name[:leastHash]] = cited{i, name}
			}
		}
	}
	return out
}

// place is the place of the hit that name names, or none.
func (c citable) place(name string) int {
	to, ok := c[name]
	if !ok && leastHash < len(name) && len(name) <= mostHash {
		to, ok = c[name[:leastHash]]
	}
	if !ok || !strings.HasPrefix(to.name, name) {
		return none
	}
	return to.place
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
