package recall

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
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
	r.Hits, r.offset = append(r.Hits, hits...), offset
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
		q.Limit, q.Offset = max(facetBase, limit+offset)+1, 0
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
		counted := hits[:min(len(hits), q.Limit-1)]
		out.Facets, out.Counted = facets(counted), len(counted)
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
