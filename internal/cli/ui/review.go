package ui

import (
	"strings"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
)

// ResolvedView is what became of all findings of a rule, or would.
type ResolvedView struct {
	Rule     string   `json:"rule"`
	Did      string   `json:"did"` // accepted, kept as it is, merged
	DryRun   bool     `json:"dry_run"`
	Decided  int      `json:"decided"` // findings
	Left     int      `json:"left"`    // that need a look of their own
	Undo     *string  `json:"undo"`
	Memories []Record `json:"memories"` // of the first of them
}

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
	p.Line("%s of %s %s%s.", Plural(v.Decided, "finding", "findings"), v.Rule, would, v.Did)
	if v.Left > 0 {
		p.Hint("%s left: they read like an order, or share a memory with another finding",
			Plural(v.Left, "finding is", "findings are"))
	}
	if v.Undo != nil {
		p.Hint("undo: %s", *v.Undo)
	}
}

// InboxView lists findings.
type InboxView struct {
	Looked   int            `json:"looked"`
	Total    int            `json:"total"`
	Counts   map[string]int `json:"counts"` // by rule, those that are not shown too
	Findings []InboxItem    `json:"findings"`
}

// InboxItem is one finding that waits for a person.
type InboxItem struct {
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`
	Accept   string   `json:"accept"` // what accepting does
	Actions  []string `json:"actions"`
	Memories []Record `json:"memories"`
	// Proposal is the change that waits, of a finding about one.
	Proposal *ProposalView `json:"proposal,omitempty"`
}

// ProposalView is a change that an agent asks for.
type ProposalView struct {
	ID      string     `json:"id"`
	Action  string     `json:"action"`
	Was     string     `json:"was"`  // the text when it was proposed
	Text    *string    `json:"text"` // the proposed one; null where it stays
	Reason  *string    `json:"reason"`
	Session *string    `json:"session"`
	Trust   string     `json:"trust"` // of the author
	At      *time.Time `json:"at"`
}

// ProposalViewOf returns the JSON form of a proposal.
func ProposalViewOf(p *mem.Proposal) *ProposalView {
	if p == nil {
		return nil
	}
	return &ProposalView{
		p.ID, p.Action, p.Was, TextOrNil(p.Text()), TextOrNil(p.Reason), TextOrNil(p.Session),
		p.Trust.String(), TimeOrNil(p.At),
	}
}

// SchemaName returns the name of the view's schema.
func (InboxView) SchemaName() string { return "review" }

// List returns the items that --jsonl prints.
func (v InboxView) List() []any { return Items(v.Findings) }

// Print writes the view for a person.
func (v InboxView) Print(p *Printer) {
	if v.Total == 0 {
		p.Line("Inbox zero: %s looked at.", Plural(v.Looked, "memory", "memories"))
		return
	}
	rule, shown := "", map[string]int{}
	for _, f := range v.Findings {
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
			p.Line("  %s%s  %s", strings.Repeat(" ", 10), f.Proposal.ID, DateTime(*f.Proposal.At, p.Now()))
		}
	}
	p.Hint("decide: remanence review accept|reject|merge RULE ID [ID]")
	for _, r := range curate.ReviewRules() {
		if n := v.Counts[r] - shown[r]; n > 0 && shown[r] > 0 {
			p.Hint("%d more of %s: remanence review --rule %s --limit %d", n, r, r, v.Counts[r])
		}
	}
}
