package ui

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"remanence/internal/config"
	"remanence/internal/fault"
	"remanence/internal/fsx"
	"remanence/internal/instructions"
	"remanence/internal/mem"
	"remanence/internal/propose"
	"remanence/internal/views"
)

// ProposeView shows the lines that a file of instructions lacks.
type ProposeView struct {
	views.ProposeResponse

	Diff    string `json:"diff"` // unified; empty without lines
	Written bool   `json:"written"`
	Asking  bool   `json:"-"`               // the person is asked next
	Apart   string `json:"apart,omitempty"` // another such file, which agents do not read together with it
}

// Proposed returns the view of an answer, and the file's text with the lines.
func Proposed(got views.ProposeResponse, text, apart string) (v ProposeView, changed string) {
	changed = got.Inserted(text)
	return ProposeView{ProposeResponse: got, Diff: got.Diff(text), Apart: apart}, changed
}

// SchemaName returns the name of the view's schema.
func (ProposeView) SchemaName() string { return "propose" }

// List returns the lines.
func (v ProposeView) List() []any { return Items(v.Lines) }

// Asks reports whether the person is asked, which takes a terminal and something to write.
func (v ProposeView) Asks(p *Printer, sys config.System) bool {
	return len(v.Lines) > 0 && !v.Written &&
		!p.Flags.JSON && !p.Flags.JSONLines && !p.Flags.NoInput && IsTerminal(sys.Stdin) && IsTerminal(sys.Stdout)
}

// Print writes the view for a person.
func (v ProposeView) Print(p *Printer) {
	file := OneLine(v.File)
	if len(v.Lines) == 0 {
		p.Line("%s", v.nothing())
	} else {
		p.Line("%s", p.Style(Bold, fmt.Sprintf("%s for %s", Plural(len(v.Lines), "line", "lines"), file)))
	}
	for _, l := range v.Lines {
		p.Line("  %s", OneLine(l.Text))
		p.Line("      %s", evidence(l))
	}
	for _, c := range v.Contradicted {
		when := "not committed"
		if !c.Committed.IsZero() {
			when = "committed " + day(c.Committed)
		}
		p.Line("%s:%d is contradicted: %s", file, c.Line, OneLine(c.Text))
		p.Line("      %s, %s of %s: %s; the line: %s", c.ID, c.Kind, day(c.At), OneLine(c.Title), when)
	}
	if v.Diff != "" {
		p.Line("")
		if p.Whole {
			_ = p.Write(v.Diff) // so that git apply takes it
		} else {
			for line := range strings.SplitSeq(strings.TrimSuffix(v.Diff, "\n"), "\n") {
				p.Line("%s", Safe(strings.Replace(strings.TrimSuffix(line, "\r"), " \ufeff", " ", 1)))
			}
		}
	}
	for _, l := range v.LeftOut {
		p.Say("left out: %s %s: %s", l.ID, Clip(OneLine(l.Title), 60), leftOutOf(l))
	}
	if v.Apart != "" {
		p.Say("%s does not import %s, so an agent that reads only one of them misses the other. Name the file: remanence "+
			"propose %s", v.Apart, file, v.Apart)
	}
	switch {
	case v.Written:
		p.Say("Written to %s.", file)
	case len(v.Lines) > 0 && !v.Asking:
		p.Say("Nothing is written yet. Without a question: remanence propose --yes")
	}
}

// nothing says why there are no lines.
func (v ProposeView) nothing() string {
	enough := "said, or injected and used, in " + Plural(v.Sessions, "session", "sessions") + " or more"
	switch {
	case v.Known > 0:
		return fmt.Sprintf("Nothing to propose for %s: it says already what was %s (%s).", OneLine(v.File), enough,
			Plural(v.Known, "statement", "statements"))
	case len(v.LeftOut) > 0:
		return fmt.Sprintf("Nothing to propose for %s: what was %s is left out.", OneLine(v.File), enough)
	}
	return fmt.Sprintf("Nothing to propose for %s: nothing was %s.", OneLine(v.File), enough)
}

// evidence is what a line is proposed for.
func evidence(l views.ProposedLine) string {
	var parts []string
	const most = 5
	in := strings.Join(l.Sessions[:min(len(l.Sessions), most)], " ")
	if more := len(l.Sessions) - most; more > 0 {
		in += fmt.Sprintf(" and %d more", more)
	}
	sessions := Plural(len(l.Sessions), "session", "sessions")
	if l.Basis == views.BySaying {
		parts = append(parts, fmt.Sprintf("you said it %s in %s (%s)", timesText(l.Said), sessions, in))
	}
	if l.Injected > 0 || l.Used > 0 {
		parts = append(parts, fmt.Sprintf("injected %s, used %s", timesText(l.Injected), timesText(l.Used)))
	}
	if l.Basis == views.ByUse {
		parts = append(parts, fmt.Sprintf("last in %s (%s)", sessions, in))
	}
	days := day(l.First)
	if last := day(l.Last); last != days {
		days += " to " + last
	}
	memories := strings.Join(l.Memories[:min(len(l.Memories), most)], " ")
	if more := len(l.Memories) - most; more > 0 {
		memories += fmt.Sprintf(" and %d more", more)
	}
	parts = append(parts, days, fmt.Sprintf("%s (%s)", memories, blameTrust(l.Trust)))
	return strings.Join(parts, "; ")
}

func timesText(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func day(t time.Time) string { return t.Local().Format("2 Jan 2006") }

func leftOutOf(l views.ProposalLeftOut) string {
	switch l.Why {
	case "secret":
		return "it holds a secret or private text"
	case "long":
		return fmt.Sprintf("it is longer than a line of %d characters", propose.MaxClaim)
	case "contradicted":
		return "you said otherwise later: " + l.By
	case "disputed":
		return "an agent reported it as wrong; decide in remanence review"
	}
	return l.Why
}

// NotEditable is the fault of a file of instructions that is not read or written.
func NotEditable(root, name string, err error) error {
	name = cmp.Or(OneLine(name), "the file")
	because := fault.Input.WithMessage("%s cannot be used: %v", name, err)
	switch {
	case errors.Is(err, instructions.ErrNone):
		return fault.NoFile.WithMessage("%s has no AGENTS.md and no CLAUDE.md", OneLine(root)).
			FixedBy("make one, which may be empty, then: remanence propose")
	case errors.Is(err, fs.ErrNotExist):
		return fault.NoFile.WithMessage("there is no file %s in the project", name).FixedBy("remanence propose AGENTS.md")
	case errors.Is(err, instructions.ErrOutside):
		return fault.Input.WithMessage("%s is not in the project %s", name, OneLine(root)).
			FixedBy("name a file of this project, such as AGENTS.md")
	case errors.Is(err, instructions.ErrNotMarkdown):
		return fault.Input.WithMessage("%s is no Markdown file", name).
			FixedBy("name a file that agents read, such as AGENTS.md or CLAUDE.md")
	case errors.Is(err, propose.ErrNotText):
		return because.FixedBy("save it as UTF-8")
	case errors.Is(err, propose.ErrOpenCode):
		return because.FixedBy("close it, so that lines below it are read as text")
	case errors.Is(err, propose.ErrConflict):
		return because.FixedBy("resolve them first")
	case errors.Is(err, instructions.ErrChanged):
		return because.FixedBy("look again: remanence propose")
	case errors.Is(err, fsx.ErrUnsafe):
		return because.FixedBy("name a plain file")
	case errors.Is(err, fsx.ErrTooLarge):
		return because.FixedBy("name a file of at most 256 KB")
	case errors.Is(err, mem.ErrFull), errors.Is(err, fs.ErrPermission):
		return fault.Denied.Because("%s: %v", name, err)
	}
	return because
}
