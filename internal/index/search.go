package index

import (
	"math"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Limit is the number of candidates that a search measures and ranks, if its query has no higher one.
const Limit = 100

// weights are the constants of BM25F. Round values: fitting many at once to one set did worse on the others. See
// tools/fit.
type weights struct {
	k1       float64         // saturation of a term's frequency
	field    [fields]float64 // weight of a field
	length   [fields]float64 // b, the share of the length norm
	near     [2]float64      // weight of the utterances one and two places away
	nearNorm float64         // their b
	lead     float64         // factor of terms in the first line of the query
	idf      float64         // power of the inverse document frequency
}

const saturation = 2 // k3: a term that is asked for twice weighs half as much again, ten times at most 2.5

var (
	memoryWeights = weights{
		k1:     1.2,
		field:  [fields]float64{title: 2, body: 1, files: 1, pieces: 1, whole: 0.25, alias: 0.5},
		length: [fields]float64{title: 0.75, body: 0.7, files: 0.3, pieces: 0.3, whole: 0.3, alias: 0.3},
		lead:   1.25, idf: 1.1,
	}
	utteranceWeights = weights{
		k1:     1.2,
		field:  [fields]float64{body: 1, pieces: 0.5, whole: 0.25, who: 2, day: 1},
		length: [fields]float64{body: 0.3, pieces: 0.3},
		near:   [2]float64{0.5, 0.3}, nearNorm: 0.3,
		lead: 1, idf: 1,
	}
)

// Query is one search.
type Query struct {
	mem.Query                 // its text and filters; see Filters
	Now       time.Time       // for the age of what is found
	Without   map[string]bool // parts of the score that do not count, to measure what each is worth
	Also      []string        // ids of memories that are candidates whatever their words; unknown ones are ignored
}

// Candidate is a memory that a search found.
type Candidate struct {
	ID    string
	Score float64            // rank.TextScore of Parts; higher is better, comparable within one result
	Parts map[string]float64 // by the names of package rank
}

// Result is the answer to a search.
type Result struct {
	Size       int         // memories that pass the filters
	Candidates []Candidate // best first
}

// term is one term of a query.
type term struct {
	key    string
	number int32 // none if no memory holds it
	kind   rank.TokenKind
	asked  float64 // weight by where and how often the query has it
	idf    float64
	light  bool    // an everyday word, a compound, or an identifier whose pieces are terms too
	pair   bool    // two letters of an unsegmented script
	holds  int     // how many memories hold it at least; for an index of some of them
	named  int     // how many memories' files hold it
	words  []*term // of the query, that it holds joined
}

// joined reports whether a term is two words of the query written as one.
func (t *term) joined() bool { return len(t.words) > 0 }

// scratch is the working memory of one search.
type scratch struct {
	allowed []bool    // whether a document may be found; not to be changed
	times   []float32 // weighted frequency of the current term, by document
	scores  []float32 // by document
	touched []int32
}

// Search returns the best matches of q.Text among the memories that pass q's filters. Any text is a legal query; text
// without words matches nothing. Filters(q.Query) is true.
func (x *Index) Search(q Query) Result {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s, _ := x.pool.Get().(*scratch)
	if s == nil {
		s = &scratch{}
	}
	defer x.pool.Put(s)
	size := x.begin(s, q)
	terms := x.terms(q.Text)
	found := x.find(s, terms, size, max(Limit, q.Limit))
	if list := x.join(s, found, q.Also); len(list) > 0 {
		x.complete(s, terms, list[len(found):])
		return Result{Size: size, Candidates: x.measure(s, q, terms, list, size).ranked()}
	}
	return Result{Size: size}
}

// begin prepares the working memory and returns how many documents pass the filters.
func (x *Index) begin(s *scratch, q Query) int {
	n := x.docs.len()
	if cap(s.scores) < n {
		room := n + n/4 + 64
		s.times, s.scores = make([]float32, room), make([]float32, room)
	}
	s.times, s.scores = s.times[:n], s.scores[:n]
	clear(s.scores)
	p := x.passing(q.Query)
	s.allowed = p.docs
	return p.size
}

func (x *Index) newTerm(t rank.Token, everyday bool) term {
	return term{
		key: t.Key, number: x.vocabulary.find(t.Key), kind: t.Kind, pair: t.Pair,
		light: t.Identifier || t.Kind == rank.Whole || everyday,
	}
}

func bothEnds(text string) string {
	if len(text) <= 2*maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "\n" + strings.ToValidUTF8(text[len(text)-maxText:], "")
}

// weight is the most that a term adds to the score of a document.
func (x *Index) weight(t *term) float64 {
	if t.joined() {
		sum := 0.0
		for _, word := range t.words {
			sum += x.weight(word)
		}
		return sum
	}
	return t.asked * math.Pow(t.idf, x.weights.idf) * (x.weights.k1 + 1)
}

// leastSize is the least number of documents that an index is taken for: in a store of five memories every word
// would look common.
const leastSize = 50

// inverse is BM25's inverse document frequency, never negative.
func (x *Index) inverse(size, df float64) float64 {
	size = max(size, leastSize)
	return math.Log(1 + (max(0, size-df)+0.5)/(df+0.5))
}

// norms are the length norms of all fields: a frequency is divided by constant + factor·length.
type norms struct{ weight, constant, factor [fields]float32 }

func (x *Index) norms() (n norms) {
	for f := range fields {
		b := x.weights.length[f]
		n.weight[f], n.constant[f] = float32(x.weights.field[f]), float32(1-b)
		n.factor[f] = float32(b / x.docs.average(f))
	}
	return n
}

// frequency is the weighted frequency of a term in the document at the cursor.
func (x *Index) frequency(c *cursor, n *norms) float32 {
	if c.mask == 0 {
		return n.weight[body] / (n.constant[body] + n.factor[body]*float32(x.docs.lengths[body][c.doc]))
	}
	tf, at := float32(0), c.times
	for f := range fields {
		if c.mask&(1<<f) != 0 {
			tf += n.weight[f] * float32(c.data[at]) / (n.constant[f] + n.factor[f]*float32(x.docs.lengths[f][c.doc]))
			at++
		}
	}
	return tf
}

// candidate is a document that is measured.
type candidate struct {
	doc   int32
	votes float64 // scores of the candidates that cite it, as shares of the best
	parts [features]float64
}

// citing is how many of the best candidates vote for what they cite.
const citing = 50

// join makes candidates of documents. It adds the memories that the best of them cite, and those with the ids.
func (x *Index) join(s *scratch, found []int32, also []string) []candidate {
	out := make([]candidate, 0, len(found)+len(also)+8)
	at := make(map[int32]int, len(found))
	place := func(d int32) int {
		i, ok := at[d]
		if !ok {
			i = len(out)
			at[d] = i
			out = append(out, candidate{doc: d})
		}
		return i
	}
	for _, d := range found {
		place(d)
	}
	for _, d := range found[:min(citing, len(found))] {
		for _, id := range x.links[d] {
			if to := x.docs.docs[id]; to != none && s.allowed[to] {
				out[place(to)].votes += float64(s.scores[d] / s.scores[found[0]])
			}
		}
	}
	for _, id := range also {
		if d, known := x.docs.find(id); known {
			place(d)
		}
	}
	return out
}
