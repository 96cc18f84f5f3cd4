package ui

import (
	"strings"

	"remanence/internal/views"
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
	if v.Prose != "" {
		for para := range strings.SplitSeq(v.Prose, "\n\n") {
			p.Line("%s", OneLine(para))
		}
		p.Say("Written by %s from the list of remanence recap; it may be wrong.", OneLine(v.Model))
		if v.Withheld > 0 {
			p.Say("%s not sent: digest.exclude_projects and privacy.exclude_projects.",
				Plural(v.Withheld, "day of a project was", "days of projects were"))
		}
		return
	}
	for i, day := range v.Days {
		if i > 0 {
			p.Line("")
		}
		p.Line("%s", p.Style(Bold, OneLine(day.Heading())))
		for _, line := range day.Lines(v.Items) {
			p.Line("  %-10s %s", line.Section, OneLine(line.Text))
		}
	}
	if v.Cut {
		p.Say("The period holds more than one recap reads: ask for fewer days.")
	}
}

// Page returns the recap as views.RecapMarkdown or views.RecapHTML.
func (v RecapView) Page(format string) string { return v.RecapResponse.Page(format, v.Items, OneLine) }
