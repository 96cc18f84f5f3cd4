package index

import (
	"strings"

	"remanence/internal/rank"
)

// querying collects the terms of a query's text.
type querying struct {
	x        *Index
	everyday func(key string) bool
	stops    bool // stop words are terms
	first    bool // the first line is read
	terms    []term
	at       map[string]int // key → place in terms
	times    []float64      // by term
	lead     []bool         // by term, whether the first line has it
	before   rank.Token     // the word that was read last
	last     int32          // its place in terms; none if it is none
	joined   []joined
}

// joined is a term that two words in a row make, by their places in the terms; none for a stop word.
type joined struct{ at, first, second int32 }

// mostPairs is how many memories are looked at for two words in a row.
const mostPairs = 64

// terms reads the text of a query. Stop words are terms only if there is nothing else.
func (x *Index) terms(text string) []term {
	for _, stops := range [...]bool{false, true} {
		if out := x.readTerms(text, stops); len(out) > 0 {
			return out
		}
	}
	return nil
}

// maxText is how much of a query's text is read, from each of its ends.
const maxText = 32 << 10

// maxTerms bounds the terms of a query; the first of a text win.
const maxTerms = 256

func (x *Index) readTerms(text string, stops bool) []term {
	q := querying{x: x, everyday: rank.EverydayIn(text), stops: stops, first: true, at: map[string]int{}}
	var tokens []rank.Token
	for line := range strings.Lines(bothEnds(text)) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		q.before, q.last = rank.Token{}, none
		for name := range rank.TextNames(line) {
			tokens = rank.Analyze(tokens[:0], name)
			for _, t := range tokens {
				q.token(t)
			}
		}
		q.first = false
	}
	for _, j := range q.joined {
		for _, word := range [...]int32{j.first, j.second} {
			if word != none {
				q.terms[j.at].words = append(q.terms[j.at].words, &q.terms[word])
			}
		}
	}
	for i := range q.terms {
		q.terms[i].asked = (saturation + 1) * q.times[i] / (saturation + q.times[i])
		if q.lead[i] {
			q.terms[i].asked *= x.weights.lead
		}
	}
	return q.terms
}

// token adds a token, and the word that it makes with the one before.
func (q *querying) token(t rank.Token) {
	at := int32(none)
	if !t.Stop || q.stops {
		at = q.add(t)
	}
	if t.Kind != rank.Word {
		return
	}
	key := rank.Joined(q.before, t)
	if _, known := q.at[key]; key != "" && !known && len(q.terms) < maxTerms && q.x.vocabulary.find(key) != none {
		q.joined = append(q.joined, joined{q.add(rank.Token{Key: key, Kind: rank.Whole}), q.last, at})
	}
	q.before, q.last = t, at
}

// add counts a token and returns the place of its term, none if there are too many.
func (q *querying) add(t rank.Token) int32 {
	i, ok := q.at[t.Key]
	if !ok {
		if len(q.terms) == maxTerms {
			return none
		}
		i = len(q.terms)
		q.at[t.Key] = i
		q.terms = append(q.terms, q.x.newTerm(t, q.everyday(t.Key)))
		q.times, q.lead = append(q.times, 0), append(q.lead, false)
		if q.terms[i].number == none && t.Kind == rank.Word {
			q.split(i, t)
		}
	}
	q.times[i]++
	q.lead[i] = q.lead[i] || q.first
	return int32(i)
}

// split adds the two words as which memories hold a word that none of them holds.
func (q *querying) split(i int, t rank.Token) {
	for left, right := range rank.Halves(t) {
		if !q.x.sideBySide(left, right) {
			continue
		}
		q.terms[i].light = true
		q.add(rank.Token{Key: left, Kind: rank.Piece})
		q.add(rank.Token{Key: right, Kind: rank.Piece})
		return
	}
}

// sideBySide reports whether a memory has the two words in a row, among the first of those that have both.
func (x *Index) sideBySide(left, right string) bool {
	l, r := x.vocabulary.find(left), x.vocabulary.find(right)
	if l == none || r == none {
		return false
	}
	a, b := cursor{data: x.lists[l].data}, cursor{data: x.lists[r].data}
	var words []int32
	tried := 0
	for more := a.next(); more && tried < mostPairs; {
		if !b.seek(&x.lists[r], a.doc) {
			return false
		}
		if b.doc > a.doc {
			more = a.seek(&x.lists[l], b.doc)
			continue
		}
		tried++
		words = x.docs.first(words[:0], a.doc)
		for i := range len(words) - 1 {
			if words[i] == l && words[i+1] == r {
				return true
			}
		}
		more = a.next()
	}
	return false
}
