package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"remanence/internal/mem"
)

// ErrLongHandoff refuses a handoff of more than mem.MaxHandoff characters.
// Nothing of it is kept, so that nobody takes a part for all of it.
var ErrLongHandoff = errors.New("the handoff is too long")

// ErrPrivateTurn refuses what an agent wants kept of a turn whose prompt is private.
var ErrPrivateTurn = errors.New("the prompt of this turn is private: nothing of the turn is kept")

// Handoff keeps what the agent, or the person, wrote for whoever goes on with
// the work, beside where the work stands by what is stored. An agent is trusted
// with it as with its own words, if its turn read nothing from elsewhere.
func (e *Engine) Handoff(ctx context.Context, ask mem.HandoffAsk) (mem.Checkpoint, error) {
	text, _ := mem.SplitHandoff(e.Door.Prompt(ask.Text)) // who copies an earlier handoff copies its tail, too
	if text = strings.TrimSpace(text); text == "" {
		return mem.Checkpoint{}, ErrNoText
	}
	if n := utf8.RuneCountInString(text); n > mem.MaxHandoff {
		return mem.Checkpoint{}, fmt.Errorf("%w: %d characters, %d at most", ErrLongHandoff, n, mem.MaxHandoff)
	}
	m, err := e.handingOff(ctx, ask)
	if err != nil {
		return mem.Checkpoint{}, err
	}
	defer m.view.close()
	trust := mem.TrustAssistant
	if ask.Agent != "" {
		if trust, err = e.byAgent(ctx, ask.Agent); err != nil {
			return mem.Checkpoint{}, err
		}
	}
	e.without("handoff file", e.takeHandoff(ctx, m, person)) // what was edited there is kept, though this one counts
	cp, err := e.keepHandoff(ctx, m, text, trust)
	if err != nil {
		return cp, err
	}
	if e.Handoffs != nil {
		e.without("handoff file", e.Handoffs.WriteHandoff(m.project, text))
	}
	kept, err := e.Store.Checkpoints(ctx, mem.CheckpointQuery{Session: cp.Session, Project: cp.Project, Trigger: mem.TriggerHandoff, Limit: 1})
	if err == nil && len(kept) == 0 { // it was erased at once
		err = mem.ErrNotFound
	}
	if err != nil {
		return cp, fmt.Errorf("read handoff back: %w", err)
	}
	return kept[0], nil
}

// keepHandoff keeps a text as the handoff of the moment's session.
func (e *Engine) keepHandoff(ctx context.Context, m *moment, text string, t mem.Trust) (mem.Checkpoint, error) {
	cp, err := e.checkpoint(ctx, m, mem.TriggerHandoff)
	if err != nil {
		return cp, err
	}
	cp.Handoff, cp.Trust = text, t
	if t < mem.TrustUser { // a person's own hand stands for itself, whatever the agent reads
		cp.PromptID = m.turn.PromptID
	}
	if _, err := e.Store.Apply(ctx, mem.Batch{Checkpoints: []mem.Checkpoint{cp}}); err != nil {
		return cp, fmt.Errorf("keep handoff: %w", err)
	}
	return cp, nil
}

// pastHandoffs is how many handoffs of a project a file is compared with.
const pastHandoffs = 100

// fileTick is how far the time of a file may be behind the clock when it is
// written: kernels stamp files by ticks.
const fileTick = 20 * time.Millisecond

// takeHandoff keeps as a handoff what somebody edited in the file of the
// project's. A text that was kept before is none: the file was left behind.
func (e *Engine) takeHandoff(ctx context.Context, m *moment, by hand) error {
	if e.Handoffs == nil || m.project.Key == "" || m.project.Key == nowhere.Key {
		return nil
	}
	note, err := e.Handoffs.ReadHandoff(m.project)
	if err != nil {
		return fmt.Errorf("handoff file: %w", err)
	}
	text := wholeLines(strings.TrimSpace(e.Door.Prompt(note.Rich)), mem.MaxHandoff)
	if text == "" {
		return nil
	}
	past, err := e.Store.Checkpoints(ctx, mem.CheckpointQuery{Project: m.project.Key, Trigger: mem.TriggerHandoff, Limit: pastHandoffs})
	if err != nil {
		return fmt.Errorf("past handoffs: %w", err)
	}
	if slices.ContainsFunc(past, func(cp mem.Checkpoint) bool { return cp.Handoff == text }) || len(past) > 0 && note.At.Before(past[0].At.Add(-fileTick)) {
		return nil
	}
	if by, err = e.handAt(ctx, by, note.Changed); err != nil || by.private {
		return err
	}
	of, err := e.handingOff(ctx, mem.HandoffAsk{Place: mem.Place{Project: m.project.Key}, Session: m.session.ID})
	if errors.Is(err, mem.ErrNotFound) { // of a project that nothing is known of
		return nil
	}
	if err != nil {
		return err
	}
	defer of.view.close()
	if note.At.Before(of.At) {
		of.At = note.At
	}
	if len(past) > 0 && !of.At.After(past[0].At) { // it was written over that one
		of.At = past[0].At.Add(1)
	}
	_, err = e.keepHandoff(ctx, of, text, by.trust)
	return err
}

// wholeLines is as much of a text as has n characters at most, in whole lines.
func wholeLines(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	s = string([]rune(s)[:n])
	if end := strings.LastIndexByte(s, '\n'); end > 0 { // else it is one line: a part of it is more than nothing
		s = s[:end]
	}
	return strings.TrimSpace(s)
}

// handingOff is the moment a handoff is of: the session and its project, which
// is not always that of the directory the order came from.
func (e *Engine) handingOff(ctx context.Context, ask mem.HandoffAsk) (*moment, error) {
	p, err := e.place(ctx, ask.Place)
	if err != nil {
		return nil, err
	}
	m := &moment{Event: mem.Event{At: e.Now()}, settings: e.Settings(), project: p, started: e.Now()}
	if m.session, err = e.handedOff(ctx, ask, p); err != nil {
		return nil, err
	}
	m.Session, m.Agent = m.session.ID, m.session.Agent
	if m.session.Project != "" && m.session.Project != p.Key {
		if m.project, err = e.place(ctx, mem.Place{Project: m.session.Project}); err != nil {
			return nil, err
		}
	}
	if m.project.Key == "" {
		m.project = nowhere
	}
	turns, err := e.Store.Turns(ctx, m.Session, 1)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	if len(turns) > 0 {
		m.turn = turns[0]
	}
	m.view = e.look(m.project)
	return m, nil
}

// handedOff is the session that a handoff is of; the zero value if nobody knows.
func (e *Engine) handedOff(ctx context.Context, ask mem.HandoffAsk, p mem.Project) (mem.Session, error) {
	switch {
	case ask.Session != "":
		return e.Store.Session(ctx, ask.Session)
	case ask.Agent != "":
		return e.sessionOf(ctx, ask.Agent)
	case p.Key == "":
		return mem.Session{}, nil
	}
	ss, err := e.Store.Sessions(ctx, mem.SessionQuery{Project: p.Key, Limit: 1})
	if err != nil || len(ss) == 0 {
		return mem.Session{}, err
	}
	return ss[0], nil
}
