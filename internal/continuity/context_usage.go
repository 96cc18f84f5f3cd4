package continuity

import (
	"cmp"
	"context"
	"errors"
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
	sess.ContextWindow = cmp.Or(f.Window, sess.ContextWindow)
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

// ContextUsage is the context usage of a session and its limits, in tokens.
type ContextUsage struct {
	Tokens           int    `json:"tokens"`            // used at the last reading
	Window           int    `json:"window"`            // size of the context window; 0 if unknown
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
