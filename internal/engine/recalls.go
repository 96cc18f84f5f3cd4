package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// WhatIf returns what an injection would have contained with another budget or floor. It is computed from the
// receipt by the code that answers hooks. A briefing's receipt has too little for that, so a new briefing is
// composed. Nothing is stored.
func (e *Engine) WhatIf(ctx context.Context, ask views.WhatIfRequest) (views.WhatIfResponse, error) {
	was, err := e.Views.Why(ctx, views.WhyRequest{ID: ask.ID})
	if err != nil {
		return views.WhatIfResponse{}, err
	}
	r := was.Receipt
	budget, floor := r.Budget, r.Floor
	if ask.Budget != nil {
		budget = max(0, *ask.Budget)
	}
	if ask.Floor != nil {
		floor = min(max(0, *ask.Floor), 1)
	}
	out := views.WhatIfResponse{Basis: views.BasisReceipt}
	switch r.Trigger {
	case "session_start", "resume", "compact":
		out.Basis = views.BasisNow
		out.Receipt, err = e.Next(ctx, views.NextRequest{
			ProjectRef: mem.ProjectRef{Project: cmp.Or(r.Project, "all")},
			Source:     recall.SourceOf(r.Trigger), Budget: budget,
		})
		if budget == 0 { // Next uses the configured one for 0
			out.Receipt = mem.Receipt{Trigger: r.Trigger, Outcome: mem.Nothing}
		}
	default:
		out.Receipt, err = e.rebuild(ctx, r, budget, floor)
	}
	if err != nil {
		return views.WhatIfResponse{}, err
	}
	idsOf := func(r mem.Receipt) (ids []string) {
		for _, it := range r.Items {
			ids = append(ids, it.ID)
		}
		return ids
	}
	out.Added, out.Removed = extract.Missing(idsOf(out.Receipt), idsOf(r)), extract.Missing(idsOf(r), idsOf(out.Receipt))
	return out, nil
}

// rebuild renders the candidates of a receipt again.
func (e *Engine) rebuild(ctx context.Context, r mem.Receipt, budget int, floor float64) (mem.Receipt, error) {
	ec := event.Context{
		Event: mem.Event{ID: "what-if", Session: r.Session, At: r.At}, Settings: e.Settings(),
		Project: mem.Project{Key: r.Project},
		Started: e.Now(),
	}
	ec.Files = e.Event.OpenFiles(ec.Project)
	defer ec.Files.Close()
	hits, cuts, err := e.hitsOf(ctx, r, floor, ec.Settings.VectorFloor)
	if err != nil {
		return mem.Receipt{}, err
	}
	next := r
	next.Items, next.LeftOut, next.Text, next.Compaction = nil, cuts, "", nil
	next.Budget, next.Floor, next.Outcome = budget, floor, mem.Abstained
	b := e.Recall.PromptBlock(ec, hits, &next)
	b.Receipt, b.Boundary, b.Budget = r.ID, e.Recall.Boundary(r.Session), budget
	shown := inject.Render(b)
	next.Text, next.Tokens, next.Items = shown.Text, shown.Tokens, shown.Injected
	next.LeftOut = recall.Foremost(append(next.LeftOut, shown.Cuts...))
	if shown.Text != "" {
		next.Outcome = mem.Injected
	}
	next.TookMS = recall.Ms1(e.Now().Sub(ec.Started))
	return next, nil
}

// hitsOf returns the items of a receipt that pass a floor, best first, and those that do not or that another rule
// left out. Injected items keep their order. Memories that were erased since are left out.
func (e *Engine) hitsOf(ctx context.Context, r mem.Receipt, floor, near float64) (hits []mem.Hit,
	cuts []mem.LeftOutItem, err error,
) {
	passes := floorOf(r, floor, near)
	add := func(c mem.LeftOutItem, at int) error {
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
		c := mem.LeftOutItem{ID: it.ID, Title: it.Title, Score: it.Score, Parts: it.Parts, Gate: rank.BelowFloor}
		if !strings.HasPrefix(it.ID, "m_") {
			continue
		}
		if measured(it.Parts) && floor > r.Floor && !passes(it.Parts) {
			cuts = append(cuts, c)
			continue
		}
		if err := add(c, len(hits)); err != nil {
			return nil, nil, err
		}
	}
	for _, c := range r.LeftOut {
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

func measured(parts map[string]float64) bool {
	_, ok := parts[rank.PartCoverage]
	return ok
}

// floorOf returns a function that reports whether a memory or utterance with such parts passes a floor, by itself or
// beside one of the receipt that does; see rank.Floor.
func floorOf(r mem.Receipt, floor, near float64) func(parts map[string]float64) bool {
	back := r.Trigger == "subagent" || rank.RefersBack(r.Query)
	alone := func(parts map[string]float64) bool { return rank.Passes(parts, floor, near, back) }
	said := func(parts map[string]float64) bool {
		_, ok := parts[rank.PartSession]
		return ok
	}
	best := map[bool]float64{} // match of what passes by itself; memories and utterances are apart
	add := func(parts map[string]float64) {
		if measured(parts) && alone(parts) {
			best[said(parts)] = max(best[said(parts)], rank.Match(parts, nil))
		}
	}
	for _, it := range r.Items {
		add(it.Parts)
	}
	for _, c := range r.LeftOut {
		if c.Gate == rank.BelowFloor || c.Gate == "budget" {
			add(c.Parts)
		}
	}
	return func(parts map[string]float64) bool {
		return alone(parts) || measured(parts) && rank.Beside(rank.Match(parts, nil), best[said(parts)]) > 0
	}
}
