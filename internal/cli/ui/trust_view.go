package ui

import "time"

// TrustView shows trusted repositories, or one that was trusted or revoked.
type TrustView struct {
	Did          string      `json:"did"` // trusted, revoked, unchanged, list
	Repositories []TrustItem `json:"repositories"`
}

// TrustItem is one repository.
type TrustItem struct {
	Root  string    `json:"root"`
	First string    `json:"first"` // commit; empty outside of git and before there is one
	Made  bool      `json:"made"`  // this machine made the files
	At    time.Time `json:"at"`
	Holds bool      `json:"holds"` // it is still that repository
	Files bool      `json:"files"` // there is something to read
	Gone  bool      `json:"gone"`  // there is no such directory any more
}

// SchemaName returns the name of the view's schema.
func (TrustView) SchemaName() string { return "trust" }

// List returns the items that --jsonl prints.
func (v TrustView) List() []any { return Items(v.Repositories) }

// Print writes the view for a person.
func (v TrustView) Print(p *Printer) {
	if len(v.Repositories) == 0 {
		p.Line("No repository is trusted.")
		return
	}
	for _, t := range v.Repositories {
		switch v.Did {
		case "unchanged":
			p.Line("not trusted  %s", OneLine(t.Root))
		case "revoked":
			p.Line("revoked  %s", OneLine(t.Root))
			p.Say("What was learned from its files is not injected any more.")
		case "list":
			p.Line("%s  %s", t.state(), OneLine(t.Root))
			if t.Gone {
				p.Say("There is no such directory. If it was renamed, it is still trusted at its new place.")
			}
			t.firstCommit(p)
		default:
			p.Line("%s  %s", t.state(), OneLine(t.Root))
			t.firstCommit(p)
		}
		if v.Did == "trusted" && !t.Files {
			p.Say("There is nothing to read yet. Make state files with: remanence mind init")
		}
		if v.Did == "trusted" && t.First == "" {
			p.Say("It has no commit yet; it needs a new decision after the first one.")
		}
	}
}

// state is what has become of an entry, in a word or two.
func (t TrustItem) state() string {
	switch {
	case t.Holds:
		return "trusted"
	case t.Gone:
		return "gone"
	}
	return "asks again"
}

func (t TrustItem) firstCommit(p *Printer) {
	if t.First != "" && p.Flags.Verbose {
		p.Line("  first commit %s", t.First)
	}
}
