package ui

import (
	"slices"
	"strings"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// PurgeView shows what a purge erased or would erase.
type PurgeView struct {
	DryRun    bool        `json:"dry_run"`
	IDs       []string    `json:"ids"`
	Erased    Erased      `json:"erased"`
	Memories  []PurgeItem `json:"memories"` // with --dry-run: all that would go, also what was not named
	Copies    []string    `json:"copies"`   // of the database beside it, which hold it too and go as well
	Unreached []string    `json:"unreached"`
}

// PurgeItem is a memory that would go.
type PurgeItem struct {
	ID    string `json:"id"`
	Kind  string `json:"kind"`
	Title string `json:"title"`
	Note  string `json:"note,omitempty"` // its file in the vault, which goes too
	Named bool   `json:"named"`          // else it holds the text of one that is, or belongs to a session that is
}

// PurgePreview returns the view of what would go.
func PurgePreview(ids []string, would event.PurgeResponse) PurgeView {
	v := PurgeView{
		DryRun: true, IDs: ids, Erased: ErasedCounts(would.Purged), Memories: []PurgeItem{},
		Copies: []string{}, Unreached: NotNil(would.Unreached),
	}
	for _, m := range would.Memories {
		v.Memories = append(v.Memories, PurgeItem{m.ID, string(m.Kind), m.Title, m.Note.File, slices.Contains(ids, m.ID)})
	}
	return v
}

// Lines name what would go, one thing each.
func (v PurgeView) Lines() []string {
	var out []string
	for _, id := range v.IDs {
		if !strings.HasPrefix(id, "m_") {
			out = append(out, "  "+Safe(id)+"  a session with all that belongs to it")
		}
	}
	for _, m := range v.Memories {
		with := ""
		if !m.Named {
			with = "  (goes with it)"
		}
		if m.Note != "" {
			with += "  with " + Safe(m.Note) + " in the vault"
		}
		out = append(out, "  "+m.ID+"  "+m.Kind+"  "+Clip(OneLine(m.Title), 80)+with)
	}
	return append(append(out, "  "+v.Erased.String()), CopyLines(v.Copies)...)
}

// CopyLines name the copies that go with what is erased.
func CopyLines(files []string) []string {
	var out []string
	for _, f := range files {
		out = append(out, "  "+Safe(f)+"  a copy of the database, which holds it too")
	}
	return out
}

// Erased counts what a purge erases.
type Erased struct {
	Memories    int `json:"memories"`
	Events      int `json:"events"`
	Turns       int `json:"turns"`
	Receipts    int `json:"receipts"`
	Checkpoints int `json:"checkpoints"`
}

// ErasedCounts returns the counts of a purge.
func ErasedCounts(p mem.Purged) Erased { return Erased(p) }

// String counts what goes.
func (e Erased) String() string {
	return strings.Join([]string{
		Plural(e.Memories, "memory", "memories"), Plural(e.Events, "event", "events"),
		Plural(e.Turns, "prompt", "prompts"),
		Plural(e.Receipts, "receipt", "receipts"), Plural(e.Checkpoints, "checkpoint", "checkpoints"),
	}, ", ")
}

// SchemaName returns the name of the view's schema.
func (PurgeView) SchemaName() string { return "purge" }

// Print writes the view for a person.
func (v PurgeView) Print(p *Printer) {
	if v.DryRun {
		p.Line("Would be erased for good: %s", strings.Join(v.IDs, " "))
		for _, l := range v.Lines() {
			p.Line("%s", l)
		}
	} else {
		p.Line("Erased for good: %s.", v.Erased)
		for _, l := range CopyLines(v.Copies) {
			p.Line("%s", l)
		}
	}
	for _, u := range v.Unreached {
		p.Line("  not reached: %s", Safe(u))
	}
}
