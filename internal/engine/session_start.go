package engine

import (
	"cmp"
	"context"

	"remanence/internal/briefing"
	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// sessionStart opens a session, or goes on with one, and answers with the briefing.
func (e *Engine) sessionStart(ctx context.Context, ec event.Context) (mem.Reply, event.Changes, error) {
	ch := event.Changes{Session: mem.SessionChange{Source: cmp.Or(ec.Source, "startup")}}
	if ec.Recovered { // no client reads the briefing
		return mem.Reply{}, ch, nil
	}
	e.Recall.Floors.Use(ec.Project.Key)
	ch.Merge(continuity.ReportedUsage(ec))
	switch ec.Source {
	case "compact":
		ch.Session.Compacted = true
		ec.SessionInfo.Injected, ec.SessionInfo.InjectedTokens = nil, 0
		ch.Merge(e.Capture.TranscriptLater(ec, capture.KeyIndex))
	case "fork":
		parent, err := e.Briefing.Parent(ctx, ec)
		if err != nil {
			return mem.Reply{}, event.Changes{}, err
		}
		ch.Session.Parent, ch.Session.CopyInjectedFrom = parent.ID, parent.ID
		if ec.SessionInfo.Injected == nil {
			ec.SessionInfo.Injected = parent.Injected
		}
	case "resume":
		ch.Session.Status = mem.Running
		ch.Merge(e.Capture.TranscriptLater(ec, capture.KeyArchive))
	}
	if ec.Source != "compact" {
		catching, done := context.WithTimeout(ctx, capture.RecoverWithin+e.Slack)
		_, err := e.Capture.RecoverInterrupted(catching, ec)
		done()
		e.Event.LogDegraded("interrupted session", err)
		interrupted, err := e.Capture.CatchUp(ctx, ec)
		e.Event.LogDegraded("interrupted sessions", err)
		ch.Merge(interrupted)
	}
	if ec.SessionInfo.ID == "" {
		ch.Session.Status = mem.Initialized
	}
	within, done := context.WithTimeout(ctx, recall.BriefWithin+e.Slack)
	defer done()
	brief, err := e.Briefing.Brief(within, ec, briefing.Request{
		Budget: ec.Settings.Budgets.OfStart(ec.Source), Parent: ch.Session.Parent,
	})
	e.Event.LogDegraded("briefing", err)
	if brief.ID != "" {
		ch.Receipts = append(ch.Receipts, brief)
	}
	if brief.Text != "" && ec.Settings.StateLineRule == event.StateLineOnChange && ec.Source != "compact" {
		line, err := e.Briefing.StateLine(ctx, ec)
		e.Event.LogDegraded("state line", err)
		ch.Session.StateLine = &line // the briefing says it already
	}
	r := mem.Reply{Context: brief.Text, Notice: e.Briefing.Notice(ec, brief)}
	if ec.EnvFile {
		r.Env = e.Briefing.Env(ec)
	}
	return r, ch, nil
}
