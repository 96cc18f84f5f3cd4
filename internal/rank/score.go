package rank

import (
	"math"
	"slices"
)

// BM25F: a word's occurrences are added up over the fields, each by its weight
// and the length of the field, and saturate together. The weights are round
// values that did best on a project's history of 38,000 notes; one b for all
// fields lost 1.7 points of nDCG there, leaving out the files 4.0.
const (
	k1       = 1.2
	rareness = 1.1 // power of the idf
)

var (
	fieldWeight = [fields]float64{inTitle: 1.5, inBody: 1, inFiles: 1, inParts: 1}
	fieldLength = [fields]float64{inTitle: 0.75, inBody: 0.7, inFiles: 0.3, inParts: 0.7} // b
)

// wholeWeight is the weight of a compound met whole; its parts count by themselves.
const wholeWeight = 0.25

// averages are the mean lengths of the fields among documents that have them.
func averages(docs []doc) (avg [fields]float64) {
	for f := range fields {
		n := 0.0
		for _, d := range docs {
			if d.lengths[f] > 0 {
				avg[f] += d.lengths[f]
				n++
			}
		}
		avg[f] /= max(1, n)
	}
	return avg
}

// bm25f scores a document.
func (q *query) bm25f(d doc, avg [fields]float64) float64 {
	total := 0.0
	for id, w := range q.words {
		tf := 0.0
		for f, n := range d.times[id] {
			if n > 0 {
				b := fieldLength[f]
				tf += fieldWeight[f] * n / (1 - b + b*d.lengths[f]/max(1, avg[f]))
			}
		}
		total += w.asked * math.Pow(w.idf, rareness) * saturate(tf)
	}
	for i, p := range q.phrases {
		total += p.asked * math.Pow(p.idf, rareness) * saturate(wholeWeight*d.phrases[i])
	}
	return total
}

func saturate(tf float64) float64 { return (k1 + 1) * tf / (k1 + tf) }

// window is how far apart, in words that count, two words still belong together.
const window = 8

// proximity is the sum over pairs of the query's words of the lesser idf
// divided by their distance, where they stand at most window apart.
func (q *query) proximity(d doc) float64 {
	near := map[[2]int]int{}
	for i, a := range d.hits {
		for _, b := range d.hits[i+1:] {
			dist := max(1, b.pos-a.pos)
			if dist > window {
				break
			}
			if a.id == b.id {
				continue
			}
			pair := [2]int{min(a.id, b.id), max(a.id, b.id)}
			if old, ok := near[pair]; !ok || dist < old {
				near[pair] = dist
			}
		}
	}
	// Summed in one order, or the last digits would differ from run to run.
	list := make([][2]int, 0, len(near))
	for p := range near {
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	total := 0.0
	for _, p := range list {
		total += min(q.words[p[0]].counts, q.words[p[1]].counts) / float64(near[p])
	}
	return total
}

// parts measures one document against the query.
func (q *query) parts(d doc) map[string]float64 {
	covered, telling, rarest, named := 0.0, 0.0, 0.0, 0
	for i, w := range q.words {
		if !d.has(i) {
			continue
		}
		covered += w.weight()
		if w.name {
			named++
		}
		if tells := w.telling(); tells > 0 {
			telling += tells
			rarest = max(rarest, w.idf)
		}
	}
	for i, p := range q.phrases {
		if d.phrases[i] > 0 {
			covered += lightWeight * min(p.idf, q.rare)
			named++
		}
	}
	out := map[string]float64{PartTelling: telling, PartName: float64(named), PartTitle: d.title}
	if q.mass > 0 {
		out[PartCoverage] = covered / q.mass
		out[PartRarity] = min(1, rarest/q.rarest)
		out[PartProximity] = q.proximity(d) / q.spread
	}
	return out
}

func (q *query) bestGrams(docs []doc) float64 {
	best := 0.0
	for _, d := range docs {
		best = max(best, q.grams.score(d))
	}
	return best
}
