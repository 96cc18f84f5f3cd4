package ui

import (
	"fmt"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// BlameView shows which turns wrote the lines of a file.
type BlameView struct{ views.BlameResponse }

// SchemaName returns the name of the view's schema.
func (BlameView) SchemaName() string { return "blame" }

// List returns the rows.
func (v BlameView) List() []any { return Items(v.Rows) }

// Print writes the view for a person.
func (v BlameView) Print(p *Printer) {
	if v.Lines == 0 {
		p.Line("%s is empty.", OneLine(v.File))
		return
	}
	p.Line("%s", p.Style(Bold, fmt.Sprintf("%s: %s, %d written in a known session", OneLine(v.File),
		Plural(v.Lines, "line", "lines"), v.Known)))
	for _, r := range v.Rows {
		lines := fmt.Sprint(r.From)
		if r.To > r.From {
			lines = fmt.Sprintf("%d-%d", r.From, r.To)
		}
		p.Line("  %-10s %s", lines, OneLine(blameCommit(r)))
		o := r.Origin
		if o == nil {
			continue
		}
		text := fmt.Sprintf("%s, %s", o.Session, o.At.Local().Format("2 Jan 2006 15:04"))
		if o.Agent != "" {
			text += ", " + o.Agent
		}
		if link := o.Link(); link != "" {
			text += ", " + link
		}
		if o.Prompt != "" {
			text += `: "` + OneLine(chars.Clip(o.Prompt, maxBlameText)) + `"`
		}
		p.Line("  %-10s %s", "", text)
		if m := o.Memory; m != nil {
			p.Line("  %-10s %s", "", fmt.Sprintf("%s %s (%s): %s", m.Kind, m.ID, blameTrust(m.Trust), OneLine(m.Title)))
		}
	}
	if v.Known < v.Lines {
		p.Say("Lines without a session were written before Remanence, or outside of an agent.")
	}
}

// maxBlameText is the length of a prompt in the view, in characters.
const maxBlameText = 120

// blameTrust says whose words a memory holds.
func blameTrust(t mem.Trust) string {
	switch {
	case t >= mem.TrustUser:
		return "you"
	case t >= mem.TrustAssistant:
		return "the agent"
	case t > mem.TrustNone:
		return "from a tool"
	}
	return "not trusted"
}

// blameCommit is the commit of a row in a few words.
func blameCommit(r views.BlameRow) string {
	if r.Commit == "" {
		return "not committed"
	}
	return strings.Join([]string{
		r.Commit[:min(8, len(r.Commit))], r.Committed.Local().Format(time.DateOnly), r.Author + ":", r.Subject,
	}, " ")
}
