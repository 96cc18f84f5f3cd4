package ui

import (
	"fmt"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// Record is a memory as every command shows it.
type Record struct {
	ID           string     `json:"id"`
	Kind         mem.Kind   `json:"kind"`
	Title        string     `json:"title"`
	Body         *string    `json:"body"`
	Facts        []string   `json:"facts"`
	Concepts     []string   `json:"concepts"`
	Scope        mem.Scope  `json:"scope"`
	Project      *string    `json:"project"`
	Status       mem.Status `json:"status"`
	Pinned       bool       `json:"pinned"`
	Resolved     bool       `json:"resolved"`
	Trust        string     `json:"trust"`
	Importance   float64    `json:"importance"`
	Confidence   float64    `json:"confidence"`
	Tags         []string   `json:"tags"`
	Files        []string   `json:"files"`
	Branch       *string    `json:"branch"`
	Commit       *string    `json:"commit"`
	Command      *string    `json:"command"`
	Supersedes   *string    `json:"supersedes"`
	MergedInto   *string    `json:"merged_into"`   // the memory that stands for it
	PromotedFrom *string    `json:"promoted_from"` // session or project, where it reaches further since
	Source       Source     `json:"source"`
	Provenance   string     `json:"provenance"`
	Created      *time.Time `json:"created"`
	Updated      *time.Time `json:"updated"`
	Hidden       *time.Time `json:"hidden"`
	Uses         int        `json:"uses"`
	LastUsed     *time.Time `json:"last_used"`
	Prevented    int        `json:"prevented"`
	Feedback     []feedback `json:"feedback"`
	Note         *string    `json:"note"` // its file in the vault, below the vault's folder
	Invariant    *string    `json:"invariant"`
	Projects     []string   `json:"projects"`
	HalfLife     *float64   `json:"half_life_days"`
	Evergreen    bool       `json:"evergreen"`
	Links        []Link     `json:"links"`

	Summary *mem.SummaryText `json:"summary"` // null but of a summary
	Who     *string          `json:"who"`     // said it; null but of an utterance
}

// Link is how a memory stands to another one.
type Link struct {
	Memory     string       `json:"memory"` // the other one
	Kind       mem.LinkKind `json:"kind"`
	From       bool         `json:"from"` // it begins at the other one
	Title      string       `json:"title"`
	Trust      string       `json:"trust"`
	Confidence float64      `json:"confidence"`
	Since      *time.Time   `json:"since"`
}

// LinksOf returns the JSON form of the links of a memory.
func LinksOf(beside []recall.LinkedMemory) []Link {
	out := []Link{}
	for _, b := range beside {
		out = append(out, Link{b.ID, b.Kind, b.From, b.Title, b.Trust.String(), b.Confidence, TimeOrNil(b.Since)})
	}
	return out
}

// human says how the memory stands to the other one, under a heading of one word.
func (l Link) human(p *Printer, now time.Time) {
	title := l.Memory + ": " + Clip(OneLine(l.Title), 100)
	when := ""
	if l.Since != nil {
		when = " on " + DateTime(*l.Since, now)
	}
	switch {
	case l.Kind == mem.LinkSupersedes && l.From:
		p.Field("replaced", "by %s%s", title, when)
	case l.Kind == mem.LinkSupersedes:
		p.Field("replaces", "%s%s", title, when)
	case l.Kind == mem.LinkContradicts:
		p.Field("against", "%s", title)
	case l.From:
		p.Field("linked", "%s → this  %s", strings.ReplaceAll(string(l.Kind), "_", " "), title)
	default:
		p.Field("linked", "%s  %s", strings.ReplaceAll(string(l.Kind), "_", " "), title)
	}
}

// feedback is what somebody found a memory to be worth.
type feedback struct {
	Verdict string     `json:"verdict"`
	Note    *string    `json:"note"`
	By      mem.Origin `json:"by"`
	At      *time.Time `json:"at"`
	Was     *string    `json:"was"` // the text before an edit
}

func feedbackOf(m mem.Memory) []feedback {
	out := []feedback{}
	for _, f := range m.Feedback {
		out = append(out, feedback{f.Verdict, TextOrNil(f.Note), f.By, TimeOrNil(f.At), TextOrNil(f.Was)})
	}
	return out
}

// days is a span of days, null where none is given.
func days(n float64) *float64 {
	if n == 0 {
		return nil
	}
	return &n
}

// Source says where a memory was learned.
type Source struct {
	Agent   *string `json:"agent"`
	Session *string `json:"session"`
	Turn    *int    `json:"turn"`
}

// RecordOf returns the JSON form of a memory.
func RecordOf(m mem.Memory, now time.Time) Record {
	return Record{
		ID: m.ID, Kind: m.Kind, Title: m.Title, Body: TextOrNil(m.Body), Facts: NotNil(m.Facts), Concepts: NotNil(m.Concepts),
		Scope: m.Scope, Project: TextOrNil(m.Project), Status: m.Status, Pinned: m.Pinned, Resolved: m.Resolved,
		Trust: m.Trust.String(), Importance: m.Importance, Confidence: m.Confidence,
		Tags: NotNil(m.Tags), Files: NotNil(m.Files), Branch: TextOrNil(m.Branch), Commit: TextOrNil(m.Commit),
		Command: TextOrNil(m.Command), Supersedes: TextOrNil(m.Supersedes), MergedInto: TextOrNil(m.MergedInto),
		PromotedFrom: TextOrNil(string(m.PromotedFrom)), Source: SourceOf(m), Provenance: Provenance(m, now),
		Created: TimeOrNil(m.Created), Updated: TimeOrNil(m.Updated), Hidden: TimeOrNil(m.Hidden), Uses: m.Uses,
		LastUsed:  TimeOrNil(m.LastUsed),
		Prevented: m.Prevented, Feedback: feedbackOf(m), Note: TextOrNil(m.Note.File), Invariant: TextOrNil(m.Invariant),
		Projects: NotNil(m.Projects), HalfLife: days(m.HalfLife), Evergreen: m.Evergreen, Links: []Link{},
		Summary: m.Summary, Who: TextOrNil(m.Who),
	}
}

// SourceOf returns where a memory comes from.
func SourceOf(m mem.Memory) Source {
	s := Source{Agent: TextOrNil(m.Source.Agent), Session: TextOrNil(m.Source.Session)}
	if m.Source.Prompt > 0 {
		s.Turn = &m.Source.Prompt
	}
	return s
}

// Provenance says in a sentence where a memory comes from and what became of it.
func Provenance(m mem.Memory, now time.Time) string {
	var sb strings.Builder
	switch m.Origin {
	case mem.FromUserCommand:
		fmt.Fprintf(&sb, "Added at the command line, %s", DateTime(m.Created, now))
	case mem.FromVault:
		fmt.Fprintf(&sb, "Read from your vault, %s", DateTime(m.Created, now))
	case mem.FromImport:
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
		return "from what the assistant said"
	case mem.FromTool:
		return "from the tool output" + of
	case mem.FromWeb:
		return "from the web" + of
	case mem.FromMCP:
		return "kept by the agent over MCP" + of
	}
	return "from an unknown source"
}

// Records is a list of memories and what was done to them.
type Records struct {
	Did     string   `json:"did"` // shown, added, edited, hidden, restored, pinned, unpinned
	DryRun  bool     `json:"dry_run"`
	Undo    *string  `json:"undo"`
	Total   int      `json:"total"`
	Next    *string  `json:"next"`
	Records []Record `json:"memories"`
	// Proposed are the ids of memories that stay as they are until the person decides.
	Proposed []string `json:"proposed,omitempty"`

	Raw, Sources bool      `json:"-"`
	Now          time.Time `json:"-"`
}

// RecordsOf returns the JSON form of memories.
func RecordsOf(did string, ms []mem.Memory, now time.Time) Records {
	v := Records{Did: did, Total: len(ms), Records: []Record{}}
	for _, m := range ms {
		v.Records = append(v.Records, RecordOf(m, now))
	}
	return v
}

// SchemaName returns the name of the view's schema.
func (Records) SchemaName() string { return "memory" }

// List returns the items that --jsonl prints.
func (v Records) List() []any { return Items(v.Records) }

// Print writes the view for a person.
func (v Records) Print(p *Printer) {
	if v.Did == "shown" {
		for i, r := range v.Records {
			if i > 0 {
				p.Line("")
			}
			r.human(p, v)
		}
		return
	}
	would := ""
	if v.DryRun {
		would = "would be "
	}
	if v.Total == 0 {
		p.Line("Nothing %s%s.", would, v.Did)
		return
	}
	for _, r := range v.Records {
		p.Line("%s%s  %s  %s  %s", would, v.Did, r.ID, r.Kind, Clip(OneLine(r.Title), 100))
	}
	if v.Next != nil {
		p.Hint("these are the first %s that were found; if there are others do it again", *v.Next)
	}
	if len(v.Proposed) > 0 {
		p.Hint("an agent does not change what has more trust: %s stays as it is, and the person decides: remanence review",
			strings.Join(v.Proposed, " "))
	}
	switch {
	case v.Undo == nil:
	case v.Did == "hidden":
		p.Hint("hidden; restore with %s", *v.Undo)
		p.Hint("Hidden is not erased yet. To erase at once: remanence purge ID")
	default:
		p.Hint("undo: %s", *v.Undo)
	}
}

func (r Record) human(p *Printer, v Records) {
	if v.Raw {
		p.Line("%s", Safe(r.Text()))
		return
	}
	if v.Sources {
		p.Line("%s  %s", r.ID, OneLine(r.Provenance))
		return
	}
	head := fmt.Sprintf("%s  %s  %s", p.Style(Bold, r.ID), r.Kind, r.Scope)
	if r.Status != mem.Active && r.Status != "" {
		head += "  " + string(r.Status)
	}
	if r.Pinned {
		head += "  pinned"
	}
	p.Line("%s", head)
	p.Line("%s", Safe(r.Text()))
	for _, f := range r.Facts {
		p.Line("  - %s", OneLine(f))
	}
	r.parts(p)
	if len(r.Files) > 0 {
		p.Field("files", "%s", OneLine(strings.Join(r.Files, ", ")))
	}
	if len(r.Tags) > 0 {
		p.Field("tags", "%s", OneLine(strings.Join(r.Tags, ", ")))
	}
	if r.Invariant != nil {
		p.Field("holds", "%s", OneLine(*r.Invariant))
	}
	if r.MergedInto != nil {
		p.Field("merged into", "%s", *r.MergedInto)
	}
	if r.PromotedFrom != nil {
		p.Field("promoted", "from %s", *r.PromotedFrom)
	}
	if r.Note != nil {
		p.Field("file", "%s", OneLine(*r.Note))
	}
	for _, f := range r.Feedback {
		text := f.Verdict
		if f.Note != nil {
			text += ": " + *f.Note
		}
		p.Field("marked", "%s", OneLine(text))
		if f.Was != nil {
			p.Field("was", "%s", OneLine(*f.Was))
		}
	}
	for _, l := range r.Links {
		l.human(p, v.Now)
	}
	p.Field("trust", "%s, importance %.2f, confidence %.2f", r.Trust, r.Importance, r.Confidence)
	p.Field("source", "%s", OneLine(r.Provenance))
}

// parts says what a summary holds beside its text.
func (r Record) parts(p *Printer) {
	if r.Summary == nil {
		return
	}
	for _, part := range []struct{ name, text string }{
		{"request", r.Summary.Request},
		{"investigated", r.Summary.Investigated},
		{"learned", r.Summary.Learned},
		{"completed", r.Summary.Completed},
		{"next", r.Summary.NextSteps},
		{"notes", r.Summary.Notes},
	} {
		if !strings.Contains(r.Text(), part.text) {
			p.Field(part.name, "%s", OneLine(part.text))
		}
	}
}

// Text is all that title and body say.
func (r Record) Text() string {
	m := mem.Memory{Title: r.Title}
	if r.Body != nil {
		m.Body = *r.Body
	}
	return m.Text()
}

// Preview lists what is about to be changed, as talk.
func (v Records) Preview(p *Printer) {
	for _, r := range v.Records {
		p.Say("  %s  %s  %s", r.ID, r.Kind, Clip(OneLine(r.Title), 100))
	}
}
