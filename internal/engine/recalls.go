package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
)

// Bounds of a page of receipts.
const (
	receiptPage    = 50
	maxReceiptPage = 200
)

// Receipts lists what was told, and what was not, newest first.
func (e *Engine) Receipts(ctx context.Context, ask mem.ReceiptsAsk) (mem.ReceiptList, error) {
	p, err := e.place(ctx, ask.Place)
	if err != nil {
		return mem.ReceiptList{}, err
	}
	out := mem.ReceiptList{Project: p, Receipts: []mem.ReceiptLine{}}
	limit := min(cmp.Or(max(ask.Limit, 0), receiptPage), maxReceiptPage)
	q := mem.ReceiptQuery{
		Project: p.Key, Trigger: ask.Trigger, Outcome: ask.Outcome, Memory: ask.Memory, Limit: limit + 1, Offset: max(ask.Offset, 0),
	}
	if ask.Session != "" {
		s, err := e.Store.Session(ctx, ask.Session)
		if err != nil {
			return out, err
		}
		q.Session = s.ID
	}
	rs, err := e.Store.Receipts(ctx, q)
	if err != nil {
		return out, fmt.Errorf("receipts: %w", err)
	}
	out.More = len(rs) > limit
	session := e.lookup(ctx)
	for _, r := range rs[:min(limit, len(rs))] {
		s, line := session(r.Session), receiptLine(r)
		line.Short, line.Project = s.Short, s.ProjectName
		out.Receipts = append(out.Receipts, line)
	}
	return out, nil
}

func receiptLine(r mem.Receipt) mem.ReceiptLine {
	l := mem.ReceiptLine{
		ID: r.ID, At: r.At, Session: r.Session, Trigger: r.Trigger, Asked: r.Asked, Outcome: r.Outcome, Candidates: r.Candidates,
		Told: len(r.Items), LeftOut: len(r.Dropped), Tokens: r.Tokens, Budget: r.Budget, TookMS: r.TookMS, Floor: r.Floor,
	}
	for _, c := range r.Dropped {
		if c.Gate == rank.BelowFloor {
			l.Best = max(l.Best, c.Parts[rank.PartCoverage])
		}
	}
	return l
}

// WhatIf returns what a receipt would have told with another budget or another
// floor. It is made of what the receipt names, by the code that answers hooks;
// a briefing names too little of that, and is made as of now. Nothing is kept.
func (e *Engine) WhatIf(ctx context.Context, ask mem.WhatIfAsk) (mem.WhatIf, error) {
	was, err := e.Why(ctx, mem.WhyAsk{ID: ask.ID})
	if err != nil {
		return mem.WhatIf{}, err
	}
	r := was.Receipt
	budget, floor := r.Budget, r.Floor
	if ask.Budget != nil {
		budget = max(0, *ask.Budget)
	}
	if ask.Floor != nil {
		floor = min(max(0, *ask.Floor), 1)
	}
	out := mem.WhatIf{Basis: mem.BasisReceipt}
	switch r.Trigger {
	case "session_start", "resume", "compact":
		out.Basis = mem.BasisNow
		out.Receipt, err = e.Next(ctx, mem.NextAsk{Place: mem.Place{Project: cmp.Or(r.Project, "all")}, Source: sourceOf(r.Trigger), Budget: budget})
		if budget == 0 { // which Next takes for the configured one
			out.Receipt = mem.Receipt{Trigger: r.Trigger, Outcome: mem.Nothing}
		}
	default:
		out.Receipt, err = e.retell(ctx, r, budget, floor)
	}
	if err != nil {
		return mem.WhatIf{}, err
	}
	told := func(r mem.Receipt) (ids []string) {
		for _, it := range r.Items {
			ids = append(ids, it.ID)
		}
		return ids
	}
	out.Added, out.Lost = missing(told(out.Receipt), told(r)), missing(told(r), told(out.Receipt))
	return out, nil
}

// sourceOf is the source of a session start that is answered with a trigger.
func sourceOf(trigger string) string {
	if trigger == "session_start" {
		return "startup"
	}
	return trigger
}

// missing are those of list that are not among others.
func missing(list, others []string) []string {
	return slices.DeleteFunc(append([]string{}, list...), func(s string) bool { return slices.Contains(others, s) })
}

// retell lays out what a recall named once more.
func (e *Engine) retell(ctx context.Context, r mem.Receipt, budget int, floor float64) (mem.Receipt, error) {
	m := &moment{
		Event: mem.Event{ID: "what-if", Session: r.Session, At: r.At}, settings: e.Settings(), project: mem.Project{Key: r.Project},
		started: e.Now(), batch: mem.Batch{Session: &mem.SessionChange{}, Turn: &mem.TurnChange{}},
	}
	m.view = e.look(m.project)
	defer m.view.close()
	hits, cuts, err := e.hitsOf(ctx, r, floor, m.settings.VectorFloor)
	if err != nil {
		return mem.Receipt{}, err
	}
	next := r
	next.Items, next.Dropped, next.Text, next.Compaction = nil, cuts, "", nil
	next.Budget, next.Floor, next.Outcome = budget, floor, mem.Abstained
	memories, said := parted(hits)
	b := e.recallBlock(m, "recall", memories)
	b.Sections = append(b.Sections, quotes(b, said, &next))
	b.Receipt, b.Boundary, b.Budget = r.ID, e.boundary(r.Session), budget
	shown := inject.Render(b)
	next.Text, next.Tokens, next.Items = shown.Text, shown.Tokens, shown.Told
	next.Dropped = foremost(append(next.Dropped, shown.Cuts...))
	if shown.Text != "" {
		next.Outcome = mem.Injected
	}
	next.TookMS = ms1(e.Now().Sub(m.started))
	return next, nil
}

// hitsOf are the items of a receipt that pass a floor, best first, and those
// that do not or that another rule had cut. What was told in its place stays in
// its order. Memories that are erased since are passed over.
func (e *Engine) hitsOf(ctx context.Context, r mem.Receipt, floor, near float64) (hits []mem.Hit, cuts []mem.Cut, err error) {
	back := r.Trigger == "subagent" || rank.RefersBack(r.Asked)
	passes := func(parts map[string]float64) bool { return rank.Passes(parts, r.Floor, floor, near, back) }
	add := func(c mem.Cut, at int) error {
		ms, err := e.Store.List(ctx, mem.Query{IDs: []string{c.ID}, Hidden: true, Within: "*"})
		switch {
		case errors.Is(err, mem.ErrNotFound):
			return nil
		case err != nil:
			return fmt.Errorf("memory %s: %w", c.ID, err)
		}
		hits = slices.Insert(hits, at, mem.Hit{Memory: ms[0], Score: c.Score, Parts: c.Parts})
		return nil
	}
	for _, it := range r.Items {
		c := mem.Cut{ID: it.ID, Title: it.Title, Score: it.Score, Parts: it.Parts, Gate: rank.BelowFloor}
		if !strings.HasPrefix(it.ID, "m_") {
			continue
		}
		if _, measured := it.Parts[rank.PartCoverage]; measured && floor > r.Floor && !passes(it.Parts) {
			cuts = append(cuts, c)
			continue
		}
		if err := add(c, len(hits)); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range r.Dropped {
		fits := c.Gate == "budget" || c.Gate == rank.BelowFloor && floor < r.Floor && passes(c.Parts)
		if !fits {
			cuts = append(cuts, c)
			continue
		}
		at := len(hits)
		for at > 0 && hits[at-1].Score < c.Score {
			at--
		}
		if err := add(c, at); err != nil {
			return nil, nil, err
		}
	}
	return hits, cuts, nil
}
