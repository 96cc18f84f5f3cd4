package engine

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"remanence/internal/inject"
	"remanence/internal/mem"
)

// Bounds of what a briefing tells of the state files in its short form.
const (
	shortFrom    = 8000 // bytes of all state files
	shortDoing   = 5
	shortBlocked = 3
	shareLog     = 5
	maxMindLine  = 380 // bytes of an item
)

// mindMark marks a version of the state files as told.
func (m *moment) mindMark() string { return "mind:" + m.mind.Stamp }

// markMind marks the pieces of the state files that a briefing told whole, so
// that recall does not tell them again in this conversation.
func (m *moment) markMind(told string) {
	n := len(m.batch.Receipts)
	if told == "" || n == 0 || !m.mind.Trusted {
		return
	}
	told = mem.Folded(told)
	r := &m.batch.Receipts[n-1]
	for _, p := range m.mind.Parts {
		if toldWhole(told, p) {
			r.Marks = append(r.Marks, partMark(p.Key, p.Title, p.Body))
		}
	}
}

// toldWhole reports whether a folded text says a piece: a decision by its
// heading, all else line by line.
func toldWhole(told string, p mem.MindPart) bool {
	_, heading, _ := strings.Cut(p.Key, "#")
	if !strings.Contains(told, mem.Folded(heading)) {
		return false
	}
	if p.Kind == mem.Decision {
		return true
	}
	for line := range strings.Lines(strings.TrimPrefix(p.Title, heading+": ") + "\n" + p.Body) {
		if line = mem.Folded(bare(line)); !strings.Contains(told, line) {
			return false
		}
	}
	return true
}

// partMark marks a piece of the state files as it reads.
func partMark(key, title, body string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key + "\n" + title + "\n" + body))
	return "part:" + strconv.FormatUint(h.Sum64(), 36)
}

// toldInBriefing reports whether a memory is a piece of the state files that the
// conversation was told as it is now.
func (m *moment) toldInBriefing(mm mem.Memory) bool {
	key, ok := strings.CutPrefix(mm.Key, mindKey)
	return ok && m.session.Told[partMark(key, mm.Title, mm.Body)]
}

// tellsMind reports whether a briefing tells the state files: where the
// conversation goes on only what is new in them.
func (g *gather) tellsMind() bool {
	return g.m.mind.Trusted && !(g.resumed() && g.m.session.Told[g.m.mindMark()])
}

func (g *gather) resumed() bool { return g.m.Source == "resume" || g.m.Source == "fork" }

// short reports whether the state files are told in their short form.
func (g *gather) short() bool { return g.m.mind.Size > shortFrom && g.m.Source != "compact" }

// mindState is STATE.md.
func (g *gather) mindState() inject.Section {
	s := inject.Section{Name: "state", Caption: "CURRENT STATE (" + mindDir(g.m.mind) + "/STATE.md)", Share: shareState, Apart: true}
	for _, sec := range g.m.mind.Sections {
		s.Items = append(s.Items, sectionItems(sec)...)
	}
	return s
}

// sectionItems are a section in one line, or where that is too long a line each.
// What reads like an order is left out.
func sectionItems(sec mem.MindSection) []inject.Item {
	var lines []string
	for _, l := range sec.Lines {
		if l = bare(l); l != "" && !inject.Suspicious(l) {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 || inject.Suspicious(sec.Heading) {
		return nil
	}
	all := sec.Heading + ": " + strings.Join(lines, "; ")
	if len(all) <= maxMindLine {
		return []inject.Item{{Text: all}}
	}
	var out []inject.Item
	for _, l := range lines {
		out = append(out, inject.Item{Text: sec.Heading + ": " + l})
	}
	return out
}

// bare is a line without the mark of a list and its box.
func bare(l string) string {
	l = strings.TrimSpace(l)
	for _, mark := range []string{"- ", "* ", "+ ", "[ ] "} {
		l = strings.TrimPrefix(l, mark)
	}
	return strings.TrimSpace(l)
}

// progress is what PROGRESS.md says of the work in hand and to come.
func (g *gather) progress(context.Context) (inject.Section, error) {
	s := inject.Section{Name: "progress", Caption: "PROGRESS (" + mindDir(g.m.mind) + "/PROGRESS.md)", Share: shareProgress, Apart: true}
	if !g.tellsMind() {
		return s, nil
	}
	for _, sec := range g.m.mind.Work {
		most := len(sec.Lines)
		if g.short() {
			most = map[string]int{"In Progress": shortDoing, "Blocked": shortBlocked}[sec.Heading]
		}
		for _, l := range sec.Lines[:min(len(sec.Lines), most)] {
			if l = bare(l); l != "" && !inject.Suspicious(l) {
				s.Items = append(s.Items, inject.Item{Text: sec.Heading + ": " + l})
			}
		}
	}
	if g.short() {
		s.Items = append(s.Items, inject.Item{Text: "more is in " + mindDir(g.m.mind) + "/ and is found by: remanence search WORDS"})
	}
	return s, nil
}

// decided are the last decisions of DECISIONS.md.
func (g *gather) decided() inject.Section {
	s := inject.Section{Name: "decisions", Caption: "DECISIONS (" + mindDir(g.m.mind) + "/DECISIONS.md)", Share: shareDecisions, Apart: true}
	for _, d := range g.m.mind.Decided {
		text := strings.Join(append([]string{d.Heading}, d.Lines...), ". ")
		if !inject.Suspicious(text) {
			s.Items = append(s.Items, inject.Item{Text: text})
		}
	}
	return s
}

// log is the end of SESSION-LOG.md.
func (g *gather) log(context.Context) (inject.Section, error) {
	s := inject.Section{Name: "log", Caption: "SESSION LOG (" + mindDir(g.m.mind) + "/SESSION-LOG.md)", Share: shareLog, Apart: true}
	if !g.tellsMind() || g.short() {
		return s, nil
	}
	for _, l := range g.m.mind.Log {
		if strings.HasPrefix(l, "# ") {
			continue // the title of the file
		}
		if l = strings.TrimLeft(bare(l), "# "); l != "" && !inject.Suspicious(l) {
			s.Items = append(s.Items, inject.Item{Text: l})
		}
	}
	return s, nil
}

// mindLine is the state line of a project with state files.
func mindLine(m mem.Mind) string {
	told := func(s string) string {
		if inject.Suspicious(s) {
			return ""
		}
		return s
	}
	return inject.Nudge(told(m.Phase), told(m.Next), told(firstOf(m.Blockers)), "(Read "+mindDir(m)+"/STATE.md for details)")
}

// mindDir is where the state files are, relative to the project where they are in it.
func mindDir(m mem.Mind) string { return cmp.Or(m.Files, mem.MindDir) }

// reminders are lines that go with the next prompt: that the state is out of
// date, and under the full profile which subagents ended. The marks say that
// they were given.
func (e *Engine) reminders(ctx context.Context, m *moment) (lines, marks []string, err error) {
	if m.settings.NudgeEvery == NudgeNever || m.session.ID == "" {
		return nil, nil, nil
	}
	line, mark, err := e.staleReminder(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	if line != "" {
		lines, marks = append(lines, line), append(marks, mark)
	}
	if m.settings.Profile != Full {
		return lines, marks, nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.SubagentStop, mem.UserPromptSubmit}, Limit: 20})
	if err != nil {
		return nil, nil, fmt.Errorf("subagents: %w", err)
	}
	for _, ev := range stops {
		if ev.Kind == mem.UserPromptSubmit && !mem.ClientMade(ev.Text) {
			break
		}
		line, mark := agentReminder(ev)
		if ev.Kind == mem.SubagentStop && line != "" && !m.session.Told[mark] {
			lines, marks = append(lines, line), append(marks, mark)
		}
	}
	return lines, marks, nil
}

// staleReminder says that STATE.md was not brought up to date though files were
// changed, once until it is written.
func (e *Engine) staleReminder(ctx context.Context, m *moment) (line, mark string, err error) {
	mark = "stale:" + strconv.FormatInt(m.mind.Written.Unix(), 36)
	limit := m.mind.StaleAfter
	if !m.mind.Trusted || m.At.Sub(m.mind.Written) <= limit || m.session.Told[mark] {
		return "", "", nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.Stop}, Limit: 1})
	if err != nil || len(stops) == 0 || stops[0].At.Sub(m.mind.Written) <= limit {
		return "", "", err
	}
	files, err := e.changedFiles(ctx, m)
	if err != nil || len(files) == 0 {
		return "", "", err
	}
	return fmt.Sprintf("%s/STATE.md was last written %s ago and files were changed since. Bring it up to date: phase, next action, blockers.",
		mindDir(m.mind), inject.Age(m.At.Sub(m.mind.Written))), mark, nil
}

// agentReminder says that a subagent ended.
func agentReminder(ev mem.Event) (line, mark string) {
	if ev.AgentType == "" || inject.Suspicious(ev.AgentType) {
		return "", ""
	}
	return fmt.Sprintf("Agent completed: %s (%s). Check task status and bring the state up to date.", ev.AgentType, ev.AgentID), "ended:" + ev.AgentID
}

// agentCompleted is the reminder that goes with the result of the launch itself,
// where the subagent ran in its foreground: it ended between the two.
func (e *Engine) agentCompleted(ctx context.Context, m *moment) (mem.Reply, error) {
	if m.settings.Profile != Full || m.settings.NudgeEvery == NudgeNever || !m.person() {
		return mem.Reply{}, nil
	}
	stops, err := e.Store.Events(ctx, mem.EventQuery{Session: m.Session, PromptID: m.PromptID, Kinds: []mem.EventKind{mem.SubagentStop, mem.PreToolUse, mem.PostToolUse}, Limit: 20})
	if err != nil {
		return mem.Reply{}, fmt.Errorf("subagents: %w", err)
	}
	kind := cmp.Or(text(fields(m.Input)["subagent_type"]), "general-purpose")
	for _, ev := range stops {
		line, mark := agentReminder(ev)
		if ev.Kind != mem.SubagentStop || ev.AgentType != kind || line == "" || m.session.Told[mark] {
			continue
		}
		r := m.receipt("agent", m.settings.NudgeTokens)
		r.Marks = []string{mark}
		b := inject.Block{Kind: "recall", Header: inject.HeadMemory, Sections: []inject.Section{{Name: "state", Apart: true, Items: []inject.Item{{Text: line}}}}}
		return mem.Reply{Context: e.tell(m, b, r)}, nil
	}
	return mem.Reply{}, nil
}
