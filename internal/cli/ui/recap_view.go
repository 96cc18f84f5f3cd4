package ui

import (
	"fmt"
	"html"
	"strings"
	"time"

	"remanence/internal/views"
)

// The forms of a page that shows a recap.
const (
	RecapMarkdown = "md"
	RecapHTML     = "html"
)

// RecapView shows what was done by day and project.
type RecapView struct {
	views.RecapResponse
	Items int `json:"-"` // shown of each section at most
}

// SchemaName returns the name of the view's schema.
func (RecapView) SchemaName() string { return "recap" }

// List returns the days.
func (v RecapView) List() []any { return Items(v.Days) }

// Print writes the view for a person.
func (v RecapView) Print(p *Printer) {
	if len(v.Days) == 0 {
		p.Line("Nothing was done since %s.", v.Since.Local().Format("Mon 2 Jan 2006, 15:04"))
		return
	}
	for i, day := range v.Days {
		if i > 0 {
			p.Line("")
		}
		d := recapDay(day)
		p.Line("%s", p.Style(Bold, d.heading()))
		for _, line := range d.lines(v.Items) {
			p.Line("  %-10s %s", line.section, line.text)
		}
	}
	if v.Cut {
		p.Say("The period holds more than one recap reads: ask for fewer days.")
	}
}

// Page returns the recap as RecapMarkdown or as RecapHTML, a page that needs nothing else.
func (v RecapView) Page(format string) string {
	esc, head, open, end := escapeMarkdown, "## %s\n\n", "- **%s:** %s\n", "\n"
	var b strings.Builder
	period := v.Since.Local().Format(time.DateOnly) + " to " + v.Until.Local().Format(time.DateOnly)
	if format == RecapHTML {
		esc, head, open, end = html.EscapeString, "<h2>%s</h2>\n<ul>\n", "<li><b>%s:</b> %s</li>\n", "</ul>\n"
		b.WriteString("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Recap</title>\n" +
			"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
			"<style>body{font:16px/1.5 system-ui;max-width:50em;margin:2em auto;padding:0 1em}</style>\n" +
			"<h1>Recap, " + period + "</h1>\n")
	} else {
		b.WriteString("# Recap, " + period + "\n\n")
	}
	if len(v.Days) == 0 {
		b.WriteString("Nothing was done.\n")
	}
	for _, day := range v.Days {
		d := recapDay(day)
		fmt.Fprintf(&b, head, esc(d.heading()))
		for _, line := range d.lines(v.Items) {
			fmt.Fprintf(&b, open, line.section, esc(line.text))
		}
		b.WriteString(end)
	}
	return b.String()
}

// escapeMarkdown keeps stored text from being read as Markdown or HTML.
func escapeMarkdown(s string) string {
	return strings.NewReplacer("\\", "\\\\", "<", "\\<", "*", "\\*", "_", "\\_", "[", "\\[", "#", "\\#").Replace(s)
}

// recapDay is one day of a recap as it is shown.
type recapDay views.RecapDay

// recapLine is one line of a section.
type recapLine struct{ section, text string }

func (d recapDay) heading() string {
	day := d.Day
	if at, err := time.Parse(time.DateOnly, d.Day); err == nil {
		day = at.Format("Mon 2 Jan 2006")
	}
	text := day + ", " + OneLine(d.ProjectName)
	if d.Sessions > 0 {
		text += ": " + Plural(d.Sessions, "session", "sessions")
	}
	return text
}

// lines returns the lines of all sections, at most so many items of each, and one line of files.
func (d recapDay) lines(most int) (out []recapLine) {
	add := func(section string, texts []string) {
		for i, text := range texts {
			if i == most {
				out = append(out, recapLine{section, fmt.Sprintf("and %d more", len(texts)-most)})
				return
			}
			out = append(out, recapLine{section, OneLine(text)})
		}
	}
	titles := func(items []views.RecapItem) (texts []string) {
		for _, i := range items {
			texts = append(texts, i.Title)
		}
		return texts
	}
	add("done", titles(d.Outcomes))
	add("decided", titles(d.Decisions))
	add("open", titles(d.Open))
	var failed, commits []string
	for _, f := range d.Failures {
		failed = append(failed, recapFailure(f))
	}
	add("failed", failed)
	for _, c := range d.Commits {
		commits = append(commits, c.Hash+" "+c.Subject)
	}
	add("commit", commits)
	if n := len(d.Files); n > 0 {
		text := strings.Join(d.Files[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		out = append(out, recapLine{"files", OneLine(text)})
	}
	return out
}

// recapFailure describes a failed command and what became of it.
func recapFailure(f views.RecapFailure) string {
	text := f.Command
	if f.Times > 1 {
		text += fmt.Sprintf(", %d times", f.Times)
	}
	switch {
	case f.FixedAfterS >= 60:
		return text + fmt.Sprintf("; fixed after %d min: %s", f.FixedAfterS/60, f.Fix)
	case f.Fix != "":
		return text + "; fixed: " + f.Fix
	case f.Resolved:
		return text + "; works now"
	}
	return text + "; still fails"
}
