package ui

import (
	"strings"

	"remanence/internal/workstate"
)

// StateView shows where the work of a project stands.
type StateView workstate.State

// SchemaName returns the name of the view's schema.
func (StateView) SchemaName() string { return "state" }

// Print writes the view for a person.
func (v StateView) Print(p *Printer) {
	where := "the store"
	if v.Files != "" {
		where = v.Files + "/"
	}
	p.Line("%s, from %s", OneLine(v.Project.Name), where)
	field := func(name, text string) {
		if text != "" {
			p.Line("%-9s %s", name, OneLine(text))
		}
	}
	field("phase", v.Phase)
	field("status", v.Status)
	field("in work", strings.Join(v.Active, "; "))
	field("blocked", strings.Join(v.Blockers, "; "))
	field("next", v.Next)
	open := 0
	for _, it := range v.Progress {
		if !it.Done {
			field("todo", it.Section+": "+it.Text)
			open++
		}
	}
	for _, d := range v.Decisions[max(0, len(v.Decisions)-5):] {
		field("decided", d.ID+" "+d.Title)
	}
	if n := len(v.Sessions); n > 0 {
		field("last", v.Sessions[n-1].Title+": "+v.Sessions[n-1].Summary)
	}
	if v.Phase == "" && v.Status == "" && v.Next == "" && len(v.Active)+len(v.Blockers)+len(v.Sessions) == 0 &&
		open == 0 && len(v.Decisions) == 0 {
		p.Line("nothing is known yet")
	}
	for _, n := range v.Notes {
		p.Say("note: %s", OneLine(n))
	}
	if v.Untrusted != "" {
		p.Say("%s/ is there and not trusted, so it is not read. Look at it, then: remanence trust", v.Untrusted)
	}
}

// MindInitView shows which state files were made.
type MindInitView struct {
	Dir      string   `json:"dir"`
	Made     []string `json:"made"`
	Trusted  bool     `json:"trusted"`
	Protocol string   `json:"protocol,omitempty"` // what became of CLAUDE.md: added, unchanged
}

// SchemaName returns the name of the view's schema.
func (MindInitView) SchemaName() string { return "mind_init" }

// Print writes the view for a person.
func (v MindInitView) Print(p *Printer) {
	if len(v.Made) == 0 {
		p.Line("All state files are there already.")
	}
	for _, f := range v.Made {
		p.Line("made  %s", f)
	}
	switch v.Protocol {
	case "added":
		p.Line("added the rules to CLAUDE.md")
	case "unchanged":
		p.Line("CLAUDE.md has the rules already")
	}
	if !v.Trusted {
		p.Say("The files were here before, so they are not read yet. Look at them, then: remanence trust")
		return
	}
	p.Say("They are injected into the next session.")
}
