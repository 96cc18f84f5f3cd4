//go:build surreal || backends

package surreal

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
)

// class is the sort of memories that a query searches: utterances, or all others.
type class struct{ field, condition string }

func classOf(q mem.Query) class {
	if stored.SearchesUtterances(q) {
		return class{"spoken", "kind = 'utterance'"}
	}
	return class{"stems", "kind != 'utterance'"}
}

// Count implements mem.Store.
func (s *Store) Count(ctx context.Context, q mem.Query) (mem.Corpus, error) {
	c, _, err := s.count(ctx, q)
	return c, wrap("count", err)
}

// count returns the counts of the terms, and the terms.
func (s *database) count(ctx context.Context, q mem.Query) (mem.Corpus, []stored.Term, error) {
	of := classOf(q)
	all, err := s.corpusOf(ctx, of)
	if err != nil || all.size == 0 {
		return stored.CorpusOf(q, all.size, nil), nil, err
	}
	terms := stored.TermsOf(q)
	for i, t := range terms {
		if terms[i].Count, err = s.countTerm(ctx, of, t); err != nil {
			return stored.CorpusOf(q, all.size, nil), nil, err
		}
	}
	return stored.CorpusOf(q, all.size, terms), terms, nil
}

// corpus is the size of all memories of a class.
type corpus struct {
	size  int
	words float64
}

// corpusOf returns the size of a class.
func (s *database) corpusOf(ctx context.Context, of class) (c corpus, err error) {
	r, _, err := first(ctx, s, query("SELECT math::sum(n) AS n, math::sum(words) AS words FROM memory_total WHERE "+
		of.condition+" GROUP ALL"), whole)
	return corpus{r.Count("n"), r.Float("words")}, err
}

// countTerm counts the memories that contain a term. Of a phrase it examines those that contain its words.
func (s *database) countTerm(ctx context.Context, of class, t stored.Term) (int, error) {
	match := query(of.field+" @@ ?", t.Text()) // no other class has the field, and the server reads no record for it
	if len(t.Stems) == 1 {
		return countOf(ctx, s, "memory", match)
	}
	found, err := s.run(ctx, query("SELECT "+of.field+", places FROM memory WHERE ").Append(match))
	n := 0
	for _, r := range found {
		if t.In(stored.PlacesOf([]stored.Term{t}, form.Words(r, of.field))) {
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
	size, terms, err := s.count(ctx, q)
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	of := classOf(q)
	all, err := s.corpusOf(ctx, of)
	if err != nil || all.size == 0 { // erased meanwhile
		return nil, err
	}
	sc := stored.NewScoring(q, terms, size.Size, all.words/float64(all.size))
	best, err := sc.Best(q, func(terms []stored.Term) ([]stored.Candidate, error) {
		return s.candidates(ctx, of, sc, terms, where)
	})
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, best)
}

// candidates returns memories that contain one of some terms, scored.
func (s *database) candidates(ctx context.Context, of class, sc stored.Scoring, terms []stored.Term, where *statement,
) (found []stored.Candidate, err error) {
	var words []string
	for _, t := range terms {
		words = append(words, t.Stems...)
	}
	all, err := s.run(ctx, query("SELECT * FROM (SELECT number, created, length, places, "+of.field+
		", search::score(0) AS score FROM memory WHERE "+of.field+" @0,OR@ ? AND ",
		strings.Join(words, " ")).Append(where).
		Add(" ORDER BY score DESC, created DESC) LIMIT ?", stored.MostScored))
	for _, r := range all {
		c := stored.Candidate{Number: r.Number("number"), Created: r.Number("created")}
		ok := false
		if c.Score, ok = sc.Score(stored.PlacesOf(sc.Terms, form.Words(r, of.field)), r.Float("length")); ok {
			found = append(found, c)
		}
	}
	return found, err
}

// hits reads the memories of candidates, in their order.
func (s *database) hits(ctx context.Context, found []stored.Candidate) ([]mem.Hit, error) {
	return stored.Hits(found, func(numbers []int64) ([]mem.Memory, error) { return inOrder(ctx, s, numbers) })
}
