// Package lang splits text into sentences and compares the meaning of two
// statements by their words. It uses no model, does no I/O and does not know
// memories. Start with Compare.
package lang

import (
	"slices"
	"strings"
)

// Relation is how two statements relate.
type Relation string

// The relations. Where the words leave it open, two statements differ.
const (
	Same     Relation = "same"     // say the same
	Adds     Relation = "adds"     // one says all that the other says, and more
	Differs  Relation = "differs"  // do not say the same
	Opposite Relation = "opposite" // use the same words for the contrary: denied, or with roles exchanged
)

// Reason is what sets two statements apart.
type Reason string

// The reasons; "" where the statements are the same or one adds to the other.
const (
	ByOrder     Reason = "order"       // the same words in other roles
	ByList      Reason = "list"        // joined words are listed in another order
	ByNumber    Reason = "number"      // another number or unit
	ByNegation  Reason = "negation"    // one denies
	ByAntonym   Reason = "antonym"     // a word and its contrary
	ByName      Reason = "name"        // another name or identifier
	ByCondition Reason = "condition"   // one restricts what the other says
	ByWord      Reason = "other words" // any other word
)

// Judgement is what Compare finds.
type Judgement struct {
	Relation Relation
	Reason   Reason
}

// Agrees reports whether one statement says all that the other says and nothing
// against it.
func (j Judgement) Agrees() bool { return j.Relation == Same || j.Relation == Adds }

// maxRotated bounds the statements whose parts are tried in another order, in
// words, and maxCells the table that aligns two statements.
const (
	maxRotated = 80
	maxCells   = 1 << 20
)

// Compare judges two statements by their words, the order of the words, numbers,
// names and negations. It is symmetric.
func Compare(a, b string) Judgement {
	if a == b {
		return Judgement{Relation: Same}
	}
	if !slices.Equal(wideCues(a), wideCues(b)) {
		return Judgement{Opposite, ByNegation}
	}
	x, y := tokens(a), tokens(b)
	j := judge(x, y)
	if j.Reason != ByOrder || len(x) > maxRotated || len(y) > maxRotated {
		return j
	}
	// "Before it fails it retries" says what "it retries before it fails" says: a
	// part that a marker begins may stand first or last.
	for i := 1; i < len(x); i++ {
		if x[i].is(marker) {
			if turned := judge(rotated(x, i), y); turned.Agrees() {
				return turned
			}
		}
	}
	for i := 1; i < len(y); i++ {
		if y[i].is(marker) {
			if turned := judge(x, rotated(y, i)); turned.Agrees() {
				return turned
			}
		}
	}
	return j
}

func rotated(list []token, i int) []token { return slices.Concat(list[i:], list[:i]) }

// wideCues returns the negating syllables of a text in scripts without spaces.
func wideCues(s string) (out []string) {
	if strings.IndexFunc(s, wide) < 0 {
		return nil
	}
	for _, cue := range readCues().wide {
		for range strings.Count(s, cue) {
			out = append(out, cue)
		}
	}
	return out
}

// judge compares two statements in the order in which they stand.
func judge(x, y []token) Judgement {
	gaps, voice, ok := align(x, y)
	if !ok {
		return Judgement{Differs, ByWord}
	}
	var left, right []token
	for _, g := range gaps {
		left, right = append(left, g.x...), append(right, g.y...)
	}
	switch {
	case len(left) == 0 && len(right) == 0:
		return Judgement{Relation: Same}
	case moved(left, right):
		return reordered(x, y, gaps, left, right)
	case differing(left, negation) != differing(right, negation):
		return Judgement{Opposite, ByNegation}
	}
	if j, found := replaced(gaps, left, right); found {
		return j
	}
	for _, g := range gaps {
		if j, found := inserted(g); found {
			return j
		}
	}
	if voice && differing(left, copula) != differing(right, copula) {
		return Judgement{Differs, ByOrder} // "blocks", "is blocked"
	}
	if !slices.ContainsFunc(left, token.meaningful) && !slices.ContainsFunc(right, token.meaningful) {
		return Judgement{Relation: Same}
	}
	return Judgement{Relation: Adds}
}

// differing counts the tokens of a class.
func differing(list []token, c class) (n int) {
	for _, t := range list {
		if t.is(c) {
			n++
		}
	}
	return n
}

// moved reports whether a word stands in both statements at different places.
func moved(left, right []token) bool {
	return slices.ContainsFunc(
		left,
		func(t token) bool { return t.meaningful() && slices.ContainsFunc(right, t.equal) },
	)
}

// reordered judges two statements that share words in another order.
func reordered(x, y []token, gaps []gap, left, right []token) Judgement {
	within := func(few, many []token) bool {
		return !slices.ContainsFunc(
			few,
			func(t token) bool { return t.meaningful() && !slices.ContainsFunc(many, t.equal) },
		)
	}
	switch {
	case !within(left, right) && !within(right, left):
		if j, found := replaced(gaps, left, right); found && j.Reason != ByWord {
			return j
		}
		return Judgement{Differs, ByOrder}
	case listed(x, y):
		return Judgement{Differs, ByList}
	}
	return Judgement{Opposite, ByOrder}
}

// listed reports whether two statements differ only in the order of single words
// that are joined by "and" or a comma.
func listed(x, y []token) bool {
	head, tail := ends(x, y)
	x, y = x[head:len(x)-tail], y[head:len(y)-tail]
	items := func(list []token) bool {
		for i := 1; i < len(list); i++ {
			if !list[i].breaks && list[i].is(conjunction) == list[i-1].is(conjunction) {
				return false
			}
		}
		return len(list) > 2 || len(list) == 2 && list[1].breaks
	}
	return len(x) == len(y) && items(x) && items(y)
}

// replaced judges words that stand for one another.
func replaced(gaps []gap, left, right []token) (Judgement, bool) {
	if conflict(left, right, func(t token) bool { return t.number || t.unit }) {
		return Judgement{Differs, ByNumber}, true
	}
	for _, g := range gaps {
		for _, t := range g.x {
			if slices.ContainsFunc(g.y, func(o token) bool { return contrary(t, o) }) {
				return Judgement{Opposite, ByAntonym}, true
			}
		}
	}
	if conflict(left, right, func(t token) bool { return t.name || t.quoted }) {
		return Judgement{Differs, ByName}, true
	}
	if conflict(left, right, token.meaningful) {
		return Judgement{Differs, ByWord}, true
	}
	return Judgement{Differs, ByWord}, conflict(left, right, func(t token) bool { return !t.is(copula) })
}

// conflict reports whether both sides have tokens of a sort.
func conflict(left, right []token, sort func(token) bool) bool {
	return slices.ContainsFunc(left, sort) && slices.ContainsFunc(right, sort)
}

// contrary reports whether two words are antonyms.
func contrary(t, o token) bool {
	pairs := readCues().opposites
	if pairs[[2]string{t.text, o.text}] || pairs[[2]string{t.stem, o.stem}] {
		return true
	}
	a, b := t.stem, o.stem
	if len(a) < len(b) {
		a, b = b, a
	}
	prefix, found := strings.CutSuffix(a, b)
	return found && len(b) >= 4 && slices.Contains([]string{"un", "in", "im", "dis", "de", "non", "en"}, prefix)
}

// inserted judges words that only one statement has, at one place of it.
func inserted(g gap) (Judgement, bool) {
	list := g.x
	if len(list) == 0 {
		list = g.y
	}
	if len(list) == 0 {
		return Judgement{}, false
	}
	switch {
	case slices.ContainsFunc(list, func(t token) bool { return t.is(negation) }):
		return Judgement{Opposite, ByNegation}, true
	case slices.ContainsFunc(list, func(t token) bool { return t.is(condition) && !t.quoted }):
		return Judgement{Differs, ByCondition}, true
	case g.last:
		return Judgement{}, false
	case list[len(list)-1].is(marker): // the next word has another role
		return Judgement{Differs, ByOrder}, true
	case g.at == 0:
		return Judgement{Differs, ByWord}, !g.onlyAdds(list)
	}
	for _, t := range list[1:] {
		if t.is(marker|conjunction) || t.breaks {
			// A part of one sort goes in between; more may take the words behind it along.
			return Judgement{Differs, ByOrder}, !list[0].is(marker) || t.is(conjunction) || t.breaks
		}
	}
	return Judgement{}, false
}
