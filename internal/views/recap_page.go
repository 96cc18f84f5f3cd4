package views

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"remanence/internal/outcome"
)

// The forms of a page that shows a recap.
const (
	RecapMarkdown = "md"
	RecapHTML     = "html"
)

// recapItems returns the number of entries of a section that a recap shows unless another is asked for: a busy day
// takes about twenty lines.
func recapItems(section string) int {
	switch section {
	case "done":
		return 10
	case "decided":
		return 5
	case "open":
		return 4
	case "files":
		return 3
	}
	return 2
}

// RecapLine is one line of a section.
type RecapLine struct{ Section, Text string }

// Page returns the recap as RecapMarkdown or as RecapHTML, a page that needs nothing else, with so many items of each
// section, 0 for as many as fit. clean makes one line of a stored text.
func (r RecapResponse) Page(format string, items int, clean func(string) string) string {
	esc, head, open, end := escapeMarkdown, "## %s\n\n", "- **%s:** %s\n", "\n"
	var b strings.Builder
	period := r.Since.Local().Format(time.DateOnly) + " to " + r.Until.Local().Format(time.DateOnly)
	if format == RecapHTML {
		esc, head, open, end = html.EscapeString, "<h2>%s</h2>\n<ul>\n", "<li><b>%s:</b> %s</li>\n", "</ul>\n"
		b.WriteString("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>Recap</title>\n" +
			"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
			"<style>body{font:16px/1.5 system-ui;max-width:50em;margin:2em auto;padding:0 1em}</style>\n" +
			"<h1>Recap, " + period + "</h1>\n")
	} else {
		b.WriteString("# Recap, " + period + "\n\n")
	}
	if len(r.Days) == 0 {
		b.WriteString("Nothing was done.\n")
	}
	for para := range strings.SplitSeq(r.Prose, "\n\n") {
		if text := esc(clean(para)); text != "" && format == RecapHTML {
			b.WriteString("<p>" + text + "</p>\n")
		} else if text != "" {
			b.WriteString(text + "\n\n")
		}
	}
	for _, day := range r.Days {
		fmt.Fprintf(&b, head, esc(clean(day.Heading())))
		for _, line := range day.Lines(items) {
			fmt.Fprintf(&b, open, line.Section, esc(clean(line.Text)))
		}
		b.WriteString(end)
	}
	return b.String()
}

// escapeMarkdown keeps stored text from being read as Markdown or HTML.
func escapeMarkdown(s string) string {
	return strings.NewReplacer("\\", "\\\\", "<", "\\<", "*", "\\*", "_", "\\_", "[", "\\[", "#", "\\#").Replace(s)
}

// Heading names the day, the project and the number of sessions.
func (d RecapDay) Heading() string {
	day := d.Day
	if at, err := time.Parse(time.DateOnly, d.Day); err == nil {
		day = at.Format("Mon 2 Jan 2006")
	}
	text := day + ", " + d.ProjectName
	switch {
	case d.Sessions == 1:
		text += ": 1 session"
	case d.Sessions > 1:
		text += fmt.Sprintf(": %d sessions", d.Sessions)
	}
	return text
}

// Lines returns the lines of all sections, at most so many items of each, and one line of files. 0 means as many as
// make a day easy to read.
func (d RecapDay) Lines(items int) (out []RecapLine) {
	limit := func(section string, n int) int {
		most := items
		if items == 0 {
			most = recapItems(section)
			if n == most+1 { // as long as a line that counts it
				most = n
			}
		}
		return most
	}
	add := func(section string, texts []string) {
		most := limit(section, len(texts))
		for i, text := range texts {
			if i == most {
				out = append(out, RecapLine{section, fmt.Sprintf("and %d more", len(texts)-most)})
				return
			}
			out = append(out, RecapLine{section, text})
		}
	}
	titles := func(items []RecapItem) (texts []string) {
		for _, i := range items {
			texts = append(texts, i.Title)
		}
		return texts
	}
	outcomes := titles(d.Outcomes)
	for i, o := range d.Outcomes {
		if o.State != "" {
			outcomes[i] += " (" + o.State + ")"
		}
	}
	add("done", outcomes)
	if most := limit("done", len(d.Outcomes)); len(d.Outcomes) > most {
		n := 0
		for _, o := range d.Outcomes[most:] {
			if outcome.Unfinished(o.State) {
				n++
			}
		}
		if n > 0 {
			out[len(out)-1].Text += fmt.Sprintf(", %d of them unfinished", n)
		}
	}
	add("decided", titles(d.Decisions))
	add("open", titles(d.Open))
	var failed, commits []string
	for _, f := range d.Failures {
		failed = append(failed, f.String())
	}
	add("failed", failed)
	shown := min(limit("done", len(outcomes)), len(outcomes))
	done := strings.Join(outcomes[:shown], "\n")
	for _, c := range slices.Backward(d.Commits) { // the newest first, as what was done
		subject := strings.TrimSuffix(c.Subject, ".") // of a commit that may have another hash since
		named := slices.ContainsFunc(d.Outcomes[:shown], func(o RecapItem) bool {
			return o.Session == c.Session && o.State != "" && slices.Contains(strings.Split(o.Title, "; "), subject)
		})
		if !named && !strings.Contains(done, c.Hash) {
			commits = append(commits, c.Hash+" "+c.Subject)
		}
	}
	add("commit", commits)
	if n, most := len(d.Files), limit("files", 0); n > 0 {
		text := strings.Join(d.Files[:min(n, most)], ", ")
		if n > most {
			text += fmt.Sprintf(" and %d more", n-most)
		}
		out = append(out, RecapLine{"files", text})
	}
	return out
}
