package briefing

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
	"remanence/internal/workstate"
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

// MindLine returns the state line of a project with state files.
func MindLine(m workstate.Files) string {
	safe := func(s string) string {
		if inject.Suspicious(s) {
			return ""
		}
		return s
	}
	return inject.StateLine(safe(m.Phase), safe(m.Next), safe(extract.First(m.Blockers)), "(Read "+mindDir(m)+
		"/STATE.md for details)")
}

// mindDir returns the directory of the state files, relative to the project if it is inside.
func mindDir(m workstate.Files) string { return cmp.Or(m.Files, workstate.Dir) }

// Reminders returns lines to inject with the next prompt: that the state is out of date, and under the full
// profile which subagents ended. The marks record that they were injected.
func (e *Service) Reminders(ctx context.Context, ec event.Context) (lines, marks []string, err error) {
	if ec.Settings.StateLineRule == event.StateLineNever || ec.SessionInfo.ID == "" {
		return nil, nil, nil
	}
	line, mark, err := e.staleReminder(ctx, ec)
	if err != nil {
		return nil, nil, err
	}
	if line != "" {
		lines, marks = append(lines, line), append(marks, mark)
	}
	if ec.Settings.Profile != event.Full {
		return lines, marks, nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: ec.Session, Kinds: []mem.EventKind{
		mem.SubagentStop,
		mem.UserPromptSubmit,
	}, Limit: 20})
	if err != nil {
		return nil, nil, fmt.Errorf("subagents: %w", err)
	}
	for _, ev := range stops {
		if ev.Kind == mem.UserPromptSubmit && !chars.IsClientText(ev.Text) {
			break
		}
		line, mark := agentReminder(ev)
		if ev.Kind == mem.SubagentStop && line != "" && !ec.SessionInfo.Injected[mark] {
			lines, marks = append(lines, line), append(marks, mark)
		}
	}
	return lines, marks, nil
}

// staleReminder returns a line if files were changed and STATE.md was not, once until it is written.
func (e *Service) staleReminder(ctx context.Context, ec event.Context) (line, mark string, err error) {
	mark = "stale:" + strconv.FormatInt(ec.Mind.Written.Unix(), 36)
	limit := ec.Mind.StaleAfter
	if !ec.Mind.Trusted || ec.At.Sub(ec.Mind.Written) <= limit || ec.SessionInfo.Injected[mark] {
		return "", "", nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: ec.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: 1})
	if err != nil || len(stops) == 0 || stops[0].At.Sub(ec.Mind.Written) <= limit {
		return "", "", err
	}
	files, err := e.Filesync.ChangedFiles(ctx, ec)
	if err != nil || len(files) == 0 {
		return "", "", err
	}
	return fmt.Sprintf("%s/STATE.md was last written %s ago and files were changed since. Bring it up to date: phase, "+
		"next action, blockers.",
		mindDir(ec.Mind), inject.Age(ec.At.Sub(ec.Mind.Written))), mark, nil
}

// agentReminder returns a line about a subagent that ended.
func agentReminder(ev mem.Event) (line, mark string) {
	if ev.AgentType == "" || inject.Suspicious(ev.AgentType) {
		return "", ""
	}
	return fmt.Sprintf("Agent completed: %s (%s). Check task status and bring the state up to date.", ev.AgentType,
		ev.AgentID), "ended:" + ev.AgentID
}

// AgentCompleted returns the reminder to inject with the result of the launch, if the subagent ran in the
// foreground: it ended between the two events.
func (e *Service) AgentCompleted(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	if ec.Settings.Profile != event.Full || ec.Settings.StateLineRule == event.StateLineNever || !ec.Person() {
		return mem.Reply{}, event.Changes{}, nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{
		Session: ec.Session, PromptID: ec.PromptID,
		Kinds: []mem.EventKind{mem.SubagentStop, mem.PreToolUse, mem.PostToolUse}, Limit: 20,
	})
	if err != nil {
		return mem.Reply{}, event.Changes{}, fmt.Errorf("subagents: %w", err)
	}
	kind := cmp.Or(extract.Text(extract.Fields(ec.Input)["subagent_type"]), "general-purpose")
	for _, ev := range stops {
		line, mark := agentReminder(ev)
		if ev.Kind != mem.SubagentStop || ev.AgentType != kind || line == "" || ec.SessionInfo.Injected[mark] {
			continue
		}
		r := ec.Receipt("agent", ec.Settings.StateLineTokens)
		r.Marks = []string{mark}
		b := inject.Block{
			Kind: "recall", Header: inject.HeadMemory,
			Sections: []inject.Section{{Name: "state", Apart: true, Items: []inject.Item{{Text: line}}}},
		}
		r = e.Recall.Inject(ec, b, r)
		return mem.Reply{Context: r.Text}, event.Changes{Receipts: []mem.Receipt{r}}, nil
	}
	return mem.Reply{}, event.Changes{}, nil
}
