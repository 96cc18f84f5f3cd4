package recall

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/index"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// candidates returns the memories that may be injected, best first, and among how many they were found.
func (e *Service) candidates(ctx context.Context, q Question, ask rank.Ask) (hits []mem.Hit, among int, err error) {
	if !q.strict {
		q.Query.Limit = rank.Candidates
		return e.rankedBy(ctx, Auto, q.Query, ask)
	}
	ms, err := e.Store.List(ctx, q.Query)
	if err != nil {
		return nil, 0, fmt.Errorf("list: %w", err)
	}
	for i, mm := range ms {
		hits = append(hits, mem.Hit{Memory: mm, Score: 1 / float64(1+i)})
	}
	return hits, len(ms), nil
}

// rankedBy returns the best matches of q.Terms, best first, and among how many
// memories they were found, or 0 if the store does not report it.
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
	hits, size, scored, err := e.fromIndex(ctx, q, rule, slices.Concat(atHand, near.hits), nil)
	if !scored && err == nil {
		hits, rule.Corpus, err = e.fullText(ctx, q)
		size = rule.Corpus.Size
		for _, h := range atHand {
			if !extract.Contains(hits, h.Memory.ID) {
				hits = append(hits, h)
			}
		}
	}
	if err != nil {
		return nil, 0, err
	}
	hits = e.withNearest(ctx, q, near, hits)
	if scored {
		return rank.Order(rule, hits), size, nil
	}
	return index.Rerank(rule, hits), size, nil
}

// fromIndex returns the matches of the store's index with their scores, and among how many memories they were found.
// Those in also are among them. It reports false if the store has no index, or the index is not ready.
func (e *Service) fromIndex(ctx context.Context, q mem.Query, rule rank.Ask, also []mem.Hit, read Known) (
	hits []mem.Hit, size int, ok bool, err error,
) {
	x, ok := e.Store.(indexed)
	if !ok {
		return nil, 0, false, nil
	}
	found, ok := x.Search(ctx, index.Query{Query: q, Now: rule.Now, Without: rule.Without, Also: ids(also)})
	if !ok {
		return nil, 0, false, nil
	}
	hits, err = e.read(ctx, found.Candidates, also, q.Limit, read)
	return hits, found.Size, true, err
}

// nearest is what is nearest to a query in meaning, nearest first; a hit's score is the
// cosine. The zero value is of a query without a vector.
type nearest struct {
	model  string
	vector []float32
	hits   []mem.Hit
}

// near finds what is nearest to q.Text, which has been redacted. Without vectors, or if the
// query's vector is not to be had at once, it finds nothing.
func (e *Service) near(ctx context.Context, q mem.Query) nearest {
	em, ok := e.Event.CurrentEmbedder()
	if !ok || strings.TrimSpace(q.Text) == "" {
		return nearest{}
	}
	v, err := e.questionVector(ctx, em, q.Text)
	if err != nil {
		e.Event.LogDegraded("vectors", err)
		return nearest{}
	}
	hits, err := e.Store.Near(ctx, em.Model(), v, q, rank.Candidates)
	if err != nil {
		e.Event.LogDegraded("vectors", err)
		return nearest{}
	}
	return nearest{em.Model(), v, hits}
}

// DefaultEmbedWait is how long an answer waits for a question's vector.
const DefaultEmbedWait = 150 * time.Millisecond

// questionVector waits no longer than the person allows.
func (e *Service) questionVector(ctx context.Context, em event.Embedder, text string) ([]float32, error) {
	wait := e.Settings().EmbedWait
	if wait <= 0 {
		wait = DefaultEmbedWait
	}
	within, stop := context.WithTimeout(ctx, wait)
	defer stop()
	return em.EmbedQuestion(within, text)
}

// perFile is how many memories of each file at hand are looked at whatever their words.
const perFile = 5

// ofFiles returns what is known of the files at hand, for a query of any kinds. Many memories
// may match better by their words; whether these are relevant is decided by the same rules.
func (e *Service) ofFiles(ctx context.Context, q mem.Query, files []string) ([]mem.Hit, error) {
	if len(q.Kinds) > 0 {
		return nil, nil
	}
	var hits []mem.Hit
	q.Kinds, q.Limit, q.Offset, q.Order = event.Knowledge(), perFile, 0, mem.ByImportance
	for _, f := range files[:min(len(files), mem.MaxAnchors)] {
		q.File = f
		ms, err := e.Store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("memories of %s: %w", f, err)
		}
		for _, mm := range ms {
			if !extract.Contains(hits, mm.ID) {
				hits = append(hits, mem.Hit{Memory: mm})
			}
		}
	}
	return hits, nil
}

// indexed is a store with an index of its memories in RAM; see index.Store.Search.
type indexed interface {
	Search(ctx context.Context, q index.Query) (found index.Result, ok bool)
	Await(ctx context.Context, most time.Duration)
}

// indexPatience is how long a prompt waits for the index of a daemon that has just started: one of 10,000 memories is
// built meanwhile, and without it a prompt finds less.
const indexPatience = 250 * time.Millisecond

// awaitIndex waits until the index of a store is built, if it is being built, for indexPatience at most.
func awaitIndex(ctx context.Context, s mem.Store) {
	if x, ok := s.(indexed); ok {
		x.Await(ctx, indexPatience)
	}
}

// Known are memories that searches have read, by id: those of one job read each once. Nil keeps none.
type Known map[string]mem.Memory

// mostKnown bounds the memories that are kept.
const mostKnown = 2000

// keep adds memories that were read.
func (k Known) keep(ms []mem.Memory) {
	if k == nil {
		return
	}
	if len(k) > mostKnown {
		clear(k)
	}
	for _, m := range ms {
		k[m.ID] = m
	}
}

// read returns the n best candidates as hits, and those that are among also.
func (e *Service) read(ctx context.Context, found []index.Candidate, also []mem.Hit, n int, kept Known) (
	[]mem.Hit, error,
) {
	known := make(map[string]mem.Hit, len(found))
	for _, h := range also {
		known[h.Memory.ID] = h
	}
	missing := make([]string, 0, n)
	for _, c := range found[:min(n, len(found))] {
		if _, ok := known[c.ID]; ok {
			continue
		}
		if m, ok := kept[c.ID]; ok {
			known[c.ID] = mem.Hit{Memory: m}
			continue
		}
		missing = append(missing, c.ID)
	}
	if len(missing) > 0 {
		ms, err := e.Store.List(ctx, mem.Query{IDs: missing, ExactIDs: true, Hidden: true, Within: "*"})
		if err != nil {
			return nil, fmt.Errorf("read candidates: %w", err)
		}
		kept.keep(ms)
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

// withNearest adds what is nearest in meaning to hits by words, and to all of them their
// cosines where they are known. The score by words of what is added is 0.
func (e *Service) withNearest(ctx context.Context, q mem.Query, n nearest, hits []mem.Hit) []mem.Hit {
	if n.vector == nil {
		return hits
	}
	cos, known := map[string]float64{}, map[string]bool{}
	for _, h := range n.hits {
		cos[h.Memory.ID] = h.Score
	}
	var rest []string
	for _, h := range hits {
		known[h.Memory.ID] = true
		if _, ok := cos[h.Memory.ID]; !ok {
			rest = append(rest, h.Memory.ID)
		}
	}
	if len(rest) > 0 {
		more, err := e.Store.Near(ctx, n.model, n.vector, mem.Query{
			IDs: rest, Hidden: q.Hidden, Statuses: q.Statuses, Within: "*",
		}, len(rest))
		e.Event.LogDegraded("vectors", err)
		for _, h := range more {
			cos[h.Memory.ID] = h.Score
		}
	}
	out := slices.Clone(hits)
	for _, h := range n.hits {
		if !known[h.Memory.ID] {
			h.Score = 0
			out = append(out, h)
		}
	}
	for i, h := range out {
		if c, ok := cos[h.Memory.ID]; ok {
			parts := map[string]float64{mem.PartCos: c}
			maps.Copy(parts, h.Parts)
			out[i].Parts = parts
		}
	}
	return out
}

// Matched returns the memories that share most with q.Text by its words, best first: by the store's index, or by its
// full-text search and q.Terms while there is no index. Without q.Terms those of the text are taken. What is known is
// not read again.
func (e *Service) Matched(ctx context.Context, q mem.Query, known Known) ([]mem.Hit, error) {
	hits, _, ok, err := e.fromIndex(ctx, q, rank.Ask{Now: e.Now()}, nil, known)
	if !ok && err == nil {
		if q.Terms == nil {
			q.Terms = rank.Terms(q.Text)
		}
		hits, _, err = e.fullText(ctx, q)
	}
	return hits, err
}

// fullText returns the best matches of q.Terms by the store's full-text search, and how
// common the terms are.
func (e *Service) fullText(ctx context.Context, q mem.Query) ([]mem.Hit, mem.Corpus, error) {
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
