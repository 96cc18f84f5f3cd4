package stored

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// The index of a database server has our own words, so that all back ends agree which word is which: the server's
// dictionaries are not used. The weight of a place names the sort of text that the word is from.

const (
	maxStem   = 200       // bytes of a word that are indexed
	maxPlaces = 16_000    // words of a memory that are indexed; a tsvector of PostgreSQL knows 16,383 places
	maxIndex  = 500 << 10 // bytes of the words and places of a memory; a tsvector takes a megabyte
	maxPhrase = 400       // bytes of one term of a query
)

// weighed is text of one sort.
type weighed struct {
	text   string
	weight byte // A, B, C or D
}

// WordIndex is what a text is found by: its words, and the places of each with the weights of their texts, as 7A,12B.
type WordIndex struct {
	Words, Places []string
	Length        int // of the text, in words
}

// IndexMemory indexes a memory: its body, its title, and the names of things.
func IndexMemory(m mem.Memory) WordIndex {
	return indexOf([]weighed{{SearchBody(m), 'A'}, {m.Title, 'B'}, {SearchIdent(m), 'C'}})
}

// IndexUtterance indexes an utterance: its own texts, and those of its neighbours. The speaker counts twice.
func IndexUtterance(u IndexedUtterance) WordIndex {
	return indexOf([]weighed{
		{u.Text(), 'A'},
		{u.Speaker(), 'A'},
		{u.Speaker(), 'A'},
		{u.Day(), 'A'},
		{u.Ident, 'B'},
		{u.Near, 'C'},
		{u.Far, 'D'},
	})
}

// weightsOf are the weights A to D in the score of a search: of utterances, or of all other memories.
func weightsOf(q mem.Query) [4]float64 {
	if SearchesUtterances(q) {
		return [4]float64{1, 0.7, 0.5, 0.3}
	}
	return [4]float64{1, 0.8, 0.7, 0}
}

// indexOf indexes texts. Between two texts is a gap, so that no phrase reaches over it.
func indexOf(texts []weighed) (x WordIndex) {
	places := map[string][]byte{}
	place, size := 0, 0
	for _, t := range texts {
		place++
		for stem := range stems(t.text) {
			if place++; place > maxPlaces || size > maxIndex {
				break
			}
			if places[stem] == nil {
				x.Words = append(x.Words, stem)
				size += len(stem) + len("'': ")
			} else {
				places[stem] = append(places[stem], ',')
			}
			before := len(places[stem])
			places[stem] = append(strconv.AppendInt(places[stem], int64(place), 10), t.weight)
			size += len(places[stem]) - before
			x.Length++
		}
	}
	x.Places = make([]string, len(x.Words))
	for i, stem := range x.Words {
		x.Places[i] = string(places[stem])
	}
	return x
}

// stems yields the words of a text. None is empty, as one of marks alone would be, or has a blank or a quotation
// mark.
func stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for stem := range rank.Stems(PlainText(text)) {
			if stem != "" && !yield(Cut(stem, maxStem)) {
				return
			}
		}
	}
}

// Term is a word or a phrase of a query.
type Term struct {
	Stems []string
	Count int // memories that contain it
	at    int // in the query
}

// TermsOf returns the terms of a query that contain a word.
func TermsOf(q mem.Query) (terms []Term) {
	for i, text := range q.Terms[:min(len(q.Terms), mem.MaxTerms)] {
		if t := slices.Collect(stems(Cut(text, maxPhrase))); len(t) > 0 {
			terms = append(terms, Term{Stems: t, at: i})
		}
	}
	return terms
}

// CorpusOf returns the counts of the terms of a query, and that of all memories.
func CorpusOf(q mem.Query, size int, terms []Term) mem.Corpus {
	c := mem.Corpus{Size: size, DocFreq: make([]int, len(q.Terms))}
	for _, t := range terms {
		c.DocFreq[t.at] = t.Count
	}
	return c
}

// Text is the words of the term, as the index has them.
func (t Term) Text() string { return strings.Join(t.Stems, " ") }

// In reports whether the term is at some place.
func (t Term) In(p Places) bool { return t.times(p) != [4]int{} }

// times counts the places of each weight at which the term begins.
func (t Term) times(p Places) (times [4]int) {
next:
	for at, weight := range p[t.Stems[0]] {
		for i, stem := range t.Stems[1:] {
			if _, ok := p[stem][at+i+1]; !ok {
				continue next
			}
		}
		times[weight]++
	}
	return times
}

// Places are where words are in a memory, with the number of the weight of each place.
type Places map[string]map[int]byte

// PlacesOf returns the places of the words of terms. index yields the words of a memory with their places.
func PlacesOf(terms []Term, index iter.Seq2[string, string]) Places {
	out := Places{}
	for _, t := range terms {
		for _, stem := range t.Stems {
			out[stem] = nil
		}
	}
	for stem, list := range index {
		if _, wanted := out[stem]; wanted {
			out[stem] = placesIn(list)
		}
	}
	return out
}

// placesIn reads the places of a word. PostgreSQL leaves out weight D.
func placesIn(list string) map[int]byte {
	at := map[int]byte{}
	for p := range strings.SplitSeq(list, ",") {
		weight := byte(3)
		if last := len(p) - 1; last >= 0 && p[last] >= 'A' && p[last] <= 'D' {
			weight, p = p[last]-'A', p[:last]
		}
		if n, err := strconv.Atoi(p); err == nil {
			at[n] = weight
		}
	}
	return at
}
