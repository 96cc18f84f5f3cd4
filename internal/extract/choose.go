package extract

import (
	"cmp"
	"slices"

	"remanence/internal/lang"
	"remanence/internal/mem"
)

// Bounds of what is kept of one turn.
const (
	MaxStatements = 6   // memories made of one answer
	leastSalience = 0.5 // of a passage that is kept
)

// Point is a passage that is kept, as what kind, and how salient it is.
type Point struct {
	Text     string
	Kind     mem.Kind
	At       int // its place in the text
	Salience float64
	Pasted   bool // of a document, whose author is unknown
	gist     gist
	checks   bool // it says how to check the work
}

// Choose returns the passages of an answer that are worth keeping, in its order: at most
// most of them, the most salient ones, each once. made is how many the session made
// before: the more it did, the more salient another one has to be.
func (w TurnFacts) Choose(all []Statement, most, made int) []Point {
	least := leastSalience + min(float64(max(made-6, 0))*0.05, 0.45)
	var out []Point
	scored := w.score(all, ModelAssistant)
	slices.SortStableFunc(scored, func(a, b Point) int { return cmp.Compare(b.Salience, a.Salience) })
	for _, p := range scored {
		if len(out) == most || p.Salience < least {
			break
		}
		p.gist = gistOf(p.Text)
		if !slices.ContainsFunc(out, func(o Point) bool { return o.Text == p.Text || o.gist.same(p.gist) }) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Point) int { return a.At - b.At })
	return out
}

// score returns the passages of a text that may be kept, with their salience.
func (w TurnFacts) score(all []Statement, model string) []Point {
	weight := weightsOf(model)
	passages := passagesOf(all, model == ModelPerson)
	var out []Point
	for _, p := range passages {
		if lang.Width(p.text) < MinStatement || !p.informs(model == ModelPerson) {
			continue
		}
		kind := w.kind(p)
		out = append(out, Point{
			Text: w.about(p, kind), Kind: kind, At: p.at, Salience: salience(w.vector(p, len(passages)), weight),
			checks: p.above(cueChecks),
		})
	}
	return out
}
