package rank

import (
	"math"

	"remanence/internal/mem"
)

const (
	// weightCos is what a memory gains for each standard deviation that its vector
	// is nearer to the question's than those of the other candidates.
	weightCos = 1.0
	// mostMeaning bounds those, so that words still count.
	mostMeaning = 3.0

	// PartMeaning is that distance in standard deviations, -3…3; 0 also where
	// nothing is known of it.
	PartMeaning = "meaning"
)

// crowd is how the cosines of the candidates lie.
type crowd struct {
	mean, spread float64 // spread is 0 if they distinguish nothing
}

func crowdOf(hits []mem.Hit) crowd {
	var n, sum, squares float64
	for _, h := range hits {
		if cos, ok := h.Parts[mem.PartCos]; ok {
			n, sum, squares = n+1, sum+finite(cos), squares+finite(cos)*finite(cos)
		}
	}
	if n < 2 {
		return crowd{}
	}
	mean := sum / n
	spread := math.Sqrt(max(0, squares/n-mean*mean))
	if spread < 1e-6 {
		return crowd{}
	}
	return crowd{mean, spread}
}

// place writes what is known of a hit's vector into the parts of its score.
func (c crowd) place(h mem.Hit, parts map[string]float64) {
	cos, ok := h.Parts[mem.PartCos]
	if !ok {
		return
	}
	parts[mem.PartCos] = finite(cos)
	if c.spread > 0 {
		parts[PartMeaning] = min(mostMeaning, max(-mostMeaning, (finite(cos)-c.mean)/c.spread))
	}
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
