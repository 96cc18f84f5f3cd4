package cli

import (
	"fmt"
	"time"

	"remanence/internal/mem"
)

// checkpointItem is one checkpoint, whole.
type checkpointItem struct {
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

func itemOf(cp mem.Checkpoint, short string) checkpointItem {
	it := checkpointItem{
		ID: cp.ID, At: moment(cp.At), Trigger: cp.Trigger, Session: nullable(cp.Session), SessionShort: nullable(short), Project: nullable(cp.Project),
		Note: nullable(cp.Note), Handoff: nullable(cp.Handoff), Phase: nullable(cp.State.Phase), Request: nullable(cp.State.Request), Answer: nullable(cp.State.Status),
		Next: some(cp.State.Next), Doing: some(cp.State.Doing), Open: some(cp.State.Open), Blocked: some(cp.State.Blocked), Waiting: some(cp.State.Waiting),
		Editing: some(cp.State.Files), Files: some(cp.Evidence.Files), Commands: []outcome{}, Errors: some(cp.Evidence.Errors), Numbers: some(cp.Evidence.Numbers), Recent: []utteranceRow{},
	}
	for _, c := range cp.Evidence.Commands {
		it.Commands = append(it.Commands, outcome{c.Command, c.Exit, nullable(c.Note)})
	}
	for _, s := range cp.Recent {
		it.Recent = append(it.Recent, utteranceRow{s.Who, s.Text})
	}
	return it
}

type checkpointView struct{ checkpointItem }

func (checkpointView) schema() string { return "checkpoint" }

func (v checkpointView) human(p *printer) {
	when := ""
	if v.At != nil {
		when = at(*v.At, p.now())
	}
	p.line("%s  %s  %s", p.style(bold, v.ID), v.Trigger, when)
	field := func(name string, s *string) {
		if s != nil {
			p.field(name, "%s", oneLine(*s))
		}
	}
	field("session", v.SessionShort)
	field("note", v.Note)
	field("phase", v.Phase)
	field("asked", v.Request)
	field("answered", v.Answer)
	list := func(name string, items []string) {
		if len(items) > 0 {
			p.line("%s", name)
		}
		for _, it := range items {
			p.line("  - %s", oneLine(it))
		}
	}
	if v.Handoff != nil {
		p.line("handoff")
		p.line("%s", safe(*v.Handoff))
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

type checkpointsView struct {
	Total       int              `json:"total"`
	Next        *string          `json:"next"`
	Checkpoints []checkpointItem `json:"checkpoints"` // newest first
}

func (checkpointsView) schema() string { return "checkpoints" }

func (v checkpointsView) list() []any { return items(v.Checkpoints) }

func (v checkpointsView) human(p *printer) {
	if len(v.Checkpoints) == 0 {
		p.line("No checkpoint yet. One is saved before each compaction and at the end of each session.")
		p.hint("save one now: remanence checkpoint save")
		return
	}
	cols := []column{{name: "when"}, {name: "id"}, {name: "trigger", drop: 1}, {name: "about", flex: true}, {name: "session", drop: 2}}
	rows := make([][]string, 0, len(v.Checkpoints))
	for _, c := range v.Checkpoints {
		when, about, session := "", "", ""
		if c.At != nil {
			when = at(*c.At, p.now())
		}
		for _, s := range []*string{c.Note, c.Request, c.Answer, c.Handoff} {
			if s != nil && about == "" {
				about = oneLine(*s)
			}
		}
		if c.SessionShort != nil {
			session = *c.SessionShort
		}
		rows = append(rows, []string{when, c.ID, c.Trigger, about, session})
	}
	p.table(cols, rows)
}

// savedView is a checkpoint that was saved, and how that went.
type savedView struct {
	Status  string   `json:"status"`  // ok, degraded
	Trouble []string `json:"trouble"` // what did not work
	Asked   bool     `json:"index"`   // the transcript was to be taken in
	Said    int      `json:"said"`    // things said that were taken in
	Indexed int      `json:"indexed"` // pieces of them that can be found now
	Found   int      `json:"found"`   // lost reports that were found
	checkpointItem
}

func (savedView) schema() string { return "checkpoint_save" }

func (v savedView) human(p *printer) {
	for _, t := range v.Trouble {
		p.line("  ! %s", oneLine(t))
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
		line += fmt.Sprintf(": %d things said taken in, %s indexed, %s found", v.Said, plural(v.Indexed, "piece", "pieces"), plural(v.Found, "lost report", "lost reports"))
	}
	if v.Handoff != nil {
		line += fmt.Sprintf(": handoff of %d characters", len([]rune(*v.Handoff)))
	}
	p.line("%s", line)
}

type resumeView struct {
	Checkpoint checkpointItem `json:"checkpoint"`
	Handoff    *string        `json:"handoff"`
	Text       string         `json:"text"`
}

func (resumeView) schema() string { return "checkpoint_resume" }

func (v resumeView) human(p *printer) { p.line("%s", safe(v.Text)) }

type diffView struct {
	From    *string    `json:"from"` // null: there was none before
	To      *string    `json:"to"`
	FromAt  *time.Time `json:"from_at"`
	ToAt    *time.Time `json:"to_at"`
	Changes []change   `json:"changes"`
}

type change struct {
	What string `json:"what"`
	Gone bool   `json:"gone"` // it was there and is not any more
	Text string `json:"text"`
}

func (diffView) schema() string { return "checkpoint_diff" }

func (v diffView) list() []any { return items(v.Changes) }

func (v diffView) human(p *printer) {
	if v.To == nil {
		p.line("No checkpoint yet, so there is nothing to compare.")
		p.hint("save one now: remanence checkpoint save")
		return
	}
	from := "nothing"
	if v.From != nil {
		from = *v.From
	}
	p.line("%s → %s", from, *v.To)
	what := ""
	for _, c := range v.Changes {
		if c.What != what {
			what = c.What
			p.line("%s", what)
		}
		sign := "+"
		if c.Gone {
			sign = "-"
		}
		p.line("  %s %s", sign, oneLine(c.Text))
	}
	if len(v.Changes) == 0 {
		p.line("Nothing changed.")
	}
}
