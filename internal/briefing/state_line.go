package briefing

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/inject"
	"remanence/internal/mem"
)

// stateLineInterval is the largest number of prompts without a state line if it is injected on change.
const stateLineInterval = 10

// StateLines is what is injected with a prompt about the state of the work: the state line, and reminders, whose
// marks record that they were injected.
type StateLines struct {
	Lines, Marks []string
	Budget       int     // tokens that the lines may take
	StateLine    *string // if it is among the lines
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
