package filesync

import (
	"context"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// Bounds of a journal entry, in characters and items.
const (
	maxHappened = 2000
	maxLogLine  = 400
	maxLogItems = 30
)

// WriteLog adds an entry to the person's journal file. Without a journal file it stores the entry as a
// memory.
func (s *Service) WriteLog(ctx context.Context, req LogRequest) (LogResponse, error) {
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return LogResponse{}, err
	}
	entry, err := s.cleanEntry(req.Entry, p)
	if err != nil {
		return LogResponse{}, err
	}
	out := LogResponse{Text: entryText(entry, s.Now().Local().Format("2006-01-02"))}
	if s.Journal != nil {
		if out.File, err = s.Journal(out.Text); err != nil || out.File != "" {
			return out, err
		}
	}
	if p.Key == "" {
		p = event.Nowhere
	}
	m := s.stateMemory(p, mem.Summary, req.Agent != "")
	m.Title, m.Body, m.Tags, m.Importance = chars.Clip(entry.Title, 160), out.Text, []string{"log"}, 0.6
	m.Summary = &mem.SummaryText{
		Request: entry.Title, Completed: entry.Happened, Learned: strings.Join(entry.Decisions, " "),
		Notes: strings.Join(entry.Prevented, " "),
	}
	if req.Agent != "" {
		if m.Trust, err = s.Event.ByAgent(ctx, req.Agent); err != nil {
			return out, err
		}
	}
	b := mem.Batch{Project: &p, Memories: event.Indexed([]mem.Memory{m})}
	s.Event.Follow(&b)
	res, err := s.Store.Apply(ctx, b)
	if err != nil {
		return out, fmt.Errorf("store entry: %w", err)
	}
	kept, err := s.Event.One(ctx, res[0].IDs[0])
	out.Memory = &kept
	return out, err
}

// cleanEntry redacts and bounds every text of an entry. It returns ErrNoText without a title.
func (s *Service) cleanEntry(in LogEntry, p mem.Project) (LogEntry, error) {
	line := func(text string) string { return chars.Clip(chars.Line(s.Redactor.Prompt(text)), maxLogLine) }
	list := func(items []string) []string {
		var out []string
		for _, it := range items[:min(len(items), maxLogItems)] {
			if it = line(it); it != "" {
				out = append(out, it)
			}
		}
		return out
	}
	out := LogEntry{
		Title:     chars.Clip(line(in.Title), 120),
		Projects:  list(in.Projects),
		Scope:     line(in.Scope),
		Happened:  chars.Clip(strings.TrimSpace(s.Redactor.Prompt(in.Happened)), maxHappened),
		Decisions: list(in.Decisions), Cited: list(in.Cited), Prevented: list(in.Prevented),
		New: list(in.New), Drift: list(in.Drift), Lint: list(in.Lint),
	}
	if out.Title == "" {
		return out, event.ErrNoText
	}
	if len(out.Projects) == 0 && p.Name != "" {
		out.Projects = []string{p.Name}
	}
	return out, nil
}

// entryText formats an entry for the journal. Texts are put in single lines, so that none can look
// like the heading of another entry.
func entryText(en LogEntry, day string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s — %s\n\n", day, en.Title)
	field := func(name, text string) {
		if text == "" {
			text = "none"
		}
		fmt.Fprintf(&b, "**%s:** %s\n", name, text)
	}
	list := func(name string, items []string) {
		if len(items) == 0 {
			field(name, "")
			return
		}
		fmt.Fprintf(&b, "**%s:**\n", name)
		for _, it := range items {
			fmt.Fprintf(&b, "- %s\n", it)
		}
	}
	field("Project(s)", strings.Join(en.Projects, ", "))
	field("Scope", en.Scope)
	field("What happened", chars.Line(en.Happened))
	list("Decisions made", en.Decisions)
	list("Memories cited", en.Cited)
	list("Prevented confirmations", en.Prevented)
	list("New memories", en.New)
	list("Drift flagged", en.Drift)
	list("Lint", en.Lint)
	return b.String()
}

// LogRequest adds an entry to the person's journal.
type LogRequest struct {
	mem.ProjectRef
	Agent string   `json:"agent,omitempty"` // ID of the agent's session; "" means that a person asks
	Entry LogEntry `json:"entry"`
}

// LogEntry is the report on a stretch of work. Only Title is required.
type LogEntry struct {
	Title     string   `json:"title"`
	Projects  []string `json:"projects,omitempty"` // empty means the project of the place
	Scope     string   `json:"scope,omitempty"`
	Happened  string   `json:"happened,omitempty"`
	Decisions []string `json:"decisions,omitempty"`
	Cited     []string `json:"cited,omitempty"`     // memories that were used
	Prevented []string `json:"prevented,omitempty"` // mistakes that memories prevented
	New       []string `json:"new,omitempty"`       // new memories
	Drift     []string `json:"drift,omitempty"`
	Lint      []string `json:"lint,omitempty"`
}

// LogResponse says where an entry was stored: in a file or in a memory.
type LogResponse struct {
	File   string      `json:"file,omitempty"`
	Memory *mem.Memory `json:"memory,omitempty"`
	Text   string      `json:"text"` // as written
}
