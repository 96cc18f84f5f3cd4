//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/store/stored"
)

// The full-text index finds memories by our own words, so that all back ends agree which word is which. The score is
// made here, of the places of the words: phrases, and the weights of the sorts of text, need them.

const (
	maxStem   = 200    // bytes of a word that are indexed
	maxPlaces = 16_000 // words of a memory that are indexed
	maxPhrase = 400    // bytes of one term of a query
)

// weighed is text of one sort.
type weighed struct {
	text   string
	weight byte // A, B, C or D
}

// memoryTexts are the indexed texts of a memory: its body, its title, and the names of things.
func memoryTexts(m mem.Memory) []weighed {
	return []weighed{{stored.SearchBody(m), 'A'}, {m.Title, 'B'}, {stored.SearchIdent(m), 'C'}}
}

// utteranceTexts are the indexed texts of an utterance: its own, and those of its neighbours. The speaker counts twice.
func utteranceTexts(u stored.IndexedUtterance) []weighed {
	return []weighed{
		{u.Text(), 'A'},
		{u.Speaker(), 'A'},
		{u.Speaker(), 'A'},
		{u.Day(), 'A'},
		{u.Ident, 'B'},
		{u.Near, 'C'},
		{u.Far, 'D'},
	}
}

// weightsOf are the weights A to D in a score: of memories, and of utterances.
func weightsOf(utterances bool) [4]float64 {
	if utterances {
		return [4]float64{1, 0.7, 0.5, 0.3}
	}
	return [4]float64{1, 0.8, 0.7, 0}
}

// indexed is what a text is found by: its words, and the places of each with the weight of its text, as 7A,12B.
type indexed struct {
	order  []string
	places map[string][]byte
	length int
}

// indexOf indexes texts. Between two texts is a gap, so that no phrase reaches over it.
func indexOf(list []weighed) indexed {
	x := indexed{places: map[string][]byte{}}
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

// set sets the fields of a memory that are made of its texts. words is the field that is indexed.
func (x indexed) set(fields map[string]any, words string) {
	places := make([]string, len(x.order))
	for i, stem := range x.order {
		places[i] = string(x.places[stem])
	}
	fields[words], fields["places"], fields["length"] = strings.Join(x.order, " "), strings.Join(places, " "), x.length
}

// stems yields the words of a text. None has a blank.
func stems(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for stem := range rank.Stems(plainText(text)) {
			if len(stem) > maxStem {
				stem = strings.ToValidUTF8(stem[:maxStem], "")
			}
			if !yield(stem) {
				return
			}
		}
	}
}

// term is a word or a phrase of a query.
type term struct {
	stems []string
	count int // memories that contain it
}

// termOf returns the words of a term; none if it contains no word.
func termOf(text string) term {
	if len(text) > maxPhrase {
		text = strings.ToValidUTF8(text[:maxPhrase], "")
	}
	return term{stems: slices.Collect(stems(text))}
}

// words are those of the term, as the index has them.
func (t term) words() string { return strings.Join(t.stems, " ") }

// class is the sort of memories that a query searches: utterances, or all others.
type class struct{ field, condition string }

func classOf(q mem.Query) class {
	if searchesUtterances(q) {
		return class{"spoken", "kind = 'utterance'"}
	}
	return class{"stems", "kind != 'utterance'"}
}

func searchesUtterances(q mem.Query) bool { return slices.Contains(q.Kinds, mem.Utterance) }

// mostScored is how many memories are scored. If more match, those of the rarest terms are.
const mostScored = 3000

// Count implements mem.Store.
func (s *Store) Count(ctx context.Context, q mem.Query) (mem.Corpus, error) {
	c, _, err := s.count(ctx, q)
	return c, wrap("count", err)
}

// count returns the counts of the terms, and the terms.
func (s *database) count(ctx context.Context, q mem.Query) (out mem.Corpus, terms []term, err error) {
	of := classOf(q)
	out.DocFreq = make([]int, len(q.Terms))
	if out.Size, err = countOf(ctx, s, "memory", query(of.condition)); err != nil || out.Size == 0 {
		return out, nil, err
	}
	for i, text := range q.Terms[:min(len(q.Terms), mem.MaxTerms)] {
		t := termOf(text)
		if len(t.stems) == 0 {
			continue
		}
		if t.count, err = s.countTerm(ctx, of, t); err != nil {
			return out, nil, err
		}
		terms, out.DocFreq[i] = append(terms, t), t.count
	}
	return out, terms, nil
}

// countTerm counts the memories that contain a term. Of a phrase it examines those that contain its words.
func (s *database) countTerm(ctx context.Context, of class, t term) (int, error) {
	match := query(of.field+" @@ ? AND "+of.condition, t.words())
	if len(t.stems) == 1 {
		return countOf(ctx, s, "memory", match)
	}
	found, err := s.run(ctx, query("SELECT "+of.field+", places FROM memory WHERE ").append(match))
	n := 0
	for _, r := range found {
		if t.weightIn(placesOf(r, of, []term{t}), [4]float64{1, 1, 1, 1}) > 0 {
			n++
		}
	}
	return n, err
}

// Match implements mem.Store. The score is BM25 with the weights of the sorts of text.
func (s *Store) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	where, err := s.matchFilter(ctx, q)
	if errors.Is(err, mem.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("match: memory %w", translate(err))
	}
	hits, err := s.match(ctx, q, where)
	return hits, wrap("match", err)
}

// matchFilter returns the conditions of q other than terms.
func (s *database) matchFilter(ctx context.Context, q mem.Query) (*statement, error) {
	if len(q.IDs) == 0 {
		return s.memoriesWhere(ctx, q)
	}
	numbers, err := s.resolveIDs(ctx, q)
	return query("number IN ?", numbers), err
}

func (s *database) match(ctx context.Context, q mem.Query, where *statement) ([]mem.Hit, error) {
	corpus, terms, err := s.count(ctx, q)
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.count == 0 })
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	slices.SortStableFunc(terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.words(), b.words()))
	})
	terms = slices.CompactFunc(terms, func(a, b term) bool { return a.words() == b.words() })
	of := classOf(q)
	sum, _, err := first(ctx, s, query("SELECT math::sum(length) AS n FROM memory WHERE "+of.condition+" GROUP ALL"), whole)
	if err != nil {
		return nil, err
	}
	sc := scoring{
		of: of, terms: terms, size: corpus.Size, mean: max(1, sum.float("n")/float64(corpus.Size)),
		weights: weightsOf(searchesUtterances(q)),
	}
	from, want := max(q.Offset, 0), stored.LimitOr(q.Limit)
	best, err := s.candidates(ctx, sc, where, from+want)
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, best[min(from, len(best)):min(from+want, len(best))])
}

// candidates returns the best memories that match, best first; ties break by newest.
func (s *database) candidates(ctx context.Context, sc scoring, where *statement, want int) ([]candidate, error) {
	rare, sum := 0, 0
	for rare < len(sc.terms) && (rare == 0 || sum+sc.terms[rare].count <= mostScored) {
		sum += sc.terms[rare].count
		rare++
	}
	var found []candidate
	for _, n := range []int{rare, len(sc.terms)} {
		var words []string
		for _, t := range sc.terms[:n] {
			words = append(words, t.stems...)
		}
		all, err := s.run(ctx, query("SELECT * FROM (SELECT number, created, length, places, "+sc.of.field+
			", search::score(0) AS score FROM memory WHERE "+sc.of.field+" @0,OR@ ? AND "+sc.of.condition+" AND ", strings.Join(words, " ")).append(where).
			add(" ORDER BY score DESC, created DESC) LIMIT ?", mostScored))
		if err != nil {
			return nil, err
		}
		found = nil
		for _, r := range all {
			if c, ok := sc.score(r); ok {
				found = append(found, c)
			}
		}
		if len(found) >= want || n == len(sc.terms) {
			break
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.created, a.created), cmp.Compare(b.number, a.number))
	})
	return found, nil
}

// candidate is a memory that contains terms of a query.
type candidate struct {
	number, created int64
	score           float64
}

// scoring has what a score depends on besides the memory.
type scoring struct {
	of      class
	terms   []term
	size    int     // memories in the index
	mean    float64 // words of a memory
	weights [4]float64
}

// Parameters of BM25, as SQLite's FTS5 has them.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// score scores a memory. ok is false if it has the words of a phrase alone, and not the phrase.
func (sc scoring) score(r row) (c candidate, ok bool) {
	c.number, c.created = r.number("number"), r.number("created")
	places, length := placesOf(r, sc.of, sc.terms), r.float("length")
	for _, t := range sc.terms {
		times := t.weightIn(places, sc.weights)
		ok = ok || t.weightIn(places, [4]float64{1, 1, 1, 1}) > 0
		n := float64(t.count)
		idf := max(1e-6, math.Log((float64(sc.size)-n+0.5)/(n+0.5)))
		c.score += idf * times * (bm25K1 + 1) / (times + bm25K1*(1-bm25B+bm25B*length/sc.mean))
	}
	return c, ok
}

// placesOf are where the words of terms are in a memory, with the number of the weight of each place.
func placesOf(r row, of class, terms []term) map[string]map[int]byte {
	out := map[string]map[int]byte{}
	for _, t := range terms {
		for _, stem := range t.stems {
			out[stem] = nil
		}
	}
	lists := strings.Split(r.text("places"), " ")
	for i, stem := range strings.Split(r.text(of.field), " ") {
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

// weightIn adds up the weights of the places at which the term begins. Places are counted first: a sum of fractions
// depends on their order, and that of a map is random.
func (t term) weightIn(places map[string]map[int]byte, weights [4]float64) (sum float64) {
	var times [4]int
next:
	for at, weight := range places[t.stems[0]] {
		for i, stem := range t.stems[1:] {
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

// hits reads the memories of candidates, in their order.
func (s *database) hits(ctx context.Context, found []candidate) ([]mem.Hit, error) {
	numbers := make([]int64, len(found))
	scores := map[string]float64{}
	for i, c := range found {
		numbers[i] = c.number
		scores[stored.MemoryID(c.number)] = c.score
	}
	ms, err := inOrder(ctx, s, numbers)
	out := make([]mem.Hit, 0, len(ms))
	for _, m := range ms {
		out = append(out, mem.Hit{Memory: m, Score: scores[m.ID]})
	}
	return out, err
}
