//go:build postgres || backends

package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/store/stored"
)

// The index of a text is a tsvector of our own words, so that all back ends agree which word is which: the server's
// dictionaries are not used. The weight of a place names the sort of text that the word is from.

const (
	maxStem   = 200       // bytes of a word that are indexed
	maxPlaces = 16_000    // words of a memory that are indexed; a tsvector knows 16,383 places
	maxVector = 500 << 10 // bytes of a vector's text; a tsvector takes a megabyte
	maxPhrase = 400       // bytes of one term of a query
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

// textVector is a tsvector as text, and the number of its words.
type textVector struct {
	text   string
	length int
}

// vectorOf makes the vector of texts. Between two texts is a gap, so that no phrase reaches over it.
func vectorOf(texts []weighed) (v textVector) {
	places := map[string][]byte{}
	place, size := 0, 0
	var order []string
	for _, t := range texts {
		place++
		for stem := range stems(t.text) {
			if place++; place > maxPlaces || size > maxVector {
				break
			}
			if places[stem] == nil {
				order = append(order, stem)
				size += len(stem) + len("'': ")
			} else {
				places[stem] = append(places[stem], ',')
			}
			before := len(places[stem])
			places[stem] = append(strconv.AppendInt(places[stem], int64(place), 10), t.weight)
			size += len(places[stem]) - before
			v.length++
		}
	}
	var b strings.Builder
	for _, stem := range order {
		b.WriteString("'" + stem + "':")
		b.Write(places[stem])
		b.WriteByte(' ')
	}
	v.text = b.String()
	return v
}

// stems yields the words of a text, without what has a meaning in a tsvector.
func stems(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for stem := range rank.Stems(plainText(text)) {
			if !yield(cut(stem, maxStem)) {
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
	return term{stems: slices.Collect(stems(cut(text, maxPhrase)))}
}

// query is the term as a tsquery.
func (t term) query() string { return "('" + strings.Join(t.stems, "' <-> '") + "')" }

// ofClass is the condition of the memories that a query searches: utterances, or all others.
func ofClass(utterances bool) string {
	if utterances {
		return "m.kind = 'utterance'"
	}
	return "m.kind <> 'utterance'"
}

func searchesUtterances(q mem.Query) bool { return slices.Contains(q.Kinds, mem.Utterance) }

// mostCounted is up to which number the memories with a term are counted.
const mostCounted = 20_000

// Count implements mem.Store.
func (s *Store) Count(ctx context.Context, q mem.Query) (mem.Corpus, error) {
	c, _, err := s.count(ctx, q)
	return c, wrap("count", err)
}

// count returns the counts of the terms, and the terms.
func (s *database) count(ctx context.Context, q mem.Query) (out mem.Corpus, terms []term, err error) {
	class := ofClass(searchesUtterances(q))
	out.DocFreq = make([]int, len(q.Terms))
	if err := get(ctx, s.pool, query("SELECT count(*) FROM memory m WHERE "+class), &out.Size); err != nil {
		return out, nil, err
	}
	var queries []string
	var places []int
	for i, text := range q.Terms[:min(len(q.Terms), mem.MaxTerms)] {
		if t := termOf(text); len(t.stems) > 0 {
			terms, queries, places = append(terms, t), append(queries, t.query()), append(places, i)
		}
	}
	if out.Size == 0 || len(terms) == 0 {
		return out, nil, nil
	}
	counts, err := rows(ctx, s.pool, query(`SELECT (SELECT count(*) FROM (SELECT 1 FROM memory m WHERE `+class+`
		AND m.search @@ q.term::tsquery LIMIT ?) found) FROM unnest(?::text[]) WITH ORDINALITY q(term, place) ORDER BY place`,
		mostCounted, queries), one[int])
	if err != nil {
		return out, nil, err
	}
	for i, n := range counts {
		terms[i].count, out.DocFreq[places[i]] = n, n
	}
	return out, terms, nil
}

// mostScored is how many memories are scored. If more match, those of the rarest terms are.
const mostScored = 3000

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
		return memoriesWhere("", q), nil
	}
	numbers, err := s.resolveIDs(ctx, q)
	return query("m.number = ANY(?)", numbers), err
}

func (s *database) match(ctx context.Context, q mem.Query, where *statement) ([]mem.Hit, error) {
	corpus, terms, err := s.count(ctx, q)
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.count == 0 })
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	slices.SortStableFunc(terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(a.count, b.count), cmp.Compare(a.query(), b.query()))
	})
	terms = slices.CompactFunc(terms, func(a, b term) bool { return a.query() == b.query() })
	sc := scoring{terms: terms, size: corpus.Size, weights: weightsOf(searchesUtterances(q))}
	if err := get(ctx, s.pool, query("SELECT greatest(1, coalesce(avg(m.length), 1))::float8 FROM memory m WHERE "+
		ofClass(searchesUtterances(q))), &sc.mean); err != nil {
		return nil, err
	}
	from, want := max(q.Offset, 0), stored.LimitOr(q.Limit)
	best, err := s.candidates(ctx, sc, searchesUtterances(q), where, from+want)
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, best[min(from, len(best)):min(from+want, len(best))])
}

// candidates returns the best memories that match, best first; ties break by newest.
func (s *database) candidates(ctx context.Context, sc scoring, utterances bool, where *statement,
	want int,
) ([]candidate, error) {
	rare, sum := 0, 0
	for rare < len(sc.terms) && (rare == 0 || sum+sc.terms[rare].count <= mostScored) {
		sum += sc.terms[rare].count
		rare++
	}
	var found []candidate
	for _, n := range []int{rare, len(sc.terms)} {
		var any []string
		for _, t := range sc.terms[:n] {
			any = append(any, t.query())
		}
		tsquery := strings.Join(any, " | ")
		var err error
		found, err = rows(ctx, s.pool, query("SELECT m.number, m.created, m.length::float8, m.search::text FROM memory m "+
			"WHERE "+ofClass(utterances)+" AND m.search @@ ?::text::tsquery AND ", tsquery).append(where).
			add(" ORDER BY ts_rank(m.search, ?::text::tsquery, 1) DESC, m.created DESC LIMIT ?", tsquery, mostScored),
			sc.scan)
		if err != nil {
			return nil, err
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

// scan reads a candidate and scores it.
func (sc scoring) scan(r pgx.Rows) (c candidate, err error) {
	var length float64
	var vector string
	if err := r.Scan(&c.number, &c.created, &length, &vector); err != nil {
		return c, err
	}
	places := sc.places(vector)
	for _, t := range sc.terms {
		times := t.weightIn(places, sc.weights)
		n := float64(t.count)
		idf := max(1e-6, math.Log((float64(sc.size)-n+0.5)/(n+0.5)))
		c.score += idf * times * (bm25K1 + 1) / (times + bm25K1*(1-bm25B+bm25B*length/sc.mean))
	}
	return c, nil
}

// places are where the words of the terms are in a vector, with the number of the weight of each place.
func (sc scoring) places(vector string) map[string]map[int]byte {
	out := map[string]map[int]byte{}
	for _, t := range sc.terms {
		for _, stem := range t.stems {
			out[stem] = nil
		}
	}
	for word := range strings.FieldsSeq(vector) {
		stem, list, ok := strings.Cut(strings.TrimPrefix(word, "'"), "':")
		if _, wanted := out[stem]; !ok || !wanted {
			continue
		}
		at := map[int]byte{}
		for p := range strings.SplitSeq(list, ",") {
			weight := byte(3)
			if last := len(p) - 1; p[last] >= 'A' {
				weight, p = p[last]-'A', p[:last]
			}
			if n, err := strconv.Atoi(p); err == nil {
				at[n] = weight
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
	ms, err := inOrder(ctx, s.pool, numbers)
	out := make([]mem.Hit, 0, len(ms))
	for _, m := range ms {
		out = append(out, mem.Hit{Memory: m, Score: scores[m.ID]})
	}
	return out, err
}
