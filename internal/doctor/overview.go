package doctor

import (
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/cli/ui"
	"remanence/internal/fault"
	"remanence/internal/setup"
	"remanence/internal/views"
)

// overview writes what the day brought, and of the state only what needs attention.
func (v StatusView) overview(p *ui.Printer) {
	d := *v.Today
	p.Field("today", "%s", todaySentence(d))
	p.Field("remembered", "%s · %s", ui.Plural(v.Counts.Memories, "memory", "memories"),
		ui.Plural(v.Counts.Sessions, "session", "sessions"))
	if d.Last != nil {
		p.Field("injected", "%s", lastSentence(p, *d.Last))
	}
	v.attention(p)
	title := "Kept today"
	if d.Kept == 0 {
		title = "Newest"
	}
	entries(p, title, d.Newest)
	if len(d.Used) > 0 {
		p.Line("\n%s", p.Style(ui.Bold, "Used today"))
		for _, u := range d.Used[:min(len(d.Used), shownUses)] {
			entry(p, string(u.Kind), u.Title, u.ID)
		}
	}
	entries(p, "Open", d.Open)
	if len(d.Files) > 0 {
		p.Line("\n%s", p.Style(ui.Bold, "Files with most memories"))
		for _, f := range d.Files {
			p.Line("%s  %s", ui.OneLine(f.Path), ui.Plural(f.Memories, "memory", "memories"))
		}
	}
	if v.Suggest != nil {
		p.Hint("\n%s: %s", v.Suggest.Text, v.Suggest.Command)
	}
	if v.Counts.Memories == 0 && !v.readsPast() {
		p.Hint("what it does, with recorded sessions: remanence demo")
		p.Hint("your past sessions, without writing anything yet: remanence backfill --dry-run")
	}
}

// shownUses is how many used memories are shown.
const shownUses = 3

// attention writes what is not as it should be, and what waits for the person.
func (v StatusView) attention(p *ui.Printer) {
	if v.Hooks.State != setup.OK {
		p.Field("hooks", "%s", v.Hooks.sentence())
	}
	if v.Capture.SpooledRecords > 0 {
		p.Field("capture", "%s", v.Capture.sentence())
	}
	v.backfillField(p)
	if s := v.Review.sentence(); s != "" {
		p.Field("waits for you", "%s: remanence review", s)
	}
	v.pauseField(p)
	v.faultLines(p)
}

// entries writes memories below a title; nothing without any.
func entries(p *ui.Printer, title string, list []views.TimelineEntry) {
	if len(list) == 0 {
		return
	}
	p.Line("\n%s", p.Style(ui.Bold, title))
	for _, e := range list {
		entry(p, e.What, e.Title, e.ID)
	}
}

// entry writes a whole memory, its kind before it.
func entry(p *ui.Printer, kind, title, id string) {
	p.Field(kindWords(kind), "%s %s", ui.OneLine(title), p.Style(ui.Dim, id))
}

func kindWords(kind string) string { return strings.ReplaceAll(kind, "_", " ") }

// kindCount is a number of memories of a kind.
func kindCount(n int, kind string) string {
	one := kindWords(kind)
	many := one + "s"
	if stem, ok := strings.CutSuffix(one, "y"); ok {
		many = stem + "ies"
	} else if strings.HasSuffix(one, "x") {
		many = one + "es"
	}
	return ui.Plural(n, one, many)
}

// todaySentence is what the day brought in one line.
func todaySentence(d views.TodayResponse) string {
	if d.Sessions == 0 && d.Kept == 0 {
		return "no session yet"
	}
	kept := fmt.Sprintf("%d kept", d.Kept)
	if d.Kept > 0 {
		var kinds []string
		for _, k := range d.Kinds {
			kinds = append(kinds, kindCount(k.N, k.Value))
		}
		kept += " (" + strings.Join(kinds, ", ") + ")"
	}
	parts := []string{kept}
	if d.Sessions > 0 {
		parts = []string{ui.Plural(d.Sessions, "session", "sessions"), kept}
	}
	if d.Tokens > 0 {
		injected := fmt.Sprintf("%d injected (%s tokens)", d.Injected, chars.Thousands(d.Tokens))
		if n := len(d.Used); n > 0 {
			injected += fmt.Sprintf(", %d used", n)
		}
		parts = append(parts, injected)
	} else {
		parts = append(parts, "nothing injected")
	}
	return strings.Join(parts, " · ")
}

// lastSentence is the newest injection in one line.
func lastSentence(p *ui.Printer, r views.ReceiptRow) string {
	s := ui.DateTime(r.At, p.Now()) + " · " + r.Trigger
	if r.Query != "" {
		s += fmt.Sprintf(" %q", ui.Clip(ui.OneLine(r.Query), maxQuery))
	}
	return s + fmt.Sprintf(" · %s, %s tokens: remanence why", ui.Plural(r.Injected, "item", "items"),
		chars.Thousands(r.Tokens))
}

// maxQuery is how much of a prompt is shown, in cells.
const maxQuery = 40

func (v StatusView) backfillField(p *ui.Printer) {
	if b := v.Backfill; b != nil && (b.Running || b.GivenUp != "") {
		s := ui.BackfillView{Backfill: *b}.Progress(p.Now())
		if b.GivenUp != "" {
			s += "; given up: " + ui.OneLine(b.GivenUp)
		}
		p.Field("backfill", "%s", s)
	}
}

// pauseField writes the pause that is in force, and reports whether there is one.
func (v StatusView) pauseField(p *ui.Printer) bool {
	it := v.pause()
	if it == nil {
		return false
	}
	if v.Project != nil && it.Target == v.Project.ID {
		it.Target = "this project"
	}
	p.Field("paused", "%s", it.Sentence(p.Now()))
	return true
}

// faultLines write lost events and what makes no progress.
func (v StatusView) faultLines(p *ui.Printer) {
	if n := v.Capture.Dropped; n > 0 {
		p.Line("%s %s so far: remanence doctor · %s", p.Style(ui.Red, "fault:"),
			ui.Plural(int(n), "event was lost", "events were lost"), fault.Dropped.Code)
	}
	for _, f := range v.Faults {
		f.line(p)
	}
}
