package rank

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxDoc is how much of a memory is read, in bytes: its point stands first.
	maxDoc = 2000

	// window is how far apart, in words that count, two words still belong together.
	window = 8

	// lightWeight is the weight of a word of everyday requests, and of a
	// compound, whose words carry the rest of its weight.
	lightWeight = 0.25
)

// query is a set of terms ready to be met by documents.
type query struct {
	words   []word
	ids     map[string]int // key of a word → its place in words
	phrases []phrase
	mass    float64         // of all words and phrases
	spread  float64         // sum of the idf of the words
	rarest  float64         // idf of a word of one memory
	forms   map[string]form // by word in lower case, of the query and of what it is met by
	grams   grams
}

type word struct {
	key   string
	light bool // everyday, or a whole whose parts are words of the query too, or no word at all
	name  bool // looks like an identifier
	half  bool // a pair of letters, which is less than a word
	idf   float64
}

type phrase struct {
	ids []int
	idf float64
}

func newQuery(terms []string) *query {
	q := &query{ids: map[string]int{}, forms: map[string]form{}, grams: newGrams()}
	var compounds [][]string
	for _, t := range terms {
		switch keys := q.keys(t); len(keys) {
		case 0:
		case 1:
			q.word(keys[0])
		default:
			compounds = append(compounds, keys)
		}
	}
	q.markWholes(terms)
	for _, keys := range compounds {
		q.phrase(keys)
	}
	return q
}

// keys are the words of a term in the form in which they are compared.
func (q *query) keys(term string) []string {
	var out []string
	for _, a := range atoms(term) {
		if a.wide {
			out = append(out, pairs(a.text)...)
			continue
		}
		lower := strings.ToLower(a.text)
		q.grams.learn(fold(lower))
		out = append(out, keyOf(lower))
	}
	return out
}

// form is a word as it is compared.
type form struct {
	key   string
	says  bool  // it is no stop word
	grams []int // of the query's
}

func (q *query) form(lower string) form {
	f, ok := q.forms[lower]
	if !ok {
		folded := fold(lower)
		f = form{key: keyOf(lower), says: !stopWord(lower), grams: q.grams.of(folded)}
		q.forms[lower] = f
	}
	return f
}

func (q *query) word(key string) int {
	if id, ok := q.ids[key]; ok {
		return id
	}
	r, _ := utf8.DecodeRuneInString(key)
	q.ids[key] = len(q.words)
	q.words = append(q.words, word{
		key:   key,
		light: everyday(key) || stopWord(key) || len(key) < 2,
		name:  strings.IndexFunc(key, unicode.IsDigit) >= 0 && strings.IndexFunc(key, unicode.IsLetter) >= 0,
		half:  unsegmented(r),
	})
	return len(q.words) - 1
}

// markWholes finds the words that Terms wrote before their own parts, as
// loginhandler before login and handler: the parts carry their weight.
func (q *query) markWholes(terms []string) {
	for i, whole := range terms {
		rest := whole
		for _, part := range terms[i+1:] {
			if part == "" || !strings.HasPrefix(rest, part) {
				break
			}
			rest = rest[len(part):]
		}
		if id, ok := q.ids[q.form(whole).key]; ok && rest == "" {
			q.words[id].light, q.words[id].name = true, true
		}
	}
}

func (q *query) phrase(keys []string) {
	p := phrase{}
	for _, k := range keys {
		p.ids = append(p.ids, q.word(k))
	}
	q.phrases = append(q.phrases, p)
}

// weigh gives every word and phrase its inverse document frequency among n
// memories, of which docs are those that hold any of them.
func (q *query) weigh(docs []doc, n int) {
	q.grams.weigh(docs, n)
	q.mass, q.spread, q.rarest = 0, 0, idf(n, 1)
	for i := range q.words {
		df := countDocs(docs, func(d doc) bool { return d.has[i] })
		q.words[i].idf = idf(n, df)
		if df == 0 && q.words[i].half {
			q.words[i].light = true // most likely the end of one word and the beginning of the next
		}
		q.mass += q.words[i].weight()
		q.spread += q.words[i].idf
	}
	for i := range q.phrases {
		df := countDocs(docs, func(d doc) bool { return d.phrases[i] })
		q.phrases[i].idf = idf(n, df)
		q.mass += lightWeight * q.phrases[i].idf
	}
}

func countDocs(docs []doc, has func(doc) bool) int {
	n := 0
	for _, d := range docs {
		if has(d) {
			n++
		}
	}
	return n
}

// idf is BM25's inverse document frequency, never negative.
func idf(n, df int) float64 {
	return math.Log(1 + (float64(n-df)+0.5)/(float64(df)+0.5))
}

// weight is what the word counts for in coverage.
func (w word) weight() float64 {
	if w.light {
		return lightWeight * w.idf
	}
	return w.idf
}

// telling is how much of a telling word it is: a pair of letters is half a one.
func (w word) telling() float64 {
	switch {
	case w.light:
		return 0
	case w.half:
		return 0.5
	}
	return 1
}

// parts measures one document against the query.
func (q *query) parts(d doc) map[string]float64 {
	covered, telling, rarest, named := 0.0, 0.0, 0.0, 0
	for i, w := range q.words {
		if !d.has[i] {
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
		if d.phrases[i] {
			covered += lightWeight * p.idf
			named++
		}
	}
	out := map[string]float64{PartTelling: telling, PartName: float64(named), PartTitle: d.title}
	if q.mass > 0 {
		out[PartCoverage] = covered / q.mass
		out[PartRarity] = min(1, rarest/q.rarest)
		out["proximity"] = min(1, q.proximity(d)/q.spread)
	}
	return out
}

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
		total += min(q.words[p[0]].idf, q.words[p[1]].idf) / float64(near[p])
	}
	return total
}

func (q *query) bestGrams(docs []doc) float64 {
	best := 0.0
	for _, d := range docs {
		best = max(best, q.grams.score(d))
	}
	return best
}
