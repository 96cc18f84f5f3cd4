package ui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// MemoryList shows memories and what was done to them. Its JSON form is Response.
type MemoryList struct {
	Schema   string // name of the response's schema
	Response any    // of the API
	Memories []mem.Memory
	Did      string // shown, added, edited, hidden, restored, pinned, unpinned …
	DryRun   bool
	Undo     string // the command that reverts it; "" means none
	Limit    int    // set if more memories than this may match
	// Proposed are the ids of memories that stay unchanged until the person decides.
	Proposed []string
	Reported bool     // an agent reported the memories as wrong
	NoEffect []string // ids of memories that its report changes nothing about

	Links        map[string][]recall.LinkedMemory // of shown memories, by ID
	Raw, Sources bool                             // show only the text, or only the provenance
	Now          time.Time
}

// SchemaName returns the name of the view's schema.
func (v MemoryList) SchemaName() string { return v.Schema }

// MarshalJSON implements json.Marshaler.
func (v MemoryList) MarshalJSON() ([]byte, error) { return Encode(v.Response) }

// List returns the items that --jsonl prints.
func (v MemoryList) List() []any { return Items(v.Memories) }

// Print writes the view for a person.
func (v MemoryList) Print(p *Printer) {
	if v.Did == "shown" {
		for i, m := range v.Memories {
			if i > 0 {
				p.Line("")
			}
			v.printMemory(p, m)
		}
		return
	}
	would := ""
	if v.DryRun {
		would = "would be "
	}
	if len(v.Memories) == 0 {
		p.Line("Nothing %s%s.", would, v.Did)
		return
	}
	for _, m := range v.Memories {
		p.Line("%s%s  %s  %s  %s", would, v.Did, m.ID, m.Kind, Clip(OneLine(m.Title), 100))
	}
	if v.Limit > 0 {
		p.Hint("these are the first %d that were found; if there are others do it again", v.Limit)
	}
	if len(v.Proposed) > 0 {
		p.Hint("an agent does not change what has more trust: %s stays as it is, and the person decides: remanence review",
			strings.Join(v.Proposed, " "))
	}
	if len(v.NoEffect) > 0 {
		p.Hint("without effect on %s: the agent has read external text, or a person rejected the same report",
			strings.Join(v.NoEffect, " "))
	}
	if v.Reported && len(v.NoEffect) < len(v.Memories) {
		p.Hint("not injected unasked until a person decides: remanence review")
	}
	switch {
	case v.Undo == "":
	case v.Did == "forgotten":
		p.Hint("forgotten; restore with %s", v.Undo)
		p.Hint("Forgotten is not erased yet. To erase at once: remanence purge ID")
	default:
		p.Hint("undo: %s", v.Undo)
	}
}

func (v MemoryList) printMemory(p *Printer, m mem.Memory) {
	if v.Raw {
		p.Line("%s", Safe(m.Text()))
		return
	}
	if v.Sources {
		p.Line("%s  %s", m.ID, OneLine(Provenance(m, v.Now)))
		return
	}
	head := fmt.Sprintf("%s  %s  %s", p.Style(Bold, m.ID), m.Kind, m.Scope)
	if m.Status != mem.Active && m.Status != "" {
		head += "  " + string(m.Status)
	}
	if m.Pinned {
		head += "  pinned"
	}
	p.Line("%s", head)
	p.Line("%s", Safe(m.Text()))
	for _, f := range m.Facts {
		p.Line("  - %s", OneLine(f))
	}
	printSummary(p, m)
	for _, f := range []struct{ name, text string }{
		{"files", strings.Join(m.Files, ", ")},
		{"tags", strings.Join(m.Tags, ", ")},
		{"holds", m.Invariant},
		{"merged into", m.MergedInto},
		{"promoted", fromScope(m.PromotedFrom)},
		{"file", m.Note.File},
	} {
		if f.text != "" {
			p.Field(f.name, "%s", OneLine(f.text))
		}
	}
	for _, f := range m.Feedback {
		text := f.Verdict
		if f.Note != "" {
			text += ": " + f.Note
		}
		p.Field("marked", "%s", OneLine(text))
		if f.Was != "" {
			p.Field("was", "%s", OneLine(f.Was))
		}
	}
	if slices.ContainsFunc(m.Feedback, func(f mem.Feedback) bool { return f.Was != "" }) {
		p.Field("undo", "remanence edit %s --undo", m.ID)
	}
	for _, l := range v.Links[m.ID] {
		printLink(p, l, v.Now)
	}
	p.Field("trust", "%s, importance %.2f, confidence %.2f", m.Trust, m.Importance, m.Confidence)
	p.Field("source", "%s", OneLine(Provenance(m, v.Now)))
}

func fromScope(s mem.Scope) string {
	if s == "" {
		return ""
	}
	return "from " + string(s)
}

// printSummary prints the parts of a summary that its text does not contain.
func printSummary(p *Printer, m mem.Memory) {
	if m.Summary == nil {
		return
	}
	for _, part := range []struct{ name, text string }{
		{"request", m.Summary.Request},
		{"investigated", m.Summary.Investigated},
		{"learned", m.Summary.Learned},
		{"completed", m.Summary.Completed},
		{"next", m.Summary.NextSteps},
		{"notes", m.Summary.Notes},
	} {
		if !strings.Contains(m.Text(), part.text) {
			p.Field(part.name, "%s", OneLine(part.text))
		}
	}
}

// printLink prints a link of a memory under a heading of one word.
func printLink(p *Printer, l recall.LinkedMemory, now time.Time) {
	text := Clip(OneLine(l.Title), 100)
	title, when := l.ID+": "+text, ""
	if !l.Since.IsZero() {
		when = " on " + DateTime(l.Since, now)
	}
	switch {
	case l.Kind == mem.LinkSupersedes && l.From:
		p.Field("replaced", "by %s%s: %s", l.ID, when, text)
	case l.Kind == mem.LinkSupersedes:
		p.Field("replaces", "%s%s: %s", l.ID, when, text)
	case l.Kind == mem.LinkContradicts:
		p.Field("against", "%s", title)
	case l.From:
		p.Field("linked", "%s → this  %s", strings.ReplaceAll(string(l.Kind), "_", " "), title)
	default:
		p.Field("linked", "%s  %s", strings.ReplaceAll(string(l.Kind), "_", " "), title)
	}
}

// PreviewMemories lists memories that are about to be changed, on standard error.
func PreviewMemories(p *Printer, ms []mem.Memory) {
	for _, m := range ms {
		p.Say("  %s  %s  %s", m.ID, m.Kind, Clip(OneLine(m.Title), 100))
	}
}

// Provenance describes in a sentence where a memory comes from and how it was used.
func Provenance(m mem.Memory, now time.Time) string {
	var sb strings.Builder
	switch origin := m.Origin; {
	case m.OfTeam():
		fmt.Fprintf(&sb, "Read from a file that your team shares, %s", DateTime(m.Created, now))
		if name := m.TeamAuthor(); name != "" {
			fmt.Fprintf(&sb, ", written by %s", OneLine(name))
		}
	case origin == mem.FromUserCommand:
		fmt.Fprintf(&sb, "Added at the command line, %s", DateTime(m.Created, now))
	case origin == mem.FromVault:
		fmt.Fprintf(&sb, "Read from your vault, %s", DateTime(m.Created, now))
	case origin == mem.FromImport:
		fmt.Fprintf(&sb, "Brought by an import, from %s", DateTime(m.Created, now))
	default:
		fmt.Fprintf(&sb, "Learned from %s, %s, %s", session(m.Source), DateTime(m.Created, now), channel(m))
	}
	if m.Commit != "" {
		fmt.Fprintf(&sb, ", at commit %.8s", m.Commit)
	}
	if m.Branch != "" {
		fmt.Fprintf(&sb, " on %s", m.Branch)
	}
	switch m.Uses {
	case 0:
		sb.WriteString("; not used yet")
	case 1:
		sb.WriteString("; used once")
	default:
		fmt.Fprintf(&sb, "; used %d times", m.Uses)
	}
	if !m.LastUsed.IsZero() {
		fmt.Fprintf(&sb, ", last %s", DateTime(m.LastUsed, now))
	}
	return sb.String() + "."
}

func session(s mem.Source) string {
	out := "a session"
	switch s.Agent {
	case "":
	case "claude-code":
		out = "Claude Code session"
	default:
		out = s.Agent + " session"
	}
	if s.Session != "" {
		out += " " + chars.Clip(s.Session, 9)
	}
	if s.Prompt > 0 {
		out += fmt.Sprintf(" (prompt %d)", s.Prompt)
	}
	return out
}

// channel is what the text came through.
func channel(m mem.Memory) string {
	of := ""
	if m.Tool != "" {
		of = " of " + m.Tool
	}
	if m.Command != "" {
		of += " `" + chars.Clip(m.Command, 60) + "`"
	}
	switch m.Origin {
	case mem.FromUserPrompt:
		return "from what you typed"
	case mem.FromAssistant:
		return "from the assistant's words"
	case mem.FromTool:
		return "from the tool output" + of
	case mem.FromWeb:
		return "from the web" + of
	case mem.FromMCP:
		return "kept by the agent over MCP" + of
	}
	return "from an unknown source"
}

// maxUndoIDs is how many ids a command that reverts a change lists.
const maxUndoIDs = 100

// IDsText returns ids as arguments of a command; if there are too many to type or read, the flags that select them
// instead.
func IDsText(ids, selection []string) string {
	if len(ids) <= maxUndoIDs || len(selection) == 0 {
		return strings.Join(ids, " ")
	}
	quoted := make([]string, 0, len(selection))
	for _, arg := range selection {
		if strings.Trim(arg, plainArgument) != "" {
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		quoted = append(quoted, arg)
	}
	return strings.Join(quoted, " ")
}

// plainArgument are the characters that no shell changes.
const plainArgument = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@"

// UndoOf returns the command that reverts another one, "" if there is none.
func UndoOf(command string) string {
	return map[string]string{"forget": "restore", "restore": "forget", "pin": "unpin", "unpin": "pin"}[command]
}
