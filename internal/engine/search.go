package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Search finds memories for a person: by words, best first, or without words
// by the filters alone, newest first. Nothing is left out for lack of trust.
func (e *Engine) Search(ctx context.Context, ask mem.SearchAsk) (mem.Found, error) {
	start := e.Now()
	p, err := e.place(ctx, ask.Place)
	if err != nil {
		return mem.Found{}, err
	}
	q := ask.Query
	q.Project, q.Within = p.Key, "*"
	if q.File != "" {
		q.File = e.Rel(p, q.File)
	}
	stats, err := e.Store.Stats(ctx, p.Key, e.today())
	if err != nil {
		return mem.Found{}, fmt.Errorf("counts: %w", err)
	}
	out := mem.Found{Project: p, Total: stats.Memories, At: start, Hits: []mem.Hit{}, Terms: []string{}}
	if q.Text == "" {
		ms, err := e.Store.List(ctx, q)
		if err != nil {
			return mem.Found{}, fmt.Errorf("list: %w", err)
		}
		for _, mm := range ms {
			out.Hits = append(out.Hits, mem.Hit{Memory: mm})
		}
		out.TookMS = ms1(e.Now().Sub(start))
		return out, nil
	}
	limit, offset := q.Limit, q.Offset
	if limit <= 0 {
		limit = mem.DefaultLimit
	}
	q.Terms = rank.Terms(e.Door.Text(q.Text))
	q.Limit, q.Offset = max(rank.Candidates, limit+offset), 0
	hits, err := e.Store.Match(ctx, q)
	if err != nil {
		return mem.Found{}, fmt.Errorf("match: %w", err)
	}
	hits = rank.Rerank(rank.Ask{Terms: q.Terms, Now: start, Search: true, Total: stats.Memories, Limit: q.Limit}, hits)
	out.Total = max(out.Total, len(hits)) // memories of user scope belong to no project
	hits = hits[min(offset, len(hits)):]
	out.Hits = append(out.Hits, hits[:min(limit, len(hits))]...)
	out.Terms, out.TookMS = append(out.Terms, q.Terms...), ms1(e.Now().Sub(start))
	return out, nil
}

// ms1 is d in milliseconds.
func ms1(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// question is one recall: what is asked, within what, for how many tokens.
type question struct {
	trigger string // prompt, file, command, subagent
	asked   string
	files   []string // at hand
	query   mem.Query
	budget  int
	most    int  // items
	loose   bool // a long text of which parts may match
	strict  bool // the query's own filters say what belongs; no floor on the words
}

// recall finds what is worth telling for q and says in the receipt what was
// left out and why. The receipt's items are not set: only rendering knows what fits.
func (e *Engine) recall(ctx context.Context, m *moment, q question) ([]mem.Hit, mem.Receipt, error) {
	r := mem.Receipt{
		ID: receiptID(m.ID), Event: m.ID, Session: m.Session, Project: m.project.Key, At: m.At,
		Trigger: q.trigger, Asked: mem.Clip(mem.Line(q.asked), 200), Budget: q.budget, Outcome: mem.Abstained,
	}
	q.query.Project, q.query.Within = m.project.Key, m.Session
	q.query.Text, q.query.Terms = q.asked, rank.Terms(unmarked(q.asked))
	r.Terms = q.query.Terms
	hits, err := e.candidates(ctx, q)
	if err != nil {
		return nil, r, err
	}
	r.Candidates = len(hits)
	ask := rank.Ask{
		Terms: q.query.Terms, Files: q.files, Branch: m.project.Branch, Now: m.At, Profile: rank.ProfileOf(q.asked),
		Back: q.loose || rank.RefersBack(q.asked),
	}
	if !q.strict {
		var cuts []mem.Cut
		hits = rank.Rerank(ask, hits)
		hits, cuts, r.Floor = rank.Floor(ask, hits)
		r.Dropped = append(r.Dropped, cuts...)
	}
	hits = slices.DeleteFunc(hits, func(h mem.Hit) bool {
		gate := m.gate(h.Memory)
		if gate != "" {
			r.Dropped = append(r.Dropped, mem.Cut{ID: h.Memory.ID, Title: h.Memory.Title, Score: h.Score, Parts: h.Parts, Gate: gate})
		}
		return gate != ""
	})
	hits, cuts := rank.Diversify(hits, q.most)
	r.Dropped = append(r.Dropped, cuts...)
	if len(r.Dropped) > maxDropped {
		r.Dropped = r.Dropped[:maxDropped]
	}
	return hits, r, nil
}

// unmarked is text without the marks that stand for secrets: their words are
// ours, and what shares one with them has nothing else in common.
func unmarked(s string) string {
	const mark = "[secret:"
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, after, closed := strings.Cut(rest, "]")
		if !closed {
			return b.String()
		}
		b.WriteByte(' ')
		s = after
	}
}

// maxDropped is how many left-out items a receipt names, the best first.
const maxDropped = 20

func (e *Engine) candidates(ctx context.Context, q question) ([]mem.Hit, error) {
	if !q.strict {
		q.query.Limit = rank.Candidates
		hits, err := e.Store.Match(ctx, q.query)
		if err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
		return hits, nil
	}
	ms, err := e.Store.List(ctx, q.query)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	hits := make([]mem.Hit, 0, len(ms))
	for i, mm := range ms {
		hits = append(hits, mem.Hit{Memory: mm, Score: 1 / float64(1+i)})
	}
	return hits, nil
}
