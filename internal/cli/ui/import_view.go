package ui

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"remanence/internal/api"
	"remanence/internal/curate"
)

// ImportView shows the result of an import.
type ImportView struct {
	DryRun      bool              `json:"dry_run"`
	Trusted     bool              `json:"trusted"` // as the assistant's words
	Kept        int               `json:"kept"`
	Known       int               `json:"known"`       // were there in the same words: merged
	Empty       int               `json:"empty"`       // of which the rules on private text left nothing
	Quarantined int               `json:"quarantined"` // of the kept ones: read like an instruction to a model
	Sessions    int               `json:"sessions"`
	Prompts     int               `json:"prompts"` // of these sessions
	OldSessions int               `json:"old_sessions"`
	LeftOut     map[string]int    `json:"left_out"`
	Dropped     []api.Dropped     `json:"dropped"` // fields, dates and rows with a value that is not taken over
	Projects    []ImportedProject `json:"projects"`
	Undo        []string          `json:"undo"` // the command that reverts it; empty if nothing was kept
}

// Add adds the result of one part.
func (v *ImportView) Add(got curate.ImportResponse) {
	v.Kept, v.Known, v.Empty = v.Kept+got.Imported, v.Known+got.Known, v.Empty+got.Empty
	v.Quarantined += got.Quarantined
	v.Sessions, v.Prompts = v.Sessions+got.Sessions, v.Prompts+got.Prompts
	v.OldSessions += got.OldSessions
}

// ImportedProject counts what an import holds of a project.
type ImportedProject struct {
	Name     string `json:"name"`
	Memories int    `json:"memories"`
	Sessions int    `json:"sessions"`
	Known    bool   `json:"known"` // here; others are kept under their name
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
	if v.Sessions+v.OldSessions > 0 {
		p.Line("%s with %s %skept, %d known already", Plural(v.Sessions, "session", "sessions"),
			Plural(v.Prompts, "prompt", "prompts"), would, v.OldSessions)
	}
	for _, pr := range v.Projects {
		text := Plural(pr.Memories, "memory", "memories")
		if pr.Sessions > 0 {
			text += ", " + Plural(pr.Sessions, "session", "sessions")
		}
		if !pr.Known {
			text += "; no project here: under this name until a session of it starts"
		}
		p.Line("  %s  %s", Pad(OneLine(pr.Name), 20), text)
	}
	for _, what := range slices.Sorted(maps.Keys(v.LeftOut)) {
		p.Line("  %s left out: without an id, a time or a text",
			Plural(v.LeftOut[what], strings.TrimSuffix(what, "s"), what))
	}
	for _, d := range v.Dropped {
		p.Line("  %d × %s not taken over: %s", d.Count, OneLine(d.What), d.Why)
	}
	if v.Quarantined > 0 {
		p.Line("  %s like an instruction to a model: never injected before you accept it",
			Plural(v.Quarantined, "memory reads", "memories read"))
	}
	if v.Kept > 0 && !v.DryRun {
		if !v.Trusted {
			p.Hint("not injected before you accept it: remanence review accept low_trust --all --project all")
		}
		for _, u := range v.Undo {
			p.Hint("undo: %s", u)
		}
	}
}

// ImportUndoneView shows how many memories of an import were hidden or brought back.
type ImportUndoneView struct {
	ID       string `json:"id"`
	Verb     string `json:"verb"` // forget or restore
	Memories int    `json:"memories"`
}

// SchemaName returns the name of the view's schema.
func (ImportUndoneView) SchemaName() string { return "import_undone" }

// Print writes the view for a person.
func (v ImportUndoneView) Print(p *Printer) {
	if v.Verb == curate.ProposeRestore {
		p.Line("Restored: %s of import %s.", Plural(v.Memories, "memory", "memories"), v.ID)
		return
	}
	p.Line("Hidden: %s of import %s. Its sessions and prompts stay; remanence purge erases them.",
		Plural(v.Memories, "memory", "memories"), v.ID)
	p.Hint("bring them back: remanence import --redo %s", v.ID)
}

// ImportFormat describes what was read if it has no memory.
func ImportFormat(read api.ExportedMemories) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(read.LeftOut)) {
		if n := read.LeftOut[what]; n > 0 {
			all = append(all, Plural(n, strings.TrimSuffix(what, "s"), what))
		}
	}
	for _, d := range read.Dropped() {
		all = append(all, fmt.Sprintf("%d × %s: %s", d.Count, d.What, d.Why))
	}
	return cmp.Or(strings.Join(all[:min(len(all), maxSniff)], "; "), "it is empty")
}

// maxSniff is how many kinds of content are named.
const maxSniff = 5
