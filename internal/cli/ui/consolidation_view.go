package ui

import (
	"strings"

	"remanence/internal/curate"
	"remanence/internal/mem"
)

// ConsolidationView lists runs and what they changed.
type ConsolidationView struct {
	curate.ConsolidateResponse
	Listed bool `json:"-"` // runs of the past
}

// SchemaName returns the name of the view's schema.
func (ConsolidationView) SchemaName() string { return "consolidation" }

// List returns the items that --jsonl prints.
func (v ConsolidationView) List() []any { return Items(v.Runs) }

// Print writes the view for a person.
func (v ConsolidationView) Print(p *Printer) {
	if len(v.Runs) == 0 {
		p.Line("No rounds yet.")
		return
	}
	for _, r := range v.Runs {
		v.printRun(p, r)
	}
}

func (v ConsolidationView) printRun(p *Printer, r mem.Run) {
	what := Plural(r.Examined, "memory", "memories") + " looked at, " + Plural(len(r.Changes), "change", "changes")
	switch {
	case v.Undo:
		p.Line("%s  %s restored", r.ID, Plural(v.Changed, "memory", "memories"))
		return
	case v.DryRun:
		what += " would be made"
	case r.Undone:
		what += ", undone"
	}
	if v.Listed && !r.At.IsZero() {
		what = r.At.Local().Format("2006-01-02 15:04") + "  " + string(r.Kind) + "  " + what
	}
	if r.ID != "" {
		what = r.ID + "  " + what
	}
	p.Line("%s", what)
	for _, s := range r.Changes {
		if s.Rule == mem.RuleContinue { // the memory that was merged into it shows it
			continue
		}
		p.Line("  %s%s  %s", Pad(verbOf(s.Rule), 13), s.Memory, Clip(OneLine(v.title(s.Memory)), 100))
		p.Line("  %s%s", strings.Repeat(" ", 13), OneLine(s.Reason))
	}
	if r.ID != "" && len(r.Changes) > 0 && !r.Undone && !v.DryRun {
		p.Hint("undo: remanence consolidate --undo %s", r.ID)
	}
}

// title returns the title of a changed memory, "" if it was erased.
func (v ConsolidationView) title(id string) string {
	for _, m := range v.Memories {
		if m.ID == id {
			return m.Title
		}
	}
	return ""
}

// verbOf is a rule as what it did.
func verbOf(rule string) string {
	switch rule {
	case mem.RuleMerge:
		return "merged"
	case mem.RulePromote, curate.ReviewPromotion:
		return "promoted"
	case mem.RuleArchive, curate.ReviewStale:
		return "archived"
	case curate.ReviewContradiction:
		return "superseded"
	case curate.ReviewLowTrust:
		return "vouched for"
	}
	return rule
}
