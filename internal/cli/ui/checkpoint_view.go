package ui

import (
	"fmt"
	"time"

	"remanence/internal/mem"
)

// CheckpointItem is one checkpoint, whole.
type CheckpointItem struct {
	ID           string         `json:"id"`
	At           *time.Time     `json:"at"`
	Trigger      string         `json:"trigger"`
	Session      *string        `json:"session"`
	SessionShort *string        `json:"session_short"`
	Project      *string        `json:"project"`
	Note         *string        `json:"note"`
	Handoff      *string        `json:"handoff"`
	Phase        *string        `json:"phase"`
	Request      *string        `json:"request"`
	Answer       *string        `json:"answer"`
	Next         []string       `json:"next"`
	Doing        []string       `json:"doing"`
	Open         []string       `json:"open"`
	Blocked      []string       `json:"blocked"`
	Waiting      []string       `json:"waiting"`
	Editing      []string       `json:"editing"` // files in edit
	Files        []string       `json:"files"`
	Commands     []outcome      `json:"commands"`
	Errors       []string       `json:"errors"`
	Numbers      []string       `json:"numbers"`
	Recent       []utteranceRow `json:"recent"` // oldest first
}

type outcome struct {
	Command string  `json:"command"`
	Exit    int     `json:"exit"`
	Note    *string `json:"note"`
}

type utteranceRow struct {
	Who  string `json:"who"`
	Text string `json:"text"`
}

// ItemOf returns the JSON form of a checkpoint.
func ItemOf(cp mem.Checkpoint, short string) CheckpointItem {
	it := CheckpointItem{
		ID: cp.ID, At: TimeOrNil(cp.At), Trigger: cp.Trigger, Session: TextOrNil(cp.Session), SessionShort: TextOrNil(short),
		Project: TextOrNil(cp.Project),
		Note:    TextOrNil(cp.Note), Handoff: TextOrNil(cp.Handoff), Phase: TextOrNil(cp.State.Phase),
		Request: TextOrNil(cp.State.Request), Answer: TextOrNil(cp.State.Status),
		Next: NotNil(cp.State.Next), Doing: NotNil(cp.State.Doing), Open: NotNil(cp.State.Open),
		Blocked: NotNil(cp.State.Blocked), Waiting: NotNil(cp.State.Waiting),
		Editing: NotNil(cp.State.Files), Files: NotNil(cp.Evidence.Files), Commands: []outcome{},
		Errors: NotNil(cp.Evidence.Errors), Numbers: NotNil(cp.Evidence.Numbers), Recent: []utteranceRow{},
	}
	for _, c := range cp.Evidence.Commands {
		it.Commands = append(it.Commands, outcome{c.Command, c.Exit, TextOrNil(c.Note)})
	}
	for _, s := range cp.Recent {
		it.Recent = append(it.Recent, utteranceRow{s.Who, s.Text})
	}
	return it
}

// CheckpointView shows one checkpoint.
type CheckpointView struct{ CheckpointItem }

// SchemaName returns the name of the view's schema.
func (CheckpointView) SchemaName() string { return "checkpoint" }

// Print writes the view for a person.
func (v CheckpointView) Print(p *Printer) {
	when := ""
	if v.At != nil {
		when = DateTime(*v.At, p.Now())
	}
	p.Line("%s  %s  %s", p.Style(Bold, v.ID), v.Trigger, when)
	field := func(name string, s *string) {
		if s != nil {
			p.Field(name, "%s", OneLine(*s))
		}
	}
	field("session", v.SessionShort)
	field("note", v.Note)
	field("phase", v.Phase)
	field("asked", v.Request)
	field("answered", v.Answer)
	list := func(name string, items []string) {
		if len(items) > 0 {
			p.Line("%s", name)
		}
		for _, it := range items {
			p.Line("  - %s", OneLine(it))
		}
	}
	if v.Handoff != nil {
		p.Line("handoff")
		p.Line("%s", Safe(*v.Handoff))
	}
	list("next", v.Next)
	list("in progress", v.Doing)
	list("open", v.Open)
	list("in the way", append(append([]string{}, v.Waiting...), v.Blocked...))
	list("files in edit", v.Editing)
	list("files", v.Files)
	var ran, said []string
	for _, c := range v.Commands {
		line := fmt.Sprintf("%s: exit %d", c.Command, c.Exit)
		if c.Note != nil {
			line += ", " + *c.Note
		}
		ran = append(ran, line)
	}
	for _, s := range v.Recent {
		said = append(said, s.Who+": "+s.Text)
	}
	list("commands", ran)
	list("errors", v.Errors)
	list("figures", v.Numbers)
	list("last words", said)
}

// CheckpointsView lists checkpoints.
type CheckpointsView struct {
	Total       int              `json:"total"`
	Next        *string          `json:"next"`
	Checkpoints []CheckpointItem `json:"checkpoints"` // newest first
}

// SchemaName returns the name of the view's schema.
func (CheckpointsView) SchemaName() string { return "checkpoints" }

// List returns the items that --jsonl prints.
func (v CheckpointsView) List() []any { return Items(v.Checkpoints) }

// Print writes the view for a person.
func (v CheckpointsView) Print(p *Printer) {
	if len(v.Checkpoints) == 0 {
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
	rows := make([][]string, 0, len(v.Checkpoints))
	for _, c := range v.Checkpoints {
		when, about, session := "", "", ""
		if c.At != nil {
			when = DateTime(*c.At, p.Now())
		}
		for _, s := range []*string{c.Note, c.Request, c.Answer, c.Handoff} {
			if s != nil && about == "" {
				about = OneLine(*s)
			}
		}
		if c.SessionShort != nil {
			session = *c.SessionShort
		}
		rows = append(rows, []string{when, c.ID, c.Trigger, about, session})
	}
	p.Table(cols, rows)
}

// SavedView is a checkpoint that was saved, and how that went.
type SavedView struct {
	Status  string   `json:"status"`  // ok, degraded
	Trouble []string `json:"trouble"` // what did not work
	Asked   bool     `json:"index"`   // the transcript was to be taken in
	Said    int      `json:"said"`    // things said that were taken in
	Indexed int      `json:"indexed"` // pieces of them that can be found now
	Found   int      `json:"found"`   // lost reports that were found
	CheckpointItem
}

// SchemaName returns the name of the view's schema.
func (SavedView) SchemaName() string { return "checkpoint_save" }

// Print writes the view for a person.
func (v SavedView) Print(p *Printer) {
	for _, t := range v.Trouble {
		p.Line("  ! %s", OneLine(t))
	}
	how := "OK"
	if v.Status != "ok" {
		how = "DEGRADED"
	}
	line := fmt.Sprintf("[checkpoint] %s %s", how, v.ID)
	if v.SessionShort != nil {
		line += " of " + *v.SessionShort
	}
	if v.Asked {
		line += fmt.Sprintf(": %d things said taken in, %s indexed, %s found", v.Said, Plural(v.Indexed, "piece", "pieces"),
			Plural(v.Found, "lost report", "lost reports"))
	}
	if v.Handoff != nil {
		line += fmt.Sprintf(": handoff of %d characters", len([]rune(*v.Handoff)))
	}
	p.Line("%s", line)
}

// ResumeView shows where a session stopped.
type ResumeView struct {
	Checkpoint CheckpointItem `json:"checkpoint"`
	Handoff    *string        `json:"handoff"`
	Text       string         `json:"text"`
}

// SchemaName returns the name of the view's schema.
func (ResumeView) SchemaName() string { return "checkpoint_resume" }

// Print writes the view for a person.
func (v ResumeView) Print(p *Printer) { p.Line("%s", Safe(v.Text)) }

// DiffView shows what changed between two checkpoints.
type DiffView struct {
	From    *string    `json:"from"` // null: there was none before
	To      *string    `json:"to"`
	FromAt  *time.Time `json:"from_at"`
	ToAt    *time.Time `json:"to_at"`
	Changes []Change   `json:"changes"`
}

// Change is one line of a difference.
type Change struct {
	What string `json:"what"`
	Gone bool   `json:"gone"` // it was there and is not any more
	Text string `json:"text"`
}

// SchemaName returns the name of the view's schema.
func (DiffView) SchemaName() string { return "checkpoint_diff" }

// List returns the items that --jsonl prints.
func (v DiffView) List() []any { return Items(v.Changes) }

// Print writes the view for a person.
func (v DiffView) Print(p *Printer) {
	if v.To == nil {
		p.Line("No checkpoint yet, so there is nothing to compare.")
		p.Hint("save one now: remanence checkpoint save")
		return
	}
	from := "nothing"
	if v.From != nil {
		from = *v.From
	}
	p.Line("%s → %s", from, *v.To)
	what := ""
	for _, c := range v.Changes {
		if c.What != what {
			what = c.What
			p.Line("%s", what)
		}
		sign := "+"
		if c.Gone {
			sign = "-"
		}
		p.Line("  %s %s", sign, OneLine(c.Text))
	}
	if len(v.Changes) == 0 {
		p.Line("Nothing changed.")
	}
}
