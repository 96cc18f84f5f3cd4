package ui

import (
	"strings"

	"remanence/internal/curate"
)

// ResolvedView shows what happened to the findings of a rule.
type ResolvedView struct{ curate.ResolveResponse }

// SchemaName returns the name of the view's schema.
func (ResolvedView) SchemaName() string { return "resolved" }

// List returns the items that --jsonl prints.
func (v ResolvedView) List() []any { return Items(v.Memories) }

// Print writes the view for a person.
func (v ResolvedView) Print(p *Printer) {
	would := ""
	if v.DryRun {
		would = "would be "
	}
	for _, r := range v.Memories {
		p.Line("  %s  %s  %s", r.ID, r.Kind, Clip(OneLine(r.Title), 100))
	}
	if n := v.Decided - len(v.Memories); n > 0 && len(v.Memories) > 0 {
		p.Line("  and %d more", n)
	}
	p.Line("%s of %s %s%s.", Plural(v.Decided, "finding", "findings"), v.Rule, would, Resolved(v.Action))
	if v.Left > 0 {
		p.Hint("%s left: they read like an order, or share a memory with another finding",
			Plural(v.Left, "finding is", "findings are"))
	}
	if v.Run != "" {
		p.Hint("undo: remanence consolidate --undo %s", v.Run)
	}
}

// Resolved names what an action did to a finding.
func Resolved(action string) string {
	return map[string]string{
		curate.AcceptFinding: "accepted", curate.RejectFinding: "kept as it is",
		curate.MergeFinding: "merged",
	}[action]
}

// ReviewView lists findings that wait for a person's decision.
type ReviewView struct{ curate.ReviewResponse }

// SchemaName returns the name of the view's schema.
func (ReviewView) SchemaName() string { return "review" }

// List returns the items that --jsonl prints.
func (v ReviewView) List() []any { return Items(v.Items) }

// Print writes the view for a person.
func (v ReviewView) Print(p *Printer) {
	if len(v.Items) == 0 {
		p.Line("Inbox zero: %s looked at.", Plural(v.Examined, "memory", "memories"))
		return
	}
	rule, shown := "", map[string]int{}
	for _, f := range v.Items {
		shown[f.Rule]++
		if f.Rule != rule {
			rule = f.Rule
			p.Line("%s  %s", p.Style(Bold, rule), Plural(v.Counts[rule], "finding", "findings"))
			p.Hint("  accept: %s", f.Accept)
		}
		for _, m := range f.Memories {
			p.Line("  %s%s", Pad(m.ID, 10), Clip(OneLine(m.Title), 100))
		}
		if len(f.Memories) == 1 { // two speak for themselves
			p.Line("  %s%s", strings.Repeat(" ", 10), OneLine(f.Text))
		}
		if f.Proposal != nil {
			p.Line("  %s%s  %s", strings.Repeat(" ", 10), f.Proposal.ID, DateTime(f.Proposal.At, p.Now()))
		}
	}
	p.Hint("decide: remanence review accept|reject|merge RULE ID [ID]")
	for _, r := range curate.ReviewRules() {
		if n := v.Counts[r] - shown[r]; n > 0 && shown[r] > 0 {
			p.Hint("%d more of %s: remanence review --rule %s --limit %d", n, r, r, v.Counts[r])
		}
	}
}
