package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// lostAfter is the age from which an entry of the transcript without an event counts
// as missing: until then its event may still arrive.
const lostAfter = time.Minute

// OwnCommand reports whether a prompt is one of our plugin's commands.
func OwnCommand(prompt string) bool {
	return strings.HasPrefix(strings.TrimSpace(prompt), event.OwnCommand)
}

// Reconcile finds prompts, tool calls and ends of turns in the session's transcript
// for which no event arrived, and handles them as events without a reply. It returns
// how many it found. It is idempotent.
func (s *Service) Reconcile(ctx context.Context, sess mem.Session) (found int, err error) {
	if s.ReadPastEvents == nil || sess.ID == "" ||
		!event.OwnTranscript(mem.Event{Session: sess.ID, Transcript: sess.Transcript}) {
		return 0, nil
	}
	if paused, err := s.pausedNow(ctx, sess); paused || err != nil {
		return 0, err // retried after the pause
	}
	since, err := s.Store.TranscriptPosition(ctx, sess.ID)
	if err != nil {
		return 0, err
	}
	h, err := s.newReconciliation(ctx, sess)
	if err != nil {
		return 0, err
	}
	mark, err := s.ReadPastEvents(
		ctx, sess, since,
		s.Now().Add(-lostAfter),
		func(ev mem.Event) error { return h.keep(ctx, ev) },
	)
	if mark != since { // also where the time was up: the next try goes on from there
		_, kept := s.Store.Apply(context.WithoutCancel(ctx), mem.Batch{TranscriptPositions: []mem.TranscriptPosition{mark}})
		err = errors.Join(err, kept)
	}
	if err != nil {
		return h.found, fmt.Errorf("look for what was lost: %w", err)
	}
	return h.found, nil
}

func (s *Service) pausedNow(ctx context.Context, sess mem.Session) (bool, error) {
	pauses, err := s.Store.Paused(ctx, s.Now())
	if err != nil {
		return false, fmt.Errorf("pauses: %w", err)
	}
	return slices.ContainsFunc(pauses, func(p mem.Pause) bool {
		return !p.InjectOnly && p.Of(sess.Project, sess.ID)
	}), nil
}

// reconciliation holds the stored events of a session, with which its transcript is
// compared.
type reconciliation struct {
	e        *Service
	s        mem.Session
	prompts  map[string]bool // ids of turns
	ends     map[string]bool // likewise
	calls    map[string]bool // ids of calls
	turns    map[string]mem.Turn
	spans    []span
	silences []mem.PausedPeriod
	after    time.Time // what happened before is too old to be kept
	found    int
}

// span is the time from a session start to the last event before the next one.
type span struct{ from, to time.Time }

func (s *Service) newReconciliation(ctx context.Context, sess mem.Session) (*reconciliation, error) {
	h := &reconciliation{
		e:       s,
		s:       sess,
		prompts: map[string]bool{},
		ends:    map[string]bool{},
		calls:   map[string]bool{},
		turns:   map[string]mem.Turn{},
	}
	heard, err := s.Store.EventHeaders(ctx, sess.ID)
	if err != nil {
		return nil, err
	}
	h.addReported(heard)
	turns, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	for _, t := range turns {
		h.turns[t.PromptID] = t
	}
	if h.silences, err = s.Store.PausedPeriods(ctx, "all", sess.Project, sess.ID); err != nil {
		return nil, err
	}
	h.after = sess.Created.Add(-clockSlack) // from before is what it was forked from
	if before, ok := s.Event.KeptSince(); ok && before.After(h.after) {
		h.after = before
	}
	return h, nil
}

func (h *reconciliation) addReported(heard []mem.EventHeader) {
	slices.SortStableFunc(
		heard,
		func(a, b mem.EventHeader) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) },
	)
	for _, r := range heard {
		switch r.Kind {
		case mem.UserPromptSubmit:
			h.prompts[r.PromptID] = true
		case mem.Stop, mem.StopFailure:
			h.ends[r.PromptID] = true
		case mem.PostToolUse, mem.PostToolUseFailure:
			h.calls[r.ToolUseID] = true
		}
		if began := r.Kind == mem.SessionStart && r.Source != "compact"; began || len(h.spans) == 0 {
			h.spans = append(h.spans, span{r.At, r.At})
		}
		h.spans[len(h.spans)-1].to = r.At
	}
}

// keep handles an event of the transcript if it is missing in the store.
func (h *reconciliation) keep(ctx context.Context, ev mem.Event) error {
	if !h.missing(ev) {
		return nil
	}
	until, err := h.e.Store.ErasedUntil(ctx, h.s.ID) // it may be erased while its record is read
	if err != nil || !ev.At.After(until) {
		return err
	}
	ev.Agent, ev.Session, ev.Root, ev.Cwd, ev.Recovered = h.s.Agent, h.s.ID, h.s.Root, h.s.Cwd, true
	ev.Identify("record")
	_, did, err := h.e.HandleEvent(ctx, ev, true)
	if err != nil {
		return err
	}
	if did.New() {
		h.found++
	}
	if _, known := h.turns[ev.PromptID]; !known {
		h.turns[ev.PromptID] = mem.Turn{PromptID: ev.PromptID}
	}
	return nil
}

// missing reports whether an event was expected and is not stored. For an unknown
// turn the transcript must contain the prompt, and its time must lie within a span:
// outside of one the agent may have run without Remanence.
func (h *reconciliation) missing(ev mem.Event) bool {
	switch ev.Kind {
	case mem.UserPromptSubmit:
		if h.prompts[ev.PromptID] || OwnCommand(ev.Text) {
			return false
		}
	case mem.Stop:
		if h.ends[ev.PromptID] {
			return false
		}
	default:
		if h.calls[ev.ToolUseID] {
			return false
		}
	}
	if !ev.At.After(h.after) || slices.ContainsFunc(h.silences, func(s mem.PausedPeriod) bool {
		return s.Contains(ev.At)
	}) {
		return false
	}
	t, known := h.turns[ev.PromptID]
	if known {
		return !t.Private && t.Text != event.OwnCommand
	}
	return ev.Kind == mem.UserPromptSubmit && slices.ContainsFunc(h.spans, func(s span) bool {
		return !ev.At.Before(s.from) && !ev.At.After(s.to)
	})
}

// WorkedLater reports whether a failed command succeeded later: a missing event may
// be found after later ones.
func (s *Service) WorkedLater(ctx context.Context, m *event.Context, c extract.Call) (bool, error) {
	calls, err := s.Store.Events(
		ctx,
		mem.EventQuery{Session: m.Session, Kinds: []mem.EventKind{mem.PostToolUse}, Tool: m.Tool, Limit: 500},
	)
	if err != nil {
		return false, fmt.Errorf("later calls: %w", err)
	}
	return slices.ContainsFunc(calls, func(ev mem.Event) bool {
		return ev.At.After(m.At) && s.Event.ReadCall(ev, m.Project).Plain == c.Plain
	}), nil
}

// CatchUp queues the transcripts of the project's sessions that ended without an
// event, for example by a crash.
func (s *Service) CatchUp(ctx context.Context, m *event.Context) error {
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: m.Project.Key, Limit: 6})
	if err != nil {
		return fmt.Errorf("sessions that broke off: %w", err)
	}
	for _, sess := range ss {
		if sess.ID == m.Session || sess.Status == mem.Completed || m.At.Sub(sess.LastEvent) < idleAfter {
			continue
		}
		m.Batch.Jobs = append(m.Batch.Jobs, event.ConsolidateLater(sess.ID, sess.LastEvent.Add(event.SilentFor)))
		if s.Archive == nil {
			continue
		}
		then := mem.Event{
			Agent:      sess.Agent,
			Kind:       mem.SessionEnd,
			At:         sess.LastEvent,
			Session:    sess.ID,
			Root:       sess.Root,
			Cwd:        sess.Cwd,
			Transcript: sess.Transcript,
		}
		if event.OwnTranscript(then) {
			m.Batch.Jobs = append(
				m.Batch.Jobs,
				mem.Job{
					Kind:      event.JobTranscript,
					Session:   sess.ID,
					Key:       whenIdle,
					Data:      event.JobData(then),
					NotBefore: m.At,
				},
			)
		}
	}
	return nil
}
