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

// stateLineInterval is the largest number of prompts without a state line if it is injected on change.
const stateLineInterval = 10

// StateLines is what is injected with a prompt about the state of the work: the state line, and reminders, whose
// marks record that they were injected.
type StateLines struct {
	Lines, Marks []string
	Budget       int     // tokens that the lines may take
	StateLine    *string // if it is among the lines

	Request, RequestMark string // for a note; empty for none. The lines do not hold it.
}

// StateLines returns the state line, if it is due, and the reminders of the event's session.
func (e *Service) StateLines(ctx context.Context, ec event.Context) (n StateLines, err error) {
	if ec.Settings.StateLineRule == event.StateLineNever || ec.Settings.StateLineTokens == 0 || ec.SessionInfo.ID == "" {
		return StateLines{}, nil
	}
	reminders, marks, err := e.Reminders(ctx, ec)
	if err != nil {
		return StateLines{}, err
	}
	line, err := e.StateLine(ctx, ec)
	if err != nil {
		return StateLines{}, err
	}
	due := ec.Settings.StateLineRule == event.StateLineAlways || line != ec.SessionInfo.StateLine ||
		ec.SessionInfo.Prompts-ec.SessionInfo.StateLinePrompt >= stateLineInterval || len(reminders) > 0
	if due && line != "" && chars.Tokens(line) <= ec.Settings.StateLineTokens {
		n.StateLine, n.Lines = &line, []string{line}
	}
	n.Lines, n.Marks = append(n.Lines, reminders...), marks
	n.Budget = len(n.Lines) * ec.Settings.StateLineTokens
	return n, nil
}

// StateLine returns one line with the next step and the blocker; empty if neither is known.
func (e *Service) StateLine(ctx context.Context, ec event.Context) (string, error) {
	if ec.Mind.Trusted {
		return strings.TrimPrefix(MindLine(ec.Mind), inject.HeadMemory+" "), nil
	}
	turns, err := e.Store.Turns(ctx, ec.Session, 1)
	if err != nil {
		return "", fmt.Errorf("turns: %w", err)
	}
	own, err := e.Store.List(ctx, mem.Query{
		Project: ec.Project.Key, Session: ec.Session, Kinds: []mem.Kind{mem.Command}, Open: true, Order: mem.ByUpdate,
		Limit: 3,
	})
	if err != nil {
		return "", fmt.Errorf("failing commands: %w", err)
	}
	s, err := e.Continuity.State(ctx, ec.Project.Key, ec.Session, turns, own)
	if err != nil {
		return "", err
	}
	line := inject.StateLine(s.Phase, cmp.Or(extract.First(s.Next), extract.First(s.Open)),
		cmp.Or(extract.First(s.Waiting), extract.First(s.Blocked)), "")
	return strings.TrimPrefix(line, inject.HeadMemory+" "), nil // the block has that header itself
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
