package ui

import (
	"cmp"
	"fmt"
	"slices"

	"remanence/internal/continuity"
)

// CheckpointView shows one checkpoint: the first of the response.
type CheckpointView struct{ continuity.Checkpoints }

// SchemaName returns the name of the view's schema.
func (CheckpointView) SchemaName() string { return "checkpoint" }

// Print writes the view for a person.
func (v CheckpointView) Print(p *Printer) {
	cp := v.Checkpoints.Checkpoints[0]
	p.Line("%s  %s  %s", p.Style(Bold, cp.ID), cp.Trigger, DateTime(cp.At, p.Now()))
	field := func(name, s string) {
		if s != "" {
			p.Field(name, "%s", OneLine(s))
		}
	}
	field("session", v.Shorts[cp.Session])
	field("note", cp.Note)
	field("phase", cp.State.Phase)
	field("asked", cp.State.Request)
	field("answered", cp.State.Status)
	list := func(name string, items []string) {
		if len(items) > 0 {
			p.Line("%s", name)
		}
		for _, it := range items {
			p.Line("  - %s", OneLine(it))
		}
	}
	if cp.Handoff != "" {
		p.Line("handoff")
		p.Line("%s", Safe(cp.Handoff))
	}
	list("next", cp.State.Next)
	list("in progress", cp.State.Doing)
	list("open", cp.State.Open)
	list("in the way", slices.Concat(cp.State.Waiting, cp.State.Blocked))
	list("files in edit", cp.State.Files)
	list("files", cp.Evidence.Files)
	var commands, quotes []string
	for _, c := range cp.Evidence.Commands {
		line := fmt.Sprintf("%s: exit %d", c.Command, c.Exit)
		if c.Note != "" {
			line += ", " + c.Note
		}
		commands = append(commands, line)
	}
	for _, q := range cp.Recent {
		quotes = append(quotes, q.Who+": "+q.Text)
	}
	list("commands", commands)
	list("errors", cp.Evidence.Errors)
	list("figures", cp.Evidence.Numbers)
	list("last words", quotes)
}

// CheckpointsView lists checkpoints.
type CheckpointsView struct{ continuity.Checkpoints }

// SchemaName returns the name of the view's schema.
func (CheckpointsView) SchemaName() string { return "checkpoints" }

// List returns the items that --jsonl prints.
func (v CheckpointsView) List() []any { return Items(v.Checkpoints.Checkpoints) }

// Print writes the view for a person.
func (v CheckpointsView) Print(p *Printer) {
	if len(v.Checkpoints.Checkpoints) == 0 {
		p.Line("No checkpoint yet. One is saved before each compaction and at the end of each session.")
		p.Hint("save one now: remanence checkpoint save")
		return
	}
	cols := []Column{
		{Name: "when"},
		{Name: "id"},
		{Name: "trigger", Drop: 1},
		{Name: "about", Flex: true},
		{Name: "session", Drop: 2},
	}
	rows := make([][]string, 0, len(v.Checkpoints.Checkpoints))
	for _, c := range v.Checkpoints.Checkpoints {
		rows = append(rows, []string{
			DateTime(c.At, p.Now()), c.ID, c.Trigger,
			OneLine(cmp.Or(c.Note, c.State.Request, c.State.Status, c.Handoff)), v.Shorts[c.Session],
		})
	}
	p.Table(cols, rows)
}

// SavedView shows a checkpoint that was saved, and the problems.
type SavedView struct {
	continuity.SaveResponse
	Indexing bool `json:"-"` // the transcript was to be indexed too
}

// SchemaName returns the name of the view's schema.
func (SavedView) SchemaName() string { return "checkpoint_save" }

// Print writes the view for a person.
func (v SavedView) Print(p *Printer) {
	for _, t := range v.Problems {
		p.Line("  ! %s", OneLine(t))
	}
	how := "OK"
	if len(v.Problems) > 0 {
		how = "DEGRADED"
	}
	line := fmt.Sprintf("[checkpoint] %s %s", how, v.Checkpoint.ID)
	if v.Short != "" {
		line += " of " + v.Short
	}
	if v.Indexing {
		line += fmt.Sprintf(": %d utterances stored, %s indexed, %s found", v.Archived.Utterances,
			Plural(v.Indexed, "piece", "pieces"), Plural(v.Recovered, "missing event", "missing events"))
	}
	if v.Checkpoint.Handoff != "" {
		line += fmt.Sprintf(": handoff of %d characters", len([]rune(v.Checkpoint.Handoff)))
	}
	p.Line("%s", line)
}

// ResumeView shows where a session stopped.
type ResumeView struct{ continuity.ResumeResponse }

// SchemaName returns the name of the view's schema.
func (ResumeView) SchemaName() string { return "checkpoint_resume" }

// Print writes the view for a person.
func (v ResumeView) Print(p *Printer) { p.Line("%s", Safe(v.Text)) }

// DiffView shows what changed between two checkpoints.
type DiffView struct{ continuity.DiffResponse }

// SchemaName returns the name of the view's schema.
func (DiffView) SchemaName() string { return "checkpoint_diff" }

// List returns the items that --jsonl prints.
func (v DiffView) List() []any { return Items(v.Changes) }

// Print writes the view for a person.
func (v DiffView) Print(p *Printer) {
	if v.To.ID == "" {
		p.Line("No checkpoint yet, so there is nothing to compare.")
		p.Hint("save one now: remanence checkpoint save")
		return
	}
	p.Line("%s → %s", cmp.Or(v.From.ID, "nothing"), v.To.ID)
	what := ""
	for _, c := range v.Changes {
		if c.What != what {
			what = c.What
			p.Line("%s", what)
		}
		sign := "+"
		if c.Removed {
			sign = "-"
		}
		p.Line("  %s %s", sign, OneLine(c.Text))
	}
	if len(v.Changes) == 0 {
		p.Line("Nothing changed.")
	}
}
