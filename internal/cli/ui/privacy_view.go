package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/redact"
)

// RedactedView is what redaction leaves of a text.
type RedactedView struct {
	Text     string      `json:"text"` // what would be kept
	Private  int         `json:"private"`
	Injected int         `json:"injected"`
	Secrets  []kindCount `json:"secrets"`
}

type kindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// RedactedOf returns the view of a redacted text and what was removed of it.
func RedactedOf(kept string, c redact.Counts) RedactedView {
	v := RedactedView{Text: kept, Private: c.Private, Injected: c.Injected, Secrets: []kindCount{}}
	for _, kind := range slices.Sorted(maps.Keys(c.Secrets)) {
		v.Secrets = append(v.Secrets, kindCount{kind, c.Secrets[kind]})
	}
	return v
}

// SchemaName returns the name of the view's schema.
func (RedactedView) SchemaName() string { return "redacted" }

// Print writes the view for a person.
func (v RedactedView) Print(p *Printer) {
	if v.Text == "" {
		p.Line("Nothing would be kept.")
	} else {
		p.Line("%s", Safe(v.Text))
	}
	var out []string
	if v.Private > 0 {
		out = append(out, Plural(v.Private, "private span", "private spans"))
	}
	if v.Injected > 0 {
		out = append(out, Plural(v.Injected, "injected block", "injected blocks"))
	}
	for _, k := range v.Secrets {
		out = append(out, fmt.Sprintf("%d × %s", k.Count, k.Kind))
	}
	if len(out) == 0 {
		p.Hint("taken out: nothing")
		return
	}
	p.Hint("taken out: %s", strings.Join(out, ", "))
}

// RulesView lists the kinds of secrets that are known.
type RulesView struct {
	Total   int        `json:"total"`
	Kinds   []RuleItem `json:"kinds"`
	Skipped []string   `json:"skipped"` // rules of the person's that cannot be used, and why
}

// RuleItem is one kind of secrets.
type RuleItem struct {
	Kind   string `json:"kind"`
	Marker string `json:"marker"`
	Own    bool   `json:"own"`
}

// SchemaName returns the name of the view's schema.
func (RulesView) SchemaName() string { return "rules" }

// List returns the items that --jsonl prints.
func (v RulesView) List() []any { return Items(v.Kinds) }

// Print writes the view for a person.
func (v RulesView) Print(p *Printer) {
	for _, k := range v.Kinds {
		own := ""
		if k.Own {
			own = "  yours"
		}
		p.Line("%s%s%s", Pad(k.Kind, 18), k.Marker, own)
	}
	for _, s := range v.Skipped {
		p.Line("skipped: %s", Safe(s))
	}
}

// ScanView lists the secrets and private spans in what is kept.
type ScanView struct {
	Records   int        `json:"records"`
	Held      int        `json:"held"`
	Fixed     bool       `json:"fixed"`
	Finds     []mem.Find `json:"finds"`
	Unreached []string   `json:"unreached"`
}

// maxFindIDs is how many records a line names.
const maxFindIDs = 5

// ScanOf returns the view of a scan.
func ScanOf(s mem.ScanResponse) ScanView {
	return ScanView{s.Records, s.WithSecrets, s.Fixed, NotNil(s.Finds), NotNil(s.Unreached)}
}

// SchemaName returns the name of the view's schema.
func (ScanView) SchemaName() string { return "scan" }

// List returns the items that --jsonl prints.
func (v ScanView) List() []any { return Items(v.Finds) }

// Print writes the view for a person.
func (v ScanView) Print(p *Printer) {
	if len(v.Finds) == 0 {
		p.Line("No secret and no private span in %s.", Plural(v.Records, "record", "records"))
		return
	}
	verb := "Found"
	if v.Fixed {
		verb = "Taken out for good"
	}
	p.Line("%s, in %d of %s:", verb, v.Held, Plural(v.Records, "record", "records"))
	for _, f := range v.Finds {
		named := ""
		if len(f.IDs) > 0 {
			named = "  " + strings.Join(f.IDs[:min(len(f.IDs), maxFindIDs)], " ")
		}
		p.Line("  %s%s%d%s", Pad(f.Where, 14), Pad(f.Kind, 18), f.Count, named)
	}
	for _, u := range v.Unreached {
		if v.Fixed {
			p.Line("  not reached: %s", Safe(u))
		}
	}
	if !v.Fixed {
		p.Hint("take it out: remanence privacy scan --fix")
	}
}
