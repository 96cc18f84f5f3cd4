package ui

import (
	"cmp"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// PurgeView shows what a purge erased or would erase.
type PurgeView struct {
	DryRun    bool        `json:"dry_run"`
	IDs       []string    `json:"ids"`
	Text      string      `json:"text"` // the words that are erased wherever they stand; empty without --text
	Erased    Erased      `json:"erased"`
	Mentions  []Mentions  `json:"mentions"` // all records with the words
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

// Mentions counts the records of one sort that hold erased words.
type Mentions struct {
	Where string `json:"where"`
	Count int    `json:"count"`
}

// PurgePreview returns the view of what would go.
func PurgePreview(req event.PurgeRequest, would event.PurgeResponse) PurgeView {
	v := PurgeView{
		DryRun: true, IDs: NotNil(req.IDs), Text: req.Text, Erased: ErasedCounts(would.Purged), Mentions: []Mentions{},
		Memories: []PurgeItem{}, Copies: []string{}, Unreached: NotNil(would.Unreached),
	}
	for _, c := range would.Mentions {
		v.Mentions = append(v.Mentions, Mentions{c.Value, c.N})
	}
	for _, m := range would.Memories {
		named := req.Text != "" || slices.Contains(req.IDs, m.ID)
		v.Memories = append(v.Memories, PurgeItem{m.ID, string(m.Kind), m.Title, m.Note.File, named})
	}
	for _, m := range would.With {
		v.Memories = append(v.Memories, PurgeItem{m.ID, string(m.Kind), m.Title, m.Note.File, false})
	}
	return v
}

// PurgeDone returns the view of what was erased, and with which copies of the database.
func PurgeDone(req event.PurgeRequest, done event.PurgeResponse, copies []string) PurgeView {
	done.Memories = nil
	v := PurgePreview(req, done)
	v.DryRun, v.Copies = false, copies
	return v
}

// Named are the ids or the words, as they were given.
func (v PurgeView) Named() string {
	if v.Text != "" {
		return v.Text
	}
	return strings.Join(v.IDs, " ")
}

// Lines name what would go, one thing each.
func (v PurgeView) Lines() []string {
	var out []string
	for _, id := range v.IDs {
		if !strings.HasPrefix(id, "m_") {
			out = append(out, "  "+Safe(id)+"  a session with all that belongs to it")
		}
	}
	held := 0 // memories and quotes that hold the words
	for _, m := range v.Mentions {
		if m.Where == "memories" || m.Where == "conversation" {
			held += m.Count
		}
	}
	n := 0 // of them shown
	for _, m := range v.Memories {
		if v.Text != "" && m.Named {
			if n == maxPurgeItems {
				continue
			}
			n++
		}
		with := ""
		if !m.Named {
			with = "  (goes with it)"
		}
		switch {
		case strings.HasPrefix(m.Note, mem.TeamPlace), strings.HasPrefix(m.Note, mem.SharedDir): // see Unreached
		case m.Note != "":
			with += "  with " + Safe(m.Note) + " in the vault"
		}
		out = append(out, "  "+m.ID+"  "+m.Kind+"  "+Clip(OneLine(m.Title), 80)+with)
	}
	if v.Text == "" {
		return append(append(out, "  "+v.Erased.String()), CopyLines(v.Copies)...)
	}
	if more := held - n; more > 0 {
		out = append(out, "  and "+Plural(more, "more memory or quote", "more memories and quotes")+" that hold the words")
	}
	if with := v.Erased.Memories - held; with > 0 {
		out = append(out, "  "+Plural(with, "memory or quote goes", "memories and quotes go")+
			" with them: of the same prompt or with the same text")
	}
	out = append(out, "  the words are in: "+v.mentioned(), "  memories and quotes go with what they came from")
	return append(out, CopyLines(v.Copies)...)
}

const maxPurgeItems = 20 // memories that are listed of those that hold words

// mentioned counts the records that hold the words, by sort.
func (v PurgeView) mentioned() string {
	var out []string
	for _, m := range v.Mentions {
		out = append(out, m.Where+" "+chars.Thousands(m.Count))
	}
	return strings.Join(out, ", ")
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

// NothingHolds reports whether no record holds the words of a preview.
func (v PurgeView) NothingHolds() bool {
	return v.DryRun && v.Text != "" && len(v.Memories)+len(v.Mentions) == 0
}

// Print writes the view for a person.
func (v PurgeView) Print(p *Printer) {
	switch {
	case v.NothingHolds():
		p.Line("Nothing that is stored holds these words: %s", Safe(v.Text))
	case v.DryRun:
		p.Line("Would be erased for good: %s", Safe(v.Named()))
		for _, l := range v.Lines() {
			p.Line("%s", l)
		}
	default:
		what := v.Erased.String()
		if v.Text != "" {
			what = cmp.Or(v.mentioned(), "nothing holds the words")
		}
		p.Line("Erased for good: %s.", what)
		for _, l := range CopyLines(v.Copies) {
			p.Line("%s", l)
		}
	}
	for _, u := range v.Unreached {
		p.Line("  not reached: %s", Safe(u))
	}
}
