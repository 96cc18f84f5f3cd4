package continuity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// QueueMeasureContext queues a job that reads the context usage after the client has written
// its transcript, at most once per Handoff.SampleEvery.
func (s *Service) QueueMeasureContext(m *event.Context) {
	if s.ReadContextUsage == nil || !m.Person() || !event.OwnTranscript(m.Event) {
		return
	}
	at, next := m.At.Add(event.TranscriptLag), m.SessionInfo.ContextReadAt.Add(m.Settings.Handoff.SampleEvery)
	if next.After(at) {
		at = next
	}
	m.Batch.Jobs = append(
		m.Batch.Jobs,
		mem.Job{Kind: event.JobFill, Session: m.Session, Key: event.JobFill, Data: event.JobData(m.Event), NotBefore: at},
	)
}

// QueueMeasureInTurn calls FillLater during a turn if the last reading is old enough.
func (s *Service) QueueMeasureInTurn(m *event.Context) {
	if m.At.Sub(m.SessionInfo.ContextReadAt) >= m.Settings.Handoff.SampleEvery {
		s.QueueMeasureContext(m)
	}
}

// maxWindow bounds a plausible context window, in tokens.
const maxWindow = 100_000_000

// RecordReportedUsage records the context usage that the client reported in the event.
func RecordReportedUsage(m *event.Context) {
	f := mem.ContextUsage{
		Session: m.Session, Tokens: m.SessionInfo.ContextTokens, At: m.At,
		ReadAt: m.SessionInfo.ContextReadAt,
	}
	told := false
	if 0 < m.Tokens && m.Tokens <= maxWindow {
		f.Tokens, f.ReadAt, told = int(m.Tokens), m.At, true
	}
	if 0 < m.Window && m.Window <= maxWindow {
		f.Window, told = int(m.Window), true
	}
	if told {
		m.Batch.ContextUsage = append(m.Batch.ContextUsage, f)
	}
}

// MeasureContext reads the context usage from the transcript. If it cannot be read,
// the known value stays and the next event tries again.
func (s *Service) MeasureContext(ctx context.Context, m *event.Context) (mem.Batch, error) {
	if s.ReadContextUsage == nil || m.SessionInfo.ID == "" || !event.OwnTranscript(m.Event) {
		return mem.Batch{}, nil
	}
	f, err := s.ReadContextUsage(m.Transcript)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Event.LogDegraded("how full the context is", err)
	}
	if err != nil || f.Tokens == 0 && f.AutoCompactTokens == 0 { // what was known stays, if no compaction came between
		f = mem.ContextUsage{
			Session: m.Session,
			Tokens:  m.SessionInfo.ContextTokens,
			At:      m.SessionInfo.LastEvent,
			ReadAt:  s.Now(),
		}
		return mem.Batch{ContextUsage: []mem.ContextUsage{f}}, nil
	}
	f.Session, f.ReadAt, f.Model = m.Session, s.Now(), fullerModelName(m.SessionInfo.Model, f.Model)
	sess := m.SessionInfo
	sess.ContextTokens, sess.Model, sess.AutoCompactTokens = f.Tokens, cmp.Or(f.Model, sess.Model),
		max(sess.AutoCompactTokens, f.AutoCompactTokens)
	r, err := s.limitsOf(ctx, m.Settings, sess)
	if err != nil {
		return mem.Batch{}, err
	}
	f.Rearm = f.Tokens > 0 && f.Tokens < r.rearm
	return mem.Batch{ContextUsage: []mem.ContextUsage{f}}, nil
}

// fullerModelName returns the longer of two names of the same model: the client's
// name may have a suffix for a larger window that the transcript lacks.
func fullerModelName(told, spoke string) string {
	if base, _, _ := strings.Cut(told, "["); base != "" && strings.HasPrefix(spoke, base) &&
		strings.Contains(told, "[") {
		return told
	}
	return spoke
}

// usageLimits are the limits of a session's context, in tokens.
type usageLimits struct {
	window      int // 0 if nothing is to be done
	autoCompact int // where the client of the model compacts by itself; 0 if that was never seen
	handoffAt   int // from here on a handoff is asked for
	rearm       int // below this it will be asked for again
}

// Where a client compacts by itself, in tokens as it counts them.
const (
	minAutoCompact    = 10_000 // tokens; a compaction of less was no sign of a full context
	autoCompactMargin = 0.92   // of the place where the client compacts, by its own count as ours is
)

// limitsOf computes the limits of a session's context from its window and from the
// usage at which clients compacted contexts of the same model.
func (s *Service) limitsOf(ctx context.Context, set event.Settings, sess mem.Session) (usageLimits, error) {
	share := set.Handoff.ThresholdOf()
	if share == 0 {
		return usageLimits{}, nil
	}
	r := usageLimits{window: windowOf(set, sess)}
	trigger := share * float64(r.window)
	if sess.Model != "" {
		ss, err := s.Store.Sessions(ctx, mem.SessionQuery{AutoCompactModel: sess.Model, Limit: 1})
		if err != nil {
			return usageLimits{}, fmt.Errorf("where the context is cut: %w", err)
		}
		if len(ss) > 0 && ss[0].AutoCompactTokens >= minAutoCompact {
			r.autoCompact = ss[0].AutoCompactTokens
			trigger = min(trigger, autoCompactMargin*float64(r.autoCompact))
		}
	}
	r.handoffAt = max(1, int(trigger))
	r.rearm = int(trigger * set.Handoff.RearmAt() / share)
	return r, nil
}

// ContextOf returns the context usage of a session; nil if it is unknown.
func (s *Service) ContextOf(ctx context.Context, sess mem.Session) (*ContextUsage, error) {
	if sess.ContextTokens == 0 {
		return nil, nil
	}
	set := s.Settings()
	if set.Profile == event.Silent {
		set = set.Hushed()
	}
	r, err := s.limitsOf(ctx, set, sess)
	if err != nil {
		return nil, err
	}
	return &ContextUsage{
		Tokens: sess.ContextTokens, Window: windowOf(set, sess), Model: sess.Model, Cliff: r.autoCompact,
		HandoffAt: r.handoffAt, Asked: !sess.HandoffArmed,
	}, nil
}

// The windows of models, in tokens.
const (
	commonWindow = 200_000
	largeWindow  = 1_000_000
)

// windowOf returns the context window of a session, in tokens: from the settings,
// else from the client, else by the model. Usage above the common window proves the
// larger one.
func windowOf(set event.Settings, s mem.Session) int {
	switch {
	case set.Window > 0:
		return set.Window
	case s.ContextWindow > 0:
		return s.ContextWindow
	case largeModel(s.Model) || s.ContextTokens > commonWindow:
		return largeWindow
	}
	return commonWindow
}

// largeModel reports whether a model is known for the larger window, or the
// client asks for it by name.
func largeModel(model string) bool {
	return strings.HasSuffix(model, "[1m]") || strings.HasPrefix(model, "claude-opus-5")
}
