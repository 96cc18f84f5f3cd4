package engine

import (
	"cmp"
	"context"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
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
	hits, cuts, err := e.Recall.HitsOf(ctx, r, floor, ec.Settings.VectorFloor)
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
