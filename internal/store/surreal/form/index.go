//go:build surreal || backends

package form

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/surql"
)

// The full-text index finds memories by our own words, so that all back ends agree which word is which. The score is
// made here, of the places of the words: phrases, and the weights of the sorts of text, need them.

const (
	maxStem   = 200    // bytes of a word that are indexed
	maxPlaces = 16_000 // words of a memory that are indexed
	maxPhrase = 400    // bytes of one term of a query
)

// Weighed is text of one sort.
type Weighed struct {
	text   string
	weight byte // A, B, C or D
}

// MemoryTexts are the indexed texts of a memory: its body, its title, and the names of things.
func MemoryTexts(m mem.Memory) []Weighed {
	return []Weighed{{stored.SearchBody(m), 'A'}, {m.Title, 'B'}, {stored.SearchIdent(m), 'C'}}
}

// UtteranceTexts are the indexed texts of an utterance: its own, and those of its neighbours. The speaker counts twice.
func UtteranceTexts(u stored.IndexedUtterance) []Weighed {
	return []Weighed{
		{u.Text(), 'A'},
		{u.Speaker(), 'A'},
		{u.Speaker(), 'A'},
		{u.Day(), 'A'},
		{u.Ident, 'B'},
		{u.Near, 'C'},
		{u.Far, 'D'},
	}
}

// WeightsOf are the weights A to D in a score: of memories, and of utterances.
func WeightsOf(utterances bool) [4]float64 {
	if utterances {
		return [4]float64{1, 0.7, 0.5, 0.3}
	}
	return [4]float64{1, 0.8, 0.7, 0}
}

// Index is what a text is found by: its words, and the places of each with the weight of its text, as 7A,12B.
type Index struct {
	order  []string
	places map[string][]byte
	length int
}

// IndexOf indexes texts. Between two texts is a gap, so that no phrase reaches over it.
func IndexOf(list []Weighed) Index {
	x := Index{places: map[string][]byte{}}
	place := 0
	for _, t := range list {
		place++
		for stem := range stems(t.text) {
			if place++; place > maxPlaces {
				break
			}
			if x.places[stem] == nil {
				x.order = append(x.order, stem)
			} else {
				x.places[stem] = append(x.places[stem], ',')
			}
			x.places[stem] = append(strconv.AppendInt(x.places[stem], int64(place), 10), t.weight)
			x.length++
		}
	}
	return x
}

// Set sets the fields of a memory that are made of its texts. words is the field that is indexed.
func (x Index) Set(fields map[string]any, words string) {
	places := make([]string, len(x.order))
	for i, stem := range x.order {
		places[i] = string(x.places[stem])
	}
	fields[words], fields["places"], fields["length"] = strings.Join(x.order, " "), strings.Join(places, " "), x.length
}

// stems yields the words of a text. None has a blank.
func stems(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for stem := range rank.Stems(surql.PlainText(text)) {
			if len(stem) > maxStem {
				stem = strings.ToValidUTF8(stem[:maxStem], "")
			}
			if !yield(stem) {
				return
			}
		}
	}
}

// Term is a word or a phrase of a query.
type Term struct {
	Stems []string
	Count int // memories that contain it
}

// TermOf returns the words of a term; none if it contains no word.
func TermOf(text string) Term {
	if len(text) > maxPhrase {
		text = strings.ToValidUTF8(text[:maxPhrase], "")
	}
	return Term{Stems: slices.Collect(stems(text))}
}

// Words are those of the term, as the index has them.
func (t Term) Words() string { return strings.Join(t.Stems, " ") }

// Candidate is a memory that contains terms of a query.
type Candidate struct {
	Number, Created int64
	Score           float64
}

// Scoring has what a score depends on besides the memory.
type Scoring struct {
	Field   string // with the words
	Terms   []Term
	Size    int     // memories in the index
	Mean    float64 // words of a memory
	Weights [4]float64
}

// Parameters of BM25, as SQLite's FTS5 has them.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// Score scores a memory. ok is false if it has the words of a phrase alone, and not the phrase.
func (sc Scoring) Score(r surql.Row) (c Candidate, ok bool) {
	c.Number, c.Created = r.Number("number"), r.Number("created")
	places, length := PlacesOf(r, sc.Field, sc.Terms), r.Float("length")
	for _, t := range sc.Terms {
		times := t.WeightIn(places, sc.Weights)
		ok = ok || t.WeightIn(places, [4]float64{1, 1, 1, 1}) > 0
		n := float64(t.Count)
		idf := max(1e-6, math.Log((float64(sc.Size)-n+0.5)/(n+0.5)))
		c.Score += idf * times * (bm25K1 + 1) / (times + bm25K1*(1-bm25B+bm25B*length/sc.Mean))
	}
	return c, ok
}

// PlacesOf are where the words of terms are in a memory, with the number of the weight of each place.
func PlacesOf(r surql.Row, field string, terms []Term) map[string]map[int]byte {
	out := map[string]map[int]byte{}
	for _, t := range terms {
		for _, stem := range t.Stems {
			out[stem] = nil
		}
	}
	lists := strings.Split(r.Text("places"), " ")
	for i, stem := range strings.Split(r.Text(field), " ") {
		if _, wanted := out[stem]; !wanted || i >= len(lists) {
			continue
		}
		at := map[int]byte{}
		for p := range strings.SplitSeq(lists[i], ",") {
			if last := len(p) - 1; last > 0 {
				if n, err := strconv.Atoi(p[:last]); err == nil {
					at[n] = p[last] - 'A'
				}
			}
		}
		out[stem] = at
	}
	return out
}

// WeightIn adds up the weights of the places at which the term begins. Places are counted first: a sum of fractions
// depends on their order, and that of a map is random.
func (t Term) WeightIn(places map[string]map[int]byte, weights [4]float64) (sum float64) {
	var times [4]int
next:
	for at, weight := range places[t.Stems[0]] {
		for i, stem := range t.Stems[1:] {
			if _, ok := places[stem][at+i+1]; !ok {
				continue next
			}
		}
		times[weight]++
	}
	for i, n := range times {
		sum += float64(n) * weights[i]
	}
	return sum
}
