package extract

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/lang"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of what is kept of one turn.
const (
	MaxStatements = 6   // memories made of one answer
	leastSalience = 0.5 // of a passage that is kept
	leastBeside   = 0.3 // of an item that is kept with others of its list
	leastBareItem = 0.9 // of an item of a list that says neither why, when nor what to heed, after a change of code
	earlyShare    = 0.3 // the share of an answer that says what it is about
)

// Point is a passage that is kept, as what kind, and how salient it is.
type Point struct {
	Text     string
	Kind     mem.Kind
	At       int // its place in the text
	Salience float64
	Pasted   bool // of a document, whose author is unknown
	Before   bool // it says what was wrong before the plan that it is of was carried out
	gist     gist
	checks   bool    // it says how to check the work
	late     bool    // it stands behind the opening of the text
	unclear  bool    // what it is about is only guessed from the request
	from     passage // of which the text is made
}

// Choose returns the passages of an answer that are worth keeping, in its order: at most most of them, the most salient
// ones, each once. made is how many the session made before: the more it did, the more salient another one has to be.
// Points whose subject is in no other point are left out. A point that is a part of the list that its text announces
// ends with an ellipsis. Nothing is new in an answer that only says where the work stands.
func (w TurnFacts) Choose(all []Statement, most, made int) []Point {
	if !w.Changed && asksForStatus(w.Request) {
		return nil
	}
	points, scored := w.choose(all, most, made)
	points = w.joinNeighbours(w.joinItems(joinFixes(points, scored), scored))
	points = slices.DeleteFunc(points, func(p Point) bool { return p.unclear })
	for i, p := range points {
		if p.from.isPart(all) {
			points[i].Text = strings.TrimRight(p.Text, ".;, ") + "; …"
		}
	}
	return points
}

// joinNeighbours makes one point of points that follow each other in one section, as far as they fit a statement
// together: the second often says what comes of the first.
func (w TurnFacts) joinNeighbours(points []Point) []Point {
	var out []Point
	for _, p := range points {
		if i := len(out) - 1; i >= 0 && out[i].precedes(p) {
			for i > 0 && out[i-1].sameList(out[i]) {
				i-- // it points back to the list, which its first item stands for
			}
			if both, fits := w.join([]Point{out[i], p}); fits {
				if i == len(out)-1 {
					both.At = p.At
				}
				out[i] = both
				continue
			}
		}
		out = append(out, p)
	}
	return out
}

// precedes reports whether another point of the same section and kind goes on with a point, and neither is work that is
// left: it stands right behind it in prose, or points back to it from the beginning of a paragraph.
func (p Point) precedes(next Point) bool {
	last, first := p.from.all[len(p.from.all)-1], next.from.all[0]
	follows := p.At+1 == next.At && p.from.list() == 0 && p.Kind == next.Kind && first.continues(last)
	pointsBack := next.from.leans() && first.before == ""
	return (follows || pointsBack) && first.list == 0 && p.Kind != mem.Todo && next.Kind != mem.Todo &&
		last.heading == first.heading
}

// choose is Choose with a point for each item of a list. It also returns all passages, in the order of the text.
func (w TurnFacts) choose(all []Statement, most, made int) (chosen, scored []Point) {
	least := leastSalience + min(float64(max(made-6, 0))*0.05, 0.45)
	scored = w.score(all, ModelAssistant)
	proposal := !w.Changed && len(all) > 0 && (Asks(all[len(all)-1].Text) || offers(all[len(all)-1].Bare))
	scored = slices.DeleteFunc(scored, func(p Point) bool {
		return p.bareItem() && (proposal || len(w.Files) > 0 && (p.late || p.Salience < leastBareItem && !p.from.explains()))
	})
	best := slices.SortedStableFunc(slices.Values(scored), func(a, b Point) int {
		return cmp.Compare(b.Salience, a.Salience)
	})
	for _, p := range best {
		if len(chosen) == most || p.Salience < least {
			break
		}
		p.gist = gistOf(p.Text)
		if !slices.ContainsFunc(chosen, func(o Point) bool { return o.Text == p.Text || o.gist.same(p.gist) }) {
			chosen = append(chosen, p)
		}
	}
	slices.SortStableFunc(chosen, func(a, b Point) int { return a.At - b.At })
	return chosen, scored
}

// bareItem reports whether a point is an item of a list that only says what was changed or what there is. After a
// change of code most of these are in the code, the commit and the summary of the turn as well.
func (p Point) bareItem() bool {
	return p.from.list() != 0 && p.from.under() == "" && !p.from.open() && p.from.found(cueFix) == 0 &&
		!slices.ContainsFunc(p.from.all, func(s Statement) bool {
			return s.cues.Has(cueCause, cueReason, cueDecide, cueNorm, cueWarn, cueLimit)
		})
}

// joinFixes completes each cause with what the text says next, if that is how it was fixed: a cause alone reads like a
// problem that is still there.
func joinFixes(points, scored []Point) []Point {
	var out []Point
	for _, p := range points {
		if n := len(out); n > 0 && out[n-1].At >= p.At {
			continue // it was taken along
		}
		next := slices.IndexFunc(scored, func(o Point) bool { return o.At == p.At+1 })
		if next >= 0 && p.Kind == mem.ErrorFix && p.from.found(cueCause) > 0 && p.from.list() == 0 {
			fix := scored[next]
			both := p.Text + " " + fix.from.plain()
			unnamed := fix.Kind == mem.ErrorFix || fix.Kind == mem.Discovery
			sameSection := fix.from.all[0].heading == p.from.all[0].heading && fix.Salience >= leastBeside
			if unnamed && sameSection && fix.from.list() == 0 && (fix.from.found(cueFix) > 0 || saysEdit(fix.from.plain())) &&
				len([]rune(both)) <= MaxStatement {
				p.from.all = slices.Concat(p.from.all, fix.from.all)
				p.Text, p.At, p.Salience = both, fix.At, max(p.Salience, fix.Salience)
			}
		}
		out = append(out, p)
	}
	return out
}

// joinItems makes one point of points that are items of one list, as far as they fit a statement together: each alone
// says less than the list. A list that fits as a whole is completed with its other items among scored, but for those
// that only accompany the work.
func (w TurnFacts) joinItems(points, scored []Point) []Point {
	var out []Point
	for i := 0; i < len(points); {
		end := i + 1
		for end < len(points) && points[i].sameList(points[end]) {
			end++
		}
		list := points[i:end]
		whole := slices.DeleteFunc(slices.Clone(scored), func(p Point) bool {
			return !p.sameList(list[0]) || p.Salience < leastBeside
		})
		if len(whole) > len(list) && 2*len(list) >= len(whole) {
			if p, fits := w.join(whole); fits {
				list = []Point{p}
			}
		}
		for from := 0; from < len(list); {
			p := list[from]
			for from++; from < len(list); from++ {
				more, fits := w.join([]Point{p, list[from]})
				if !fits {
					break
				}
				p = more
			}
			out = append(out, p)
		}
		i = end
	}
	return out
}

// sameList reports whether two points are items of one list, and no work that is left.
func (p Point) sameList(o Point) bool {
	return p.Kind != mem.Todo && o.Kind != mem.Todo && p.from.sameList(o.from)
}

// join makes one point of items of one list, or of passages that follow each other. It fits if it is a statement, and
// its parts are of one kind or of none: a discovery has no other.
func (w TurnFacts) join(items []Point) (whole Point, fits bool) {
	whole = slices.MaxFunc(items, func(a, b Point) int { return cmp.Compare(a.Salience, b.Salience) })
	for _, p := range items {
		if p.Kind != mem.Discovery && whole.Kind == mem.Discovery {
			whole.Kind = p.Kind
		}
	}
	if slices.ContainsFunc(items, func(p Point) bool { return p.Kind != whole.Kind && p.Kind != mem.Discovery }) {
		return whole, false
	}
	whole.At = items[0].At
	whole.from = passage{at: items[0].from.at, joined: items[0].from.list() != 0}
	for _, p := range items {
		whole.from.all = append(whole.from.all, p.from.all...)
		whole.checks = whole.checks || p.checks
	}
	whole.from.text = whole.from.say()
	whole.Text, _ = w.about(whole.from, whole.Kind)
	whole.unclear = items[0].unclear
	return whole, len([]rune(whole.Text)) <= MaxStatement
}

// score returns the passages of a text that may be kept, with their salience.
func (w TurnFacts) score(all []Statement, model string) []Point {
	weight := weightsOf(model)
	passages, out := passagesOf(all, model == ModelPerson), []Point(nil)
	w.asked = rank.Terms(w.Request)
	for _, p := range passages {
		if lang.Width(p.text) < MinStatement || !p.informs(model == ModelPerson) {
			continue
		}
		kind := w.kind(p)
		text, clear := w.about(p, kind)
		out = append(out, Point{
			Text: text, Kind: kind, At: p.at, Salience: salience(w.vector(p, len(passages)), weight),
			checks: p.above(cueChecks), late: p.at >= 2 && float64(p.at) > earlyShare*float64(len(passages)-1), from: p,
			unclear: !clear && kind != mem.Todo && !measures(p.text) && !p.explains(),
		})
	}
	return out
}
