//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
)

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
func (s *database) count(ctx context.Context, q mem.Query) (out mem.Corpus, terms []form.Term, err error) {
	of := classOf(q)
	out.DocFreq = make([]int, len(q.Terms))
	if out.Size, err = countOf(ctx, s, "memory", query(of.condition)); err != nil || out.Size == 0 {
		return out, nil, err
	}
	for i, text := range q.Terms[:min(len(q.Terms), mem.MaxTerms)] {
		t := form.TermOf(text)
		if len(t.Stems) == 0 {
			continue
		}
		if t.Count, err = s.countTerm(ctx, of, t); err != nil {
			return out, nil, err
		}
		terms, out.DocFreq[i] = append(terms, t), t.Count
	}
	return out, terms, nil
}

// countTerm counts the memories that contain a term. Of a phrase it examines those that contain its words.
func (s *database) countTerm(ctx context.Context, of class, t form.Term) (int, error) {
	match := query(of.field+" @@ ? AND "+of.condition, t.Words())
	if len(t.Stems) == 1 {
		return countOf(ctx, s, "memory", match)
	}
	found, err := s.run(ctx, query("SELECT "+of.field+", places FROM memory WHERE ").Append(match))
	n := 0
	for _, r := range found {
		if t.WeightIn(form.PlacesOf(r, of.field, []form.Term{t}), [4]float64{1, 1, 1, 1}) > 0 {
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
	terms = slices.DeleteFunc(terms, func(t form.Term) bool { return t.Count == 0 })
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	slices.SortStableFunc(terms, func(a, b form.Term) int {
		return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(a.Words(), b.Words()))
	})
	terms = slices.CompactFunc(terms, func(a, b form.Term) bool { return a.Words() == b.Words() })
	of := classOf(q)
	sum, _, err := first(ctx, s, query("SELECT math::sum(length) AS n FROM memory WHERE "+of.condition+" GROUP ALL"),
		whole)
	if err != nil {
		return nil, err
	}
	sc := form.Scoring{
		Field: of.field, Terms: terms, Size: corpus.Size, Mean: max(1, sum.Float("n")/float64(corpus.Size)),
		Weights: form.WeightsOf(searchesUtterances(q)),
	}
	from, want := max(q.Offset, 0), stored.LimitOr(q.Limit)
	best, err := s.candidates(ctx, of, sc, where, from+want)
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, best[min(from, len(best)):min(from+want, len(best))])
}

// candidates returns the best memories that match, best first; ties break by newest.
func (s *database) candidates(ctx context.Context, of class, sc form.Scoring, where *statement, want int,
) ([]form.Candidate, error) {
	rare, sum := 0, 0
	for rare < len(sc.Terms) && (rare == 0 || sum+sc.Terms[rare].Count <= mostScored) {
		sum += sc.Terms[rare].Count
		rare++
	}
	var found []form.Candidate
	for _, n := range []int{rare, len(sc.Terms)} {
		var words []string
		for _, t := range sc.Terms[:n] {
			words = append(words, t.Stems...)
		}
		all, err := s.run(ctx, query("SELECT * FROM (SELECT number, created, length, places, "+of.field+
			", search::score(0) AS score FROM memory WHERE "+of.field+" @0,OR@ ? AND "+of.condition+" AND ",
			strings.Join(words, " ")).Append(where).
			Add(" ORDER BY score DESC, created DESC) LIMIT ?", mostScored))
		if err != nil {
			return nil, err
		}
		found = nil
		for _, r := range all {
			if c, ok := sc.Score(r); ok {
				found = append(found, c)
			}
		}
		if len(found) >= want || n == len(sc.Terms) {
			break
		}
	}
	slices.SortFunc(found, func(a, b form.Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Created, a.Created), cmp.Compare(b.Number, a.Number))
	})
	return found, nil
}

// hits reads the memories of candidates, in their order.
func (s *database) hits(ctx context.Context, found []form.Candidate) ([]mem.Hit, error) {
	numbers := make([]int64, len(found))
	scores := map[string]float64{}
	for i, c := range found {
		numbers[i] = c.Number
		scores[stored.MemoryID(c.Number)] = c.Score
	}
	ms, err := inOrder(ctx, s, numbers)
	out := make([]mem.Hit, 0, len(ms))
	for _, m := range ms {
		out = append(out, mem.Hit{Memory: m, Score: scores[m.ID]})
	}
	return out, err
}
