package rank

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"remanence/internal/mem"
)

// query is a question ready to be met by documents.
type query struct {
	words   []word
	ids     map[string]int // key of a word → its place in words
	phrases []phrase
	at      []int              // by term of the question: its word, or ^ its phrase; none if it is neither
	mass    float64            // of all words and phrases
	spread  float64            // sum of the idf of the words
	rarest  float64            // idf of a word of one memory
	rare    float64            // idf from which on no word counts more; see fewHave
	forms   map[string]reading // by name
	lexicon *Lexicon
	fresh   map[string][]token // names that the lexicon did not know
	grams   grams
	citable citable
}

// none marks a term that is no word.
const none = math.MinInt

type word struct {
	light  bool    // everyday, or a whole whose parts are words of the query too, or no word at all
	name   bool    // looks like an identifier
	half   bool    // a pair of letters, which is less than a word
	asked  float64 // what it weighs by where and how often the question has it
	idf    float64
	counts float64 // the same, but no word counts more for being rarer still; see fewHave
}

type phrase struct {
	ids   []int
	asked float64
	idf   float64
}

// newQuery reads the terms of a question; text is the question, or nothing.
func newQuery(terms []string, text string, l *Lexicon) *query {
	q := &query{
		ids: map[string]int{}, forms: make(map[string]reading, manyNames), lexicon: l, fresh: map[string][]token{},
		grams: newGrams(),
	}
	compounds := make([][]string, len(terms))
	for i, t := range terms {
		q.at = append(q.at, none)
		switch keys := q.keys(t); len(keys) {
		case 0:
		case 1:
			q.at[i] = q.word(keys[0])
		default:
			compounds[i] = keys
		}
	}
	q.markWholes(terms)
	for i, keys := range compounds {
		if len(keys) > 0 {
			q.at[i] = ^q.phrase(keys)
		}
	}
	q.stress(text)
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

// manyNames is about how many different names a question's candidates hold.
const manyNames = 300

// reading is a name as this question sees it.
type reading struct {
	forms []form
	cites int // place of the hit that it names, or none
}

// form is a token as this question sees it.
type form struct {
	id    int   // of the query's word, or -1
	grams []int // of the query's
	says  bool
	part  bool
	whole bool
}

// reading reads a name.
func (q *query) reading(name string) reading {
	if r, ok := q.forms[name]; ok {
		return r
	}
	list, known := q.lexicon.known(name)
	if !known {
		name = strings.Clone(name) // a piece of a text, all of which would stay for it
		list = tokens(name)
		if len(name) <= maxName {
			q.fresh[name] = list
		}
	}
	out := make([]form, len(list))
	for i, t := range list {
		out[i] = form{id: -1, says: t.says, part: t.part, whole: t.whole}
		if id, ok := q.ids[t.key]; ok {
			out[i].id = id
		}
		if t.folded != "" && !t.whole {
			out[i].grams = q.grams.of(t.folded)
		}
	}
	r := reading{out, q.citable.place(name)}
	q.forms[name] = r
	return r
}

func (q *query) word(key string) int {
	if id, ok := q.ids[key]; ok {
		return id
	}
	r, _ := utf8.DecodeRuneInString(key)
	q.ids[key] = len(q.words)
	q.words = append(q.words, word{
		light: everyday(key) || stopWord(key) || len(key) < 2,
		name:  strings.IndexFunc(key, unicode.IsDigit) >= 0 && strings.IndexFunc(key, unicode.IsLetter) >= 0,
		half:  unsegmented(r),
		asked: 1,
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
		if id, ok := q.ids[keyOf(whole)]; ok && rest == "" {
			q.words[id].light, q.words[id].name = true, true
		}
	}
}

func (q *query) phrase(keys []string) int {
	p := phrase{asked: 1}
	for _, k := range keys {
		p.ids = append(p.ids, q.word(k))
	}
	q.phrases = append(q.phrases, p)
	return len(q.phrases) - 1
}

const (
	saturation = 2.0  // k3: a word asked for twice weighs one half more, ten times no more than 2.5
	firstLine  = 1.25 // what the first line asks for is what the question is about
)

// stress gives words their weight by how often, and in which line, the question has them.
func (q *query) stress(text string) {
	if text == "" {
		return
	}
	times := make([]float64, len(q.words))
	first := make([]bool, len(q.words))
	opening := true
	for _, part := range ends(text) {
		for line := range strings.Lines(part) {
			if strings.TrimSpace(line) == "" {
				continue
			}
			for name := range names(line) {
				for _, a := range atoms(name) {
					if id, ok := q.ids[keyOf(strings.ToLower(a.text))]; ok {
						times[id]++
						first[id] = first[id] || opening
					}
				}
			}
			opening = false
		}
	}
	for id := range q.words {
		if times[id] > 0 {
			q.words[id].asked = (saturation + 1) * times[id] / (saturation + times[id])
		}
		if first[id] {
			q.words[id].asked *= firstLine
		}
	}
}

// weigh gives every word and phrase its inverse document frequency: by the
// corpus where it is known, else among n memories of which docs are those that
// hold any of them.
func (q *query) weigh(docs []doc, n int, corpus mem.Corpus) {
	held, phrased := make([]int, len(q.words)), make([]int, len(q.phrases))
	for i := range q.words {
		held[i] = countDocs(docs, func(d doc) bool { return d.has(i) })
	}
	for i := range q.phrases {
		phrased[i] = countDocs(docs, func(d doc) bool { return d.phrases[i] > 0 })
	}
	n = max(n, minStore)
	if corpus.Size > 0 && len(corpus.DocFreq) == len(q.at) {
		n = max(corpus.Size, n)
		for i, at := range q.at {
			switch {
			case at == none:
			case at >= 0:
				held[at] = max(held[at], corpus.DocFreq[i])
			default:
				phrased[^at] = max(phrased[^at], corpus.DocFreq[i])
			}
		}
	}
	q.grams.weigh(docs, len(docs))
	q.mass, q.spread, q.rarest = 0, 0, idf(n, 1)
	q.rare = idf(n, max(fewHave, n/oneInHas))
	for i := range q.words {
		q.words[i].idf = idf(n, held[i])
		if held[i] == 0 && q.words[i].half {
			q.words[i].light = true // most likely the end of one word and the beginning of the next
		}
		q.words[i].counts = min(q.words[i].idf, q.rare)
		q.mass += q.words[i].weight()
		q.spread += q.words[i].counts
	}
	for i := range q.phrases {
		q.phrases[i].idf = idf(n, phrased[i])
		q.mass += lightWeight * min(q.phrases[i].idf, q.rare)
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
	return math.Log(1 + (max(0, float64(n-df))+0.5)/(float64(df)+0.5))
}

// How much of a question is met does not depend on how rare its rare words are,
// else one word that the store has never seen outweighs three that it knows: no
// word counts more than one that so many memories have, or one in so many.
const (
	fewHave  = 3
	oneInHas = 100
)

// lightWeight is the weight in coverage of a word of everyday requests, and of a
// compound, whose words carry the rest of its weight.
const lightWeight = 0.25

// weight is what the word counts for in coverage.
func (w word) weight() float64 {
	if w.light {
		return lightWeight * w.counts
	}
	return w.counts
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
