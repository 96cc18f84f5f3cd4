package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/briefing"
	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// Next returns what would be injected at the next session start of a place, or with a prompt, by the code that
// answers the hooks. Nothing is written: no receipt and no use. Its outcome is mem.Off if hooks are disabled.
func (e *Engine) Next(ctx context.Context, ask views.NextRequest) (mem.Receipt, error) {
	return e.NextUnder(ctx, ask, e.Settings())
}

// NextUnder is Next with other settings.
func (e *Engine) NextUnder(ctx context.Context, ask views.NextRequest, under event.Settings) (mem.Receipt, error) {
	ec, err := e.nextContext(ctx, ask, under)
	if err != nil {
		return mem.Receipt{}, err
	}
	defer ec.Files.Close()
	asks, off := ec.Kind == mem.SessionStart || recall.IsQuestion(ec.Text), false
	if asks { // the words that switch a session off would do so
		s, err := e.Event.SwitchOf(ctx, ec)
		if err != nil {
			return mem.Receipt{}, err
		}
		if off = s.Off; s.Silent {
			ec.Settings.Profile = event.Silent
		}
	}
	if ec.Settings.Profile == event.Silent {
		ec.Settings = ec.Settings.WithoutInjection()
	}
	none := mem.Receipt{
		Trigger: "session_start", Outcome: mem.Nothing, At: ec.At,
		Budget: ec.Settings.Budgets.OfStart(ec.Source),
	}
	if ask.Prompt != "" {
		none.Trigger, none.Query, none.Budget = "prompt", chars.Clip(chars.Line(ec.Text), 200), ec.Settings.Budgets.UserPrompt
	}
	switch {
	case off:
		none.Outcome = mem.Off
		return none, nil
	case !asks:
		return none, nil
	}
	var next mem.Receipt
	if ec.Kind == mem.UserPromptSubmit {
		next, err = e.nextPrompt(ctx, ec)
	} else {
		next, err = e.Briefing.Brief(ctx, ec, briefing.Request{Budget: ec.Settings.Budgets.OfStart(ec.Source)})
	}
	if err != nil {
		return mem.Receipt{}, err
	}
	if next.ID == "" {
		return none, nil
	}
	return next.AsPreview(), nil
}

// NextProject returns the project of the next session of a place. For all projects it is that of the last session,
// and if there is none it is Nowhere.
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

// nextContext returns the context of the previewed event, as if it happened now.
func (e *Engine) nextContext(ctx context.Context, ask views.NextRequest, under event.Settings) (event.Context, error) {
	p, err := e.NextProject(ctx, ask.ProjectRef)
	if err != nil {
		return event.Context{}, err
	}
	ec := event.Context{
		Event: mem.Event{
			ID: "next", Kind: mem.SessionStart, Session: "next", At: e.Now(),
			Source: cmp.Or(ask.Source, "startup"), Root: p.Root,
		},
		Settings: under.In(p), Project: p, Started: e.Now(), Files: e.Event.OpenFiles(p), CreatedBefore: ask.Before,
		DisabledFeatures: recall.Set(ask.Without),
	}
	ec.Mind, err = e.Event.MindOf(p)
	e.Event.LogDegraded("state files", err)
	e.Event.LogDegraded("vault", errors.Join(e.Filesync.SyncVault(ctx, event.Person), e.Continuity.ReadHandoffFile(ctx, ec,
		event.Person)))
	if ask.Session != "" {
		if ec.SessionInfo, err = e.Store.Session(ctx, ask.Session); err != nil {
			return event.Context{}, err
		}
		ec.Session = ec.SessionInfo.ID
	}
	b := &ec.Settings.Budgets
	if ask.Prompt != "" {
		ec.Kind, ec.Text = mem.UserPromptSubmit, e.Redactor.Prompt(ask.Prompt)
	}
	if ask.Budget > 0 {
		b.SessionStart, b.Resume, b.Compact, b.UserPrompt = ask.Budget, ask.Budget, ask.Budget, ask.Budget
	}
	return ec, nil
}

// previewWithin is how long the recall of a preview may take: it shows what a prompt gets, however slow the machine is.
const previewWithin = time.Minute

// nextPrompt returns the receipt that a prompt would get.
func (e *Engine) nextPrompt(ctx context.Context, ec event.Context) (mem.Receipt, error) {
	var errs []error
	r, _ := e.promptReceipt(ctx, ec, "", previewWithin, func(part string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", part, err))
		}
	})
	if len(errs) > 0 {
		return mem.Receipt{}, errors.Join(errs...)
	}
	return r, nil
}
