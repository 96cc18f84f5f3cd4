package ui

import (
	"slices"

	"remanence/internal/filesync"
)

// ShareView shows the shared memories of a repository.
type ShareView struct {
	filesync.ShareResponse

	Diff bool `json:"-"` // show the differences between files and memories
}

// SchemaName returns the name of the view's schema.
func (ShareView) SchemaName() string { return "share" }

// List returns the items that --jsonl prints.
func (v ShareView) List() []any { return Items(v.Items) }

// Print writes the view for a person.
func (v ShareView) Print(p *Printer) {
	shown := v.Items
	if v.Diff {
		shown = slices.DeleteFunc(slices.Clone(shown), func(it filesync.SharedItem) bool { return len(it.Diff) == 0 })
	}
	written := false
	for _, it := range shown {
		state := it.State
		if changes := it.State == filesync.SharedWritten || it.State == filesync.SharedRemoved; changes {
			written = true
			if v.DryRun {
				state = "would be " + state
			}
		}
		title := Clip(OneLine(it.Title), 80)
		if it.Author != "" {
			title += "  (" + OneLine(it.Author) + ")"
		}
		p.Line("%s  %s  %s  %s", state, orDash(it.ID), Safe(it.File), title)
		if v.Diff {
			for _, line := range it.Diff {
				p.Line("    %s", OneLine(line))
			}
		}
	}
	if len(shown) == 0 && (v.Team == nil || v.Diff || len(v.LeftOut) > 0) {
		p.Line("%s", v.nothing())
	}
	for _, l := range v.LeftOut {
		p.Say("left out: %s %s: %s", l.ID, Clip(OneLine(l.Title), 60), l.Why)
	}
	for _, b := range v.Bad {
		p.Say("not read: %s %s", Safe(b.File), Safe(b.Why))
	}
	if !v.Trusted {
		p.Say("This repository is not trusted, so files of others are not read. Look at them, then: remanence trust")
	}
	if written && !v.DryRun {
		p.Hint("Commit %s to pass it on.", Safe(v.Dir))
	}
	if v.Team != nil && !v.Diff {
		printTeam(p, *v.Team)
	}
}

// printTeam prints what is shared on a team's server.
func printTeam(p *Printer, t filesync.TeamShares) {
	n := map[string]int{}
	for _, it := range t.Items {
		title := Clip(OneLine(it.Title), 80)
		if it.Author != "" {
			title += "  (" + OneLine(it.Author) + ")"
		}
		p.Line("%s  %s  %s  %s", it.State, orDash(it.ID), Safe(it.File), title)
		switch {
		case it.State != filesync.SharedSame:
			n[it.State]++
		case it.Author != "":
			n["received"]++
		default:
			n["sent"]++
		}
	}
	for _, l := range t.LeftOut {
		p.Say("not sent: %s %s: %s", l.ID, Clip(OneLine(l.Title), 60), l.Why)
	}
	team := OneLine(t.Team)
	if !t.Matches {
		p.Line("Nothing of this project is shared with team %s: share.projects does not match its origin, %s.", team,
			orDash(OneLine(t.Origin)))
		return
	}
	p.Line("Team %s: %d sent, %d received; %d wait to be sent, %d to be deleted there, %d to be read.", team, n["sent"],
		n["received"], n[filesync.SharedWaiting], n[filesync.SharedWithdrawn], n[filesync.SharedUnread])
	if t.Error != "" {
		p.Line("The team's server cannot be used: %s. What waits is sent later: remanence doctor", OneLine(t.Error))
	}
}

func (v ShareView) nothing() string {
	switch {
	case len(v.LeftOut) > 0:
		return "None of these memories can be shared."
	case v.Diff && len(v.Items) > 0:
		return "Memories and shared files agree."
	}
	return "No memory is shared in this repository."
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
