package engine

import (
	"cmp"
	"context"

	"remanence/internal/capture"
	"remanence/internal/continuity"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// sessionStart opens a session, or goes on with one, and answers with the briefing.
func (e *Engine) sessionStart(ctx context.Context, m *event.Context) (mem.Reply, error) {
	m.Batch.Session.Source = cmp.Or(m.Source, "startup")
	m.Take(continuity.ReportedUsage(*m))
	switch m.Source {
	case "compact":
		m.Batch.Session.Compacted = true
		m.SessionInfo.Injected, m.SessionInfo.InjectedTokens = nil, 0
		m.Take(e.Capture.TranscriptLater(*m, capture.KeyIndex))
	case "fork":
		if err := e.Briefing.Forked(ctx, m); err != nil {
			return mem.Reply{}, err
		}
	case "resume":
		m.Batch.Session.Status = mem.Running
		m.Take(e.Capture.TranscriptLater(*m, capture.KeyArchive))
	}
	if m.Source != "compact" {
		interrupted, err := e.Capture.CatchUp(ctx, *m)
		e.Event.LogDegraded("interrupted sessions", err)
		m.Take(interrupted)
	}
	if m.SessionInfo.ID == "" {
		m.Batch.Session.Status = mem.Initialized
	}
	var r mem.Reply
	if m.EnvFile {
		r.Env = e.Briefing.Env(m)
	}
	var err error
	within, done := context.WithTimeout(ctx, recall.BriefWithin+e.Slack)
	defer done()
	r.Context, err = e.Briefing.Brief(within, m, m.Settings.Budgets.OfStart(m.Source))
	e.Event.LogDegraded("briefing", err)
	if r.Context != "" && m.Settings.NudgeEvery == event.NudgeOnChange && m.Source != "compact" {
		line, err := e.stateLine(ctx, m)
		e.Event.LogDegraded("state line", err)
		m.Batch.Session.StateLine = &line // the briefing says it already
	}
	r.Notice = e.Briefing.Notice(m)
	return r, nil
}
