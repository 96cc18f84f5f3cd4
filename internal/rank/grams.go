package rank

import (
	"iter"
)

// gramLength is the length of a gram, in bytes, with a mark at either end of
// its word.
const gramLength = 4

// grams compares words by their pieces: it sees that sync is part of
// synchronize, where stems see nothing. The score is BM25 over the pieces.
type grams struct {
	ids map[gram]int
	idf []float64
	avg float64 // words of a document
}

// gram is a piece of a word. As one number it is found in a map sooner than as a text.
type gram uint32

func newGrams() grams { return grams{ids: map[gram]int{}} }

// learn adds the grams of a word of the query.
func (g *grams) learn(word string) {
	if stopWord(word) {
		return
	}
	for piece := range pieces(word) {
		if _, ok := g.ids[piece]; !ok {
			g.ids[piece] = len(g.ids)
		}
	}
}

// of are the learnt grams of a word.
func (g *grams) of(word string) []int {
	var out []int
	for piece := range pieces(word) {
		if id, ok := g.ids[piece]; ok {
			out = append(out, id)
		}
	}
	return out
}

func pieces(word string) iter.Seq[gram] {
	return func(yield func(gram) bool) {
		g := gram('_')
		for i := range len(word) + 1 {
			c := byte('_')
			if i < len(word) {
				c = word[i]
			}
			g = g<<8 | gram(c)
			if i >= gramLength-2 && !yield(g) {
				return
			}
		}
	}
}

func (g *grams) weigh(docs []doc, n int) {
	g.idf = make([]float64, len(g.ids))
	for id := range g.idf {
		g.idf[id] = idf(n, countDocs(docs, func(d doc) bool { return d.grams[id] > 0 }))
	}
	g.avg = 1
	for _, d := range docs {
		g.avg += float64(d.words) / float64(len(docs))
	}
}

// score is BM25 with k1 = 1 and b = 0.5.
func (g *grams) score(d doc) float64 {
	length := 0.5 + 0.5*float64(d.words)/g.avg
	total := 0.0
	for id, tf := range d.grams {
		if tf > 0 {
			total += g.idf[id] * 2 * float64(tf) / (float64(tf) + length)
		}
	}
	return total
}
