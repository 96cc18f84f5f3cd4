package recall

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Search finds memories for a person: by words, best first, or without words
// by the filters alone, newest first. Nothing is left out for lack of trust.
func (e *Service) Search(ctx context.Context, ask SearchRequest) (SearchResponse, error) {
	start := e.Now()
	p, err := e.Event.Place(ctx, ask.ProjectRef)
	if err != nil {
		return SearchResponse{}, err
	}
	e.Event.LogDegraded("vault", e.SyncVault(ctx, event.Person))
	q := ask.Query
	q.Project, q.Within = p.Key, "*"
	q.Limit, q.Offset = max(q.Limit, 0), max(q.Offset, 0)
	q.File = e.Relative(p, q.File)
	out := SearchResponse{Project: p, At: start, Hits: []mem.Hit{}, Terms: []string{}}
	if q.Text == "" {
		err := e.listed(ctx, q, ask.Facets, &out)
		out.TookMS = Ms1(e.Now().Sub(start))
		return out, err
	}
	q.Text = e.Redactor.Text(q.Text)
	how, warning, err := e.strategy(ctx, ask.Strategy, q.Text)
	if err != nil {
		return SearchResponse{}, err
	}
	limit, offset := cmp.Or(q.Limit, mem.DefaultLimit), q.Offset
	q.Terms = rank.Terms(q.Text)
	q.Limit = max(rank.Candidates, limit)
	rule := rank.Ask{Text: q.Text, Terms: q.Terms, Now: start, Search: true, Without: Set(ask.Without)}
	hits, size, err := e.first(ctx, how, q, rule, limit+offset+1) // one more shows whether there is a next page
	if err != nil {
		return SearchResponse{}, err
	}
	if out.Searched, err = e.searched(ctx, q, size, len(hits)); err != nil {
		return SearchResponse{}, err
	}
	if ask.Facets {
		out.Facets, out.Counted = facets(hits), len(hits)
	}
	out.page(hits[min(offset, len(hits)):], limit, offset)
	out.Stale, out.Warning = e.Standing(p, out.Hits), warning
	if ask.Facets {
		out.Marks = marks(q.Terms, out.Hits)
	}
	out.Terms, out.TookMS = append(out.Terms, q.Terms...), Ms1(e.Now().Sub(start))
	return out, nil
}

// page fills in the first hits, and where the next page begins.
func (r *SearchResponse) page(hits []mem.Hit, limit, offset int) {
	if len(hits) > limit {
		hits, r.Next = hits[:limit], strconv.Itoa(offset+limit)
	}
	r.Hits = append(r.Hits, hits...)
}

// Relative is a file, or with a slash at its end a folder, as memories name it.
func (e *Service) Relative(p mem.Project, file string) string {
	if file == "" {
		return ""
	}
	rel := e.Rel(p, file)
	if strings.HasSuffix(extract.Slashed(file), "/") {
		rel = strings.TrimSuffix(rel, "/") + "/"
	}
	return rel
}

// first returns the n best hits of a search or more, best first, and the size of the
// index. Behind the best of some candidates come those of twice as many, whatever n
// is: else a page would hold again what one before it did, and others would be on none.
func (e *Service) first(ctx context.Context, how Strategy, q mem.Query, rule rank.Ask, n int) (hits []mem.Hit, size int,
	err error,
) {
	known := map[string]bool{}
	for q.Offset = 0; ; q.Limit *= 2 {
		part, whole, err := e.withTalk(ctx, how, q, rule)
		if err != nil {
			return nil, 0, err
		}
		before := len(hits)
		for _, h := range part {
			if !known[h.Memory.ID] {
				known[h.Memory.ID], hits = true, append(hits, h)
			}
		}
		if len(hits) >= n || len(hits) == before {
			return hits, whole, nil
		}
	}
}

// withTalk is rankedBy that also finds what was said, unless kinds are asked for.
func (e *Service) withTalk(ctx context.Context, how Strategy, q mem.Query, rule rank.Ask) ([]mem.Hit, int, error) {
	hits, size, err := e.rankedBy(ctx, how, q, rule)
	if err != nil || len(q.Kinds) > 0 {
		return hits, size, err
	}
	q.Kinds = []mem.Kind{mem.Utterance}
	said, more, err := e.rankedBy(ctx, how, q, rule)
	return rank.Merge(hits, said), size + more, err
}

// listed finds by the filters alone.
func (e *Service) listed(ctx context.Context, q mem.Query, withFacets bool, out *SearchResponse) error {
	limit, offset := cmp.Or(q.Limit, mem.DefaultLimit), q.Offset
	q.Limit = limit + 1
	if withFacets {
		q.Limit, q.Offset = max(facetBase, limit+offset+1), 0
	}
	ms, err := e.Store.List(ctx, q)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	hits := make([]mem.Hit, 0, len(ms))
	for _, mm := range ms {
		hits = append(hits, mem.Hit{Memory: mm})
	}
	if withFacets {
		out.Facets, out.Counted = facets(hits), len(hits)
		hits = hits[min(offset, len(hits)):]
	}
	out.page(hits, limit, offset)
	out.Stale = e.Standing(out.Project, out.Hits)
	if !withFacets || len(out.Hits) == 0 { // a request for facets gets no sum
		out.Searched, err = e.searched(ctx, q, 0, len(out.Hits))
	}
	return err
}

// strategy is how a search of text goes about it here, and a word on what it has to do without.
func (e *Service) strategy(ctx context.Context, how Strategy, text string) (Strategy, string, error) {
	switch how {
	case "", Auto, ByKeyword:
		return how, "", nil
	case ByVector, Hybrid:
	default:
		return how, "", fmt.Errorf("%q: %w", how, event.ErrNoStrategy)
	}
	em, ok := e.Event.CurrentEmbedder()
	if !ok {
		return ByKeyword, "there are no vectors here, so only words were searched for", nil
	}
	if _, err := e.questionVector(ctx, em, text); err != nil { // one that is there is not asked for again
		e.Event.LogDegraded("vectors", err)
		return ByKeyword, "the question's vector was not to be had, so only words were searched for", nil
	}
	return how, "", nil
}

// ranked returns the best matches of q.Terms, best first, and the size of the
// index that they were found in, or 0 if the store does not report it.
func (e *Service) ranked(ctx context.Context, q mem.Query, rule rank.Ask) ([]mem.Hit, int, error) {
	return e.rankedBy(ctx, Auto, q, rule)
}

func (e *Service) rankedBy(ctx context.Context, how Strategy, q mem.Query, rule rank.Ask) ([]mem.Hit, int, error) {
	if len(q.Statuses) == 0 && !q.Hidden {
		q.Statuses = event.Findable()
	}
	var near nearest
	if how != ByKeyword {
		near = e.near(ctx, q)
	}
	if how == ByVector {
		return near.hits, 0, nil
	}
	atHand, err := e.ofFiles(ctx, q, rule.Files)
	if err != nil {
		return nil, 0, err
	}
	if x, ok := e.Store.(indexed); ok {
		also := slices.Concat(atHand, near.hits)
		ask := index.Query{Query: q, Now: rule.Now, Without: rule.Without, Also: ids(also)}
		if found, ok := x.Search(ctx, ask); ok {
			hits, err := e.read(ctx, found.Candidates, also, q.Limit)
			return rank.Order(rule, e.withNearest(ctx, q, near, hits)), found.Size, err
		}
	}
	hits, corpus, err := e.Matched(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	for _, h := range atHand {
		if !extract.Contains(hits, h.Memory.ID) {
			hits = append(hits, h)
		}
	}
	rule.Corpus = corpus
	return index.Rerank(rule, e.withNearest(ctx, q, near, hits)), corpus.Size, nil
}

// indexed is a store with an index of its memories in RAM; see index.Store.Search.
type indexed interface {
	Search(ctx context.Context, q index.Query) (found index.Result, ok bool)
}

// read returns the n best candidates as hits, and those that are among also.
func (e *Service) read(ctx context.Context, found []index.Candidate, also []mem.Hit, n int) ([]mem.Hit, error) {
	known := make(map[string]mem.Hit, len(found))
	for _, h := range also {
		known[h.Memory.ID] = h
	}
	missing := make([]string, 0, n)
	for i, c := range found {
		if _, ok := known[c.ID]; !ok && i < n {
			missing = append(missing, c.ID)
		}
	}
	if len(missing) > 0 {
		ms, err := e.Store.List(ctx, mem.Query{IDs: missing, ExactIDs: true, Hidden: true, Within: "*"})
		if err != nil {
			return nil, fmt.Errorf("read candidates: %w", err)
		}
		for _, m := range ms {
			known[m.ID] = mem.Hit{Memory: m}
		}
	}
	out := make([]mem.Hit, 0, len(known))
	for _, c := range found {
		if h, ok := known[c.ID]; ok {
			h.Score, h.Parts = c.Score, c.Parts
			out = append(out, h)
		}
	}
	return out, nil
}

func ids(hits []mem.Hit) []string {
	out := make([]string, 0, len(hits))
	for _, h := range hits {
		out = append(out, h.Memory.ID)
	}
	return out
}

// Matched returns the best matches of q.Terms by the store's full-text search, and how
// common the terms are.
func (e *Service) Matched(ctx context.Context, q mem.Query) ([]mem.Hit, mem.Corpus, error) {
	corpus, err := e.Store.Count(ctx, q)
	if err != nil {
		return nil, corpus, fmt.Errorf("count: %w", err)
	}
	rare := q
	rare.Terms = rank.Choose(q.Terms, corpus)
	hits, err := e.Store.Match(ctx, rare)
	if err != nil {
		return nil, corpus, fmt.Errorf("match: %w", err)
	}
	return hits, corpus, nil
}

// quickCount is the size of an index up to which counting the memories of a
// project takes less time than searching them.
const quickCount = 1000

// searched returns how many memories of the query's kinds were searched. In a large index they are counted only if none
// was found; 0 means that they were not counted.
func (e *Service) searched(ctx context.Context, q mem.Query, size, hits int) (int, error) {
	if size > quickCount && hits > 0 {
		return 0, nil
	}
	st, err := e.Store.Stats(ctx, q.Project, e.Event.Today())
	if err != nil {
		return 0, fmt.Errorf("counts: %w", err)
	}
	n := 0
	for _, k := range q.Kinds {
		n += st.Kinds[k]
	}
	if len(q.Kinds) == 0 {
		n = st.Memories
		if q.Text != "" {
			n += st.Kinds[mem.Utterance]
		}
	}
	return max(n, hits), nil // memories of user scope belong to no project
}

// Set returns a set of values.
func Set(names []string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// Ms1 is d in milliseconds.
func Ms1(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
