package ui

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"remanence/internal/event"
)

// BackfillView shows what a backfill would read, reads or has read.
type BackfillView struct {
	event.Backfill
	DryRun  bool          `json:"dry_run"`
	Stopped bool          `json:"stopped"`
	Undone  bool          `json:"undone"`
	Took    time.Duration `json:"-"`
}

// SchemaName returns the name of the view's schema.
func (BackfillView) SchemaName() string { return "backfill" }

// Found names the sessions of a backfill in a few words.
func (v BackfillView) Found(now time.Time) string {
	s := fmt.Sprintf("%s of %s", Plural(v.Sessions, "session", "sessions"), Plural(v.Projects, "project", "projects"))
	if !v.From.IsZero() {
		s += " since " + Date(v.From, now)
	}
	return s
}

// Progress says how far a backfill is.
func (v BackfillView) Progress(now time.Time) string {
	s := fmt.Sprintf("%d of %s · %s of %s", v.Done, Plural(v.Sessions, "session", "sessions"), BytesText(v.DoneBytes),
		BytesText(v.Bytes))
	if took := now.Sub(v.Started).Seconds(); v.DoneBytes > 0 && took >= 1 {
		rate := float64(v.DoneBytes) / took
		left := time.Duration(float64(max(0, v.Bytes-v.DoneBytes)) / rate * float64(time.Second))
		s += fmt.Sprintf(" · %s/s · %s left", BytesText(int64(rate)), Lasted(left))
	}
	return s
}

// shownProjects is how many projects a dry run names.
const shownProjects = 15

// Print writes the view for a person.
func (v BackfillView) Print(p *Printer) {
	switch {
	case v.Undone:
		p.Line("Hidden: %s that were read in.", Plural(v.Hidden, "memory", "memories"))
		p.Hint("bring one back: remanence search --hidden WORDS, remanence restore ID")
		return
	case v.Stopped && v.Done == v.Sessions:
		p.Line("No backfill is running.")
		return
	case v.Stopped:
		p.Line("Stopped: %s. What was read stays; continue with remanence backfill.", v.Progress(p.Now()))
		return
	case v.Sessions == 0:
		p.Line("No past sessions found.")
		return
	case v.DryRun:
		p.Line("%s, %s; %d known already.", v.Found(p.Now()), BytesText(v.Bytes), v.Known)
		p.Line("From %s to %s.", DateTime(v.From, p.Now()), DateTime(v.To, p.Now()))
		for _, one := range v.ByProject[:min(len(v.ByProject), shownProjects)] {
			p.Line("  %s: %s, %s", OneLine(one.Name), Plural(one.Sessions, "session", "sessions"), BytesText(one.Bytes))
		}
		if more := len(v.ByProject) - shownProjects; more > 0 {
			p.Line("  and %s; all of them: --json", Plural(more, "more project", "more projects"))
		}
		p.Line("Dry run: nothing was read in.")
		return
	case !v.Running && v.GivenUp == "" && v.Done < v.Sessions:
		p.Line("Stopped by another command after %s.", v.Progress(p.Now()))
		return
	case v.GivenUp != "":
		p.Line("Given up after %s: %s", v.Progress(p.Now()), OneLine(v.GivenUp))
		p.Hint("try again: remanence daemon retry")
		return
	case v.Running:
		p.Line("Reading in %s in the background.", v.Found(p.Now()))
		p.Hint("progress: remanence status · stop: remanence backfill --stop")
		return
	}
	p.Line("Read in %s of %s (%s) in %s.", Plural(v.Done-v.LeftOut-v.NotRead, "session", "sessions"),
		Plural(v.Projects, "project", "projects"), BytesText(v.DoneBytes), Lasted(v.Took))
	for _, reason := range slices.Sorted(maps.Keys(v.LeftOutAs)) {
		p.Line("  %s left out: %s", Plural(v.LeftOutAs[reason], "session", "sessions"), reason)
	}
	for _, failure := range v.Failed {
		p.Line("  not read: %s", OneLine(failure))
	}
	if more := v.NotRead - len(v.Failed); more > 0 {
		p.Line("  not read: %d more", more)
	}
	p.Hint("see what is known: remanence next · undo: remanence backfill --undo")
}

// backfillLine is the time between two lines about the progress of a backfill.
const backfillLine = 10 * time.Second

// BackfillProgress shows how far a backfill is: on a terminal in one line, otherwise in a line from time to time, with
// --jsonl in one object each.
type BackfillProgress struct {
	*Printer
	Shown time.Time // when the last line was printed
}

func (p *BackfillProgress) onScreen() bool {
	return IsTerminal(p.Err) && !p.Flags.JSON && !p.Flags.JSONLines && !p.Flags.Quiet
}

// Show shows the present progress.
func (p *BackfillProgress) Show(b event.Backfill) error {
	v := BackfillView{Backfill: b}
	switch now := p.Now(); {
	case p.onScreen():
		fmt.Fprintf(p.Err, "\r%s\x1b[K", v.Progress(now))
	case p.Flags.JSONLines && b.Running:
		return p.Printer.Show(v)
	case now.Sub(p.Shown) >= backfillLine:
		p.Shown = now
		p.Say("%s", v.Progress(now))
	}
	return nil
}

// End clears the line. running says that the backfill goes on without being shown.
func (p *BackfillProgress) End(running bool) {
	if p.onScreen() {
		fmt.Fprint(p.Err, "\r\x1b[K")
	}
	if running {
		p.Say("It goes on in the daemon. Stop it: remanence backfill --stop")
	}
}
