package briefing

import (
	"context"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/inject"
)

// Limits of the short form of state files in a briefing.
const (
	shortFrom    = 8000 // bytes of all state files
	shortDoing   = 5
	shortBlocked = 3
	shareLog     = 5
)

// stateFileMarks marks the parts of the state files that a briefing contains whole, so that recall does not inject them
// again in this conversation.
func stateFileMarks(ec event.Context, briefing string) (marks []string) {
	if briefing == "" || !ec.Mind.Trusted {
		return nil
	}
	briefing = chars.Fold(briefing)
	for _, p := range ec.Mind.Parts {
		if event.ContainsPart(briefing, p) {
			marks = append(marks, event.PartMark(p.Key, p.Title, p.Body))
		}
	}
	return marks
}

// includesStateFiles reports whether a briefing contains the state files. If the conversation continues, it
// contains them only if they changed.
func (g *gather) includesStateFiles() bool {
	return g.ec.Mind.Trusted && !(g.resumed() && g.ec.SessionInfo.Injected[g.ec.MindMark()])
}

func (g *gather) resumed() bool { return g.ec.Source == "resume" || g.ec.Source == "fork" }

// short reports whether the state files are injected in their short form.
func (g *gather) short() bool { return g.ec.Mind.Size > shortFrom && g.ec.Source != "compact" }

// mindState returns the section of STATE.md.
func (g *gather) mindState() inject.Section {
	s := inject.Section{
		Name: "state", Caption: "CURRENT STATE (" + mindDir(g.ec.Mind) + "/STATE.md)", Share: shareState,
		Apart: true,
	}
	for _, sec := range g.ec.Mind.Sections {
		s.Items = append(s.Items, event.SectionItems(sec)...)
	}
	return s
}

// progress returns the open items of PROGRESS.md.
func (g *gather) progress(context.Context) (inject.Section, error) {
	s := inject.Section{
		Name: "progress", Caption: "PROGRESS (" + mindDir(g.ec.Mind) + "/PROGRESS.md)",
		Share: shareProgress, Apart: true,
	}
	if !g.includesStateFiles() {
		return s, nil
	}
	for _, sec := range g.ec.Mind.Work {
		most := len(sec.Lines)
		if g.short() {
			most = map[string]int{"In Progress": shortDoing, "Blocked": shortBlocked}[sec.Heading]
		}
		for _, l := range sec.Lines[:min(len(sec.Lines), most)] {
			if l = event.Bare(l); l != "" && !inject.Suspicious(l) {
				s.Items = append(s.Items, inject.Item{Text: sec.Heading + ": " + l})
			}
		}
	}
	if g.short() {
		s.Items = append(s.Items, inject.Item{Text: "more is in " + mindDir(g.ec.Mind) +
			"/ and is found by: remanence search WORDS"})
	}
	return s, nil
}

// decided returns the last decisions of DECISIONS.md.
func (g *gather) decided() inject.Section {
	s := inject.Section{
		Name: "decisions", Caption: "DECISIONS (" + mindDir(g.ec.Mind) + "/DECISIONS.md)",
		Share: shareDecisions, Apart: true,
	}
	for _, d := range g.ec.Mind.Decided {
		text := strings.Join(append([]string{d.Heading}, d.Lines...), ". ")
		if !inject.Suspicious(text) {
			s.Items = append(s.Items, inject.Item{Text: text})
		}
	}
	return s
}

// log returns the end of SESSION-LOG.md.
func (g *gather) log(context.Context) (inject.Section, error) {
	s := inject.Section{
		Name: "log", Caption: "SESSION LOG (" + mindDir(g.ec.Mind) + "/SESSION-LOG.md)", Share: shareLog,
		Apart: true,
	}
	if !g.includesStateFiles() || g.short() {
		return s, nil
	}
	for _, l := range g.ec.Mind.Log {
		if strings.HasPrefix(l, "# ") {
			continue // the title of the file
		}
		if l = strings.TrimLeft(event.Bare(l), "# "); l != "" && !inject.Suspicious(l) {
			s.Items = append(s.Items, inject.Item{Text: l})
		}
	}
	return s, nil
}
