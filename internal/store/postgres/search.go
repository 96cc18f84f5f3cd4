//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// tsvector is an index as PostgreSQL takes it.
func tsvector(x stored.WordIndex) string {
	var b strings.Builder
	for i, stem := range x.Words {
		b.WriteString("'" + stem + "':" + x.Places[i] + " ")
	}
	return b.String()
}

// words yields the words of a tsvector with their places.
func words(vector string) iter.Seq2[string, string] {
	return func(yield func(stem, places string) bool) {
		for word := range strings.FieldsSeq(vector) {
			stem, places, ok := strings.Cut(strings.TrimPrefix(word, "'"), "':")
			if ok && !yield(stem, places) {
				return
			}
		}
	}
}

// tsquery is a term as PostgreSQL takes it.
func tsquery(t stored.Term) string { return "('" + strings.Join(t.Stems, "' <-> '") + "')" }

func tsqueries(terms []stored.Term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = tsquery(t)
	}
	return out
}

// ofClass is the condition of the memories that a query searches: utterances, or all others.
func ofClass(q mem.Query) string {
	if stored.SearchesUtterances(q) {
		return "m.kind = 'utterance'"
	}
	return "m.kind <> 'utterance'"
}

// mostCounted is up to which number the memories with a term are counted.
const mostCounted = 20_000

// Count implements mem.Store.
func (s *Store) Count(ctx context.Context, q mem.Query) (mem.Corpus, error) {
	c, _, err := s.count(ctx, q)
	return c, wrap("count", err)
}

// count returns the counts of the terms, and the terms.
func (s *database) count(ctx context.Context, q mem.Query) (mem.Corpus, []stored.Term, error) {
	size := 0
	err := get(ctx, s.pool, query("SELECT count(*) FROM memory m WHERE "+ofClass(q)), &size)
	terms := stored.TermsOf(q)
	if err != nil || size == 0 || len(terms) == 0 {
		return stored.CorpusOf(q, size, nil), nil, err
	}
	counts, err := rows(ctx, s.pool, query(`SELECT (SELECT count(*) FROM (SELECT 1 FROM memory m WHERE `+ofClass(q)+`
		AND m.search @@ q.term::tsquery LIMIT ?) found) FROM unnest(?::text[]) WITH ORDINALITY q(term, place) ORDER BY place`,
		mostCounted, tsqueries(terms)), one[int])
	for i, n := range counts {
		terms[i].Count = n
	}
	return stored.CorpusOf(q, size, terms), terms, err
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
		return memoriesWhere("", q), nil
	}
	numbers, err := s.resolveIDs(ctx, q)
	return query("m.number = ANY(?)", numbers), err
}

func (s *database) match(ctx context.Context, q mem.Query, where *statement) ([]mem.Hit, error) {
	corpus, terms, err := s.count(ctx, q)
	if err != nil || len(terms) == 0 {
		return nil, err
	}
	mean := 0.0
	if err := get(ctx, s.pool, query("SELECT coalesce(avg(m.length), 1)::float8 FROM memory m WHERE "+ofClass(q)),
		&mean); err != nil {
		return nil, err
	}
	sc := stored.NewScoring(q, terms, corpus.Size, mean)
	best, err := sc.Best(q, func(terms []stored.Term) ([]stored.Candidate, error) {
		any := strings.Join(tsqueries(terms), " | ")
		return rows(ctx, s.pool, query("SELECT m.number, m.created, m.length::float8, m.search::text FROM memory m "+
			"WHERE "+ofClass(q)+" AND m.search @@ ?::text::tsquery AND ", any).append(where).
			add(" ORDER BY ts_rank(m.search, ?::text::tsquery, 1) DESC, m.created DESC LIMIT ?", any, stored.MostScored),
			scored(sc))
	})
	if err != nil {
		return nil, err
	}
	return s.hits(ctx, best)
}

// scored reads a candidate and scores it.
func scored(sc stored.Scoring) func(pgx.Rows) (stored.Candidate, error) {
	return func(r pgx.Rows) (c stored.Candidate, err error) {
		var length float64
		var vector string
		if err := r.Scan(&c.Number, &c.Created, &length, &vector); err != nil {
			return c, err
		}
		c.Score, _ = sc.Score(stored.PlacesOf(sc.Terms, words(vector)), length)
		return c, nil
	}
}

// hits reads the memories of candidates, in their order.
func (s *database) hits(ctx context.Context, found []stored.Candidate) ([]mem.Hit, error) {
	return stored.Hits(found, func(numbers []int64) ([]mem.Memory, error) { return inOrder(ctx, s.pool, numbers) })
}
