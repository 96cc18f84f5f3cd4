package mind

import (
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// Bounds of what is made findable.
const (
	maxParts = 500
	maxPart  = 4000 // characters of one
)

// view fills in what the texts of the state files say.
func view(m *workstate.Files, t map[string]document, l workstate.Limits) {
	state, progress, decided, log := t[stateFile], t[progressFile], t[decisionFile], t[logFile]
	m.Phase, m.Status, m.Next = state.field(headPhase), state.field(headStatus), state.field(headNext)
	m.Active, m.Blockers = state.list(headActive), state.list(headBlocked)
	m.Sections = state.sections()
	m.Progress = progress.progress()
	m.Work = progress.open(l.ProgressLines)
	m.Decisions, m.Sessions = []workstate.Decision{}, []workstate.Session{}
	all := decided.decisions()
	for i, d := range all {
		m.Decisions = append(m.Decisions, d.Decision)
		if len(all)-i <= l.RecentDecisions {
			m.Decided = append(m.Decided, workstate.Section{Heading: d.ID + ": " + d.Title, Lines: decisionLines(d)})
		}
	}
	for _, s := range log.sessions() {
		m.Sessions = append(m.Sessions, s.Session)
	}
	m.Log = log.tail(l.LogTail)
	if len(m.Sessions) == 0 && len(m.Log) <= 1 {
		m.Log = nil // no more than its title
	}
	m.Parts = parts(t)
}

// decisionLines say what a decision is, without its number and title.
func decisionLines(d decision) []string {
	var out []string
	if d.Text != "" {
		out = append(out, d.Text)
	}
	if d.Rationale != "" {
		out = append(out, "Why: "+d.Rationale)
	}
	if d.Status != "" && !strings.EqualFold(d.Status, "final") {
		out = append(out, "Status: "+d.Status)
	}
	return out
}

// sections are the headings of STATE.md that have something below them, but the
// last update.
func (t *document) sections() []workstate.Section {
	var out []workstate.Section
	for h, head := range t.heads {
		lines := t.contentLines(t.body(h, false))
		if len(lines) == 0 || head.level == 1 && h > 0 || named(head.name, headUpdated) {
			continue
		}
		if allNothing(lines) {
			continue
		}
		for i := range lines {
			lines[i] = plain(strings.TrimSpace(lines[i]))
		}
		out = append(out, workstate.Section{Heading: head.name, Lines: lines})
	}
	return out
}

func allNothing(lines []string) bool {
	for _, l := range lines {
		if !isPlaceholder(l) {
			return false
		}
	}
	return true
}

// parts are the pieces of the state files that are found by themselves.
func parts(t map[string]document) []workstate.Part {
	var out []workstate.Part
	seen := map[string]bool{}
	listed := listedDecisions(t[decisionFile])
	for _, name := range stateFiles() {
		file := t[name]
		for h, head := range file.heads {
			body := file.body(h, false)
			lines := file.contentLines(body)
			if len(out) == maxParts || len(lines) == 0 || allNothing(lines) || named(head.name, headUpdated) {
				continue
			}
			if name == decisionFile && slices.ContainsFunc(listed, func(d decision) bool {
				return d.from >= body.from && d.to <= body.to
			}) {
				continue // each of them is a piece by itself
			}
			p := workstate.Part{
				Key: name + "#" + chars.Line(head.name), File: name, Kind: mem.Fact,
				Body: clipText(strings.Join(lines, "\n")),
			}
			title := chars.Line(head.name + ": " + unlisted(lines[0]))
			if p.Title = chars.Clip(title, 160); p.Title == title { // which says the first line
				p.Body = clipText(strings.Join(lines[1:], "\n"))
			}
			if _, title, ok := decisionHead(head.name); ok {
				p.Kind, p.Title, p.Body = mem.Decision, chars.Clip(title, 160), clipText(strings.Join(lines, "\n"))
			}
			for seen[p.Key] {
				p.Key += "+"
			}
			seen[p.Key] = true
			out = append(out, p)
		}
	}
	for _, d := range listed {
		out = append(out, listedPart(d))
	}
	return out
}

// unlisted is a line without the mark of a list and its box.
func unlisted(line string) string {
	line = strings.TrimSpace(line)
	body, ok := listEntry(line)
	if !ok {
		return line
	}
	if len(body) >= 3 && body[0] == '[' && body[2] == ']' {
		body = strings.TrimSpace(body[3:])
	}
	return body
}

// listedDecisions are the decisions of the older form, the newest if they are many.
func listedDecisions(t document) []decision {
	all := slices.DeleteFunc(t.decisions(), func(d decision) bool { return strings.HasPrefix(d.ID, "DEC-") })
	return all[max(0, len(all)-maxParts):]
}

func listedPart(d decision) workstate.Part {
	body := strings.Join(decisionLines(d), "\n")
	return workstate.Part{
		Key: decisionFile + "#" + d.ID, File: decisionFile, Kind: mem.Decision,
		Title: chars.Clip(d.Title, 160), Body: clipText(body),
	}
}

func clipText(s string) string { return chars.Clip(s, maxPart) }
