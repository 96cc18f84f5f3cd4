package ui

import (
	"maps"
	"slices"
	"strings"

	"remanence/internal/api"
)

// ImportView shows the result of an import.
type ImportView struct {
	DryRun   bool              `json:"dry_run"`
	Kept     int               `json:"kept"`
	Known    int               `json:"known"` // were there in the same words
	Empty    int               `json:"empty"` // of which the rules on private text left nothing
	LeftOut  map[string]int    `json:"left_out"`
	Dropped  []api.Dropped     `json:"dropped"` // fields, dates and rows with a value that is not taken over
	Projects []ImportedProject `json:"projects"`
	Undo     []string          `json:"undo"` // the command that reverts it; empty if nothing was kept
}

// ImportedProject counts what an import holds of a project.
type ImportedProject struct {
	Name     string `json:"name"`
	Memories int    `json:"memories"`
	Known    bool   `json:"known"` // here; memories of others are left out
}

// SchemaName returns the name of the view's schema.
func (ImportView) SchemaName() string { return "import" }

// Print writes the view for a person.
func (v ImportView) Print(p *Printer) {
	would := ""
	if v.DryRun {
		would = "would be "
	}
	p.Line("%s %skept, %d known already, %d empty", Plural(v.Kept, "memory", "memories"), would, v.Known, v.Empty)
	for _, pr := range v.Projects {
		if pr.Known {
			p.Line("  %s  %s", Pad(OneLine(pr.Name), 20), Plural(pr.Memories, "memory", "memories"))
		} else {
			p.Line("  %s  %s left out: no such project here", Pad(OneLine(pr.Name), 20),
				Plural(pr.Memories, "memory", "memories"))
		}
	}
	for _, what := range slices.Sorted(maps.Keys(v.LeftOut)) {
		p.Line("  %s left out: only what was learned in them is taken over",
			Plural(v.LeftOut[what], strings.TrimSuffix(what, "s"), what))
	}
	for _, d := range v.Dropped {
		p.Line("  %d × %s not taken over: %s", d.Count, OneLine(d.What), d.Why)
	}
	if slices.ContainsFunc(v.Projects, func(pr ImportedProject) bool { return !pr.Known }) {
		p.Hint("A project is known from its first session on; or name it: --project NAME")
	}
	if v.Kept > 0 && !v.DryRun {
		p.Hint("not injected before you accept it: remanence review")
	}
	for _, u := range v.Undo {
		p.Hint("undo: %s", u)
	}
}
