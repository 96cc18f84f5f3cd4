package engine

import (
	"cmp"
	"context"
	"errors"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// Next returns what the next session of a place would be told, or with a prompt
// what that prompt would be, by the code that answers the hooks. Nothing is
// written: no receipt, no use, nothing counts as told. Its outcome is mem.Off
// where hooks are not heard at all.
func (e *Engine) Next(ctx context.Context, ask views.NextRequest) (mem.Receipt, error) {
	return e.NextUnder(ctx, ask, e.Settings())
}

// NextUnder is Next under other settings.
func (e *Engine) NextUnder(ctx context.Context, ask views.NextRequest, under event.Settings) (mem.Receipt, error) {
	m, err := e.rehearse(ctx, ask, under)
	if err != nil {
		return mem.Receipt{}, err
	}
	defer m.Files.Close()
	asks, off := m.Kind == mem.SessionStart || recall.IsQuestion(m.Text), false
	if asks { // the words that switch a session off would do so
		if off, _, err = e.Event.Switched(ctx, m); err != nil {
			return mem.Receipt{}, err
		}
	}
	if m.Settings.Profile == event.Silent {
		m.Settings = m.Settings.Hushed()
	}
	none := mem.Receipt{
		Trigger: "session_start", Outcome: mem.Nothing, At: m.At,
		Budget: m.Settings.Budgets.OfStart(m.Source),
	}
	if ask.Prompt != "" {
		none.Trigger, none.Query, none.Budget = "prompt", chars.Clip(chars.Line(m.Text), 200), m.Settings.Budgets.UserPrompt
	}
	switch {
	case off:
		none.Outcome = mem.Off
		return none, nil
	case !asks:
		return none, nil
	}
	if m.Kind == mem.UserPromptSubmit {
		err = e.rehearsePrompt(ctx, m)
	} else {
		_, err = e.Briefing.Brief(ctx, m, m.Settings.Budgets.OfStart(m.Source))
	}
	if err != nil {
		return mem.Receipt{}, err
	}
	if len(m.Batch.Receipts) == 0 {
		return none, nil
	}
	return m.Batch.Receipts[0], nil
}

// NextProject is the project that the next session of a place will be in. Every
// session has one: with all projects it is most likely that of the last one. Where
// none is known it is nobody's.
func (e *Engine) NextProject(ctx context.Context, at mem.ProjectRef) (mem.Project, error) {
	p, err := e.Event.Place(ctx, at)
	if err != nil || p.Key != "" {
		return p, err
	}
	ps, err := e.Store.Projects(ctx, "")
	if err != nil || len(ps) == 0 {
		return p, err
	}
	return ps[0], nil
}

// rehearse is the moment that is asked about, as if it were now. Its batch is
// never applied.
func (e *Engine) rehearse(ctx context.Context, ask views.NextRequest, under event.Settings) (*event.Context, error) {
	p, err := e.NextProject(ctx, ask.ProjectRef)
	if err != nil {
		return nil, err
	}
	m := &event.Context{
		Event: mem.Event{
			ID: "next", Kind: mem.SessionStart, Session: "next", At: e.Now(),
			Source: cmp.Or(ask.Source, "startup"), Root: p.Root,
		},
		Settings: under, Project: p, Started: e.Now(), Files: e.Event.OpenFiles(p), CreatedBefore: ask.Before,
		DisabledFeatures: recall.Set(ask.Without),
		Batch:            mem.Batch{Session: &mem.SessionChange{}, Turn: &mem.TurnChange{}},
	}
	m.Mind, err = e.Event.MindOf(p)
	e.Event.LogDegraded("state files", err)
	e.Event.LogDegraded("vault", errors.Join(e.Filesync.SyncVault(ctx, event.Person), e.Continuity.ReadHandoffFile(ctx, *m,
		event.Person)))
	if ask.Session != "" {
		if m.SessionInfo, err = e.Store.Session(ctx, ask.Session); err != nil {
			return nil, err
		}
		m.Session = m.SessionInfo.ID
	}
	b := &m.Settings.Budgets
	if ask.Prompt != "" {
		m.Kind, m.Text = mem.UserPromptSubmit, e.Door.Prompt(ask.Prompt)
	}
	if ask.Budget > 0 {
		b.SessionStart, b.Resume, b.Compact, b.UserPrompt = ask.Budget, ask.Budget, ask.Budget, ask.Budget
	}
	return m, nil
}

func (e *Engine) rehearsePrompt(ctx context.Context, m *event.Context) error {
	n, err := e.nudge(ctx, m)
	if err != nil {
		return err
	}
	hits, r, err := e.promptRecall(ctx, m)
	if err != nil {
		return err
	}
	gone, err := e.Continuity.CompactionLoss(ctx, *m)
	if err != nil {
		return err
	}
	e.tellPrompt(m, n, gone, hits, r)
	return nil
}
