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

// MeasureLater queues a job that reads the context usage after the client has written
// its transcript, at most once per Handoff.SampleEvery.
func (s *Service) MeasureLater(ec event.Context) event.Changes {
	if s.ReadContextUsage == nil || !ec.Person() || !event.OwnTranscript(ec.Event) {
		return event.Changes{}
	}
	at, next := ec.At.Add(event.TranscriptLag), ec.SessionInfo.ContextReadAt.Add(ec.Settings.Handoff.SampleEvery)
	if next.After(at) {
		at = next
	}
	return event.Changes{Jobs: []mem.Job{{
		Kind: event.JobFill, Session: ec.Session, Key: event.JobFill, Data: event.JobData(ec.Event), NotBefore: at,
	}}}
}

// MeasureInTurn is MeasureLater during a turn: it queues a job only if the last reading
// is old enough.
func (s *Service) MeasureInTurn(ec event.Context) event.Changes {
	if ec.At.Sub(ec.SessionInfo.ContextReadAt) < ec.Settings.Handoff.SampleEvery {
		return event.Changes{}
	}
	return s.MeasureLater(ec)
}

// maxWindow bounds a plausible context window, in tokens.
const maxWindow = 100_000_000

// ReportedUsage returns the context usage that the client reported in the event.
func ReportedUsage(ec event.Context) event.Changes {
	f := mem.ContextUsage{
		Session: ec.Session, Tokens: ec.SessionInfo.ContextTokens, At: ec.At,
		ReadAt: ec.SessionInfo.ContextReadAt,
	}
	reported := false
	if 0 < ec.Tokens && ec.Tokens <= maxWindow {
		f.Tokens, f.ReadAt, reported = int(ec.Tokens), ec.At, true
	}
	if 0 < ec.Window && ec.Window <= maxWindow {
		f.Window, reported = int(ec.Window), true
	}
	if !reported {
		return event.Changes{}
	}
	return event.Changes{ContextUsage: []mem.ContextUsage{f}}
}

// MeasureContext reads the context usage from the transcript. If it cannot be read,
// the known value stays and the next event tries again.
func (s *Service) MeasureContext(ctx context.Context, ec event.Context) (mem.Batch, error) {
	if s.ReadContextUsage == nil || ec.SessionInfo.ID == "" || !event.OwnTranscript(ec.Event) {
		return mem.Batch{}, nil
	}
	f, err := s.ReadContextUsage(ec.Transcript)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Event.LogDegraded("context usage", err)
	}
	if err != nil || f.Tokens == 0 && f.AutoCompactTokens == 0 { // what was known stays, if no compaction came between
		f = mem.ContextUsage{
			Session: ec.Session,
			Tokens:  ec.SessionInfo.ContextTokens,
			At:      ec.SessionInfo.LastEvent,
			ReadAt:  s.Now(),
		}
		return mem.Batch{ContextUsage: []mem.ContextUsage{f}}, nil
	}
	f.Session, f.ReadAt, f.Model = ec.Session, s.Now(), fullerModelName(ec.SessionInfo.Model, f.Model)
	sess := ec.SessionInfo
	sess.ContextTokens, sess.Model, sess.AutoCompactTokens = f.Tokens, cmp.Or(f.Model, sess.Model),
		max(sess.AutoCompactTokens, f.AutoCompactTokens)
	r, err := s.limitsOf(ctx, ec.Settings, sess)
	if err != nil {
		return mem.Batch{}, err
	}
	f.Rearm = f.Tokens > 0 && f.Tokens < r.rearm
	return mem.Batch{ContextUsage: []mem.ContextUsage{f}}, nil
}

// fullerModelName returns the longer of two names of the same model: the client's
// name may have a suffix for a larger window that the transcript lacks.
func fullerModelName(client, transcript string) string {
	if base, _, _ := strings.Cut(client, "["); base != "" && strings.HasPrefix(transcript, base) &&
		strings.Contains(client, "[") {
		return client
	}
	return transcript
}

// usageLimits are the limits of a session's context, in tokens.
type usageLimits struct {
	window      int // 0 if handoffs are off
	autoCompact int // usage at which the client compacts by itself; 0 if unknown
	handoffAt   int // usage from which a handoff is requested
	rearm       int // usage below which the next handoff may be requested
}

const (
	minAutoCompact    = 10_000 // tokens; a compaction below that is no sign of a full context
	autoCompactMargin = 0.92   // share of the usage at which the client compacts by itself
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
			return usageLimits{}, fmt.Errorf("automatic compactions: %w", err)
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

// ContextUsage is the context usage of a session and its limits, in tokens.
type ContextUsage struct {
	Tokens           int    `json:"tokens"`            // used at the last reading
	Window           int    `json:"window"`            // size of the context window
	Model            string `json:"model"`             // "" if unknown
	AutoCompactAt    int    `json:"auto_compact_at"`   // usage at which the client compacts by itself; 0 if unknown
	HandoffAt        int    `json:"handoff_at"`        // usage from which a handoff is requested; 0 means never
	HandoffRequested bool   `json:"handoff_requested"` // and the usage was not below the lower limit since
}

// ContextOf returns the context usage of a session; nil if it is unknown.
func (s *Service) ContextOf(ctx context.Context, sess mem.Session) (*ContextUsage, error) {
	if sess.ContextTokens == 0 {
		return nil, nil
	}
	set := s.Settings()
	if set.Profile == event.Silent {
		set = set.WithoutInjection()
	}
	r, err := s.limitsOf(ctx, set, sess)
	if err != nil {
		return nil, err
	}
	return &ContextUsage{
		Tokens: sess.ContextTokens, Window: windowOf(set, sess), Model: sess.Model, AutoCompactAt: r.autoCompact,
		HandoffAt: r.handoffAt, HandoffRequested: !sess.HandoffArmed,
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
