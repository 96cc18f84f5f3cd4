package capture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"remanence/internal/event"
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
//
// A turn that the transcript leaves without an end is taken as ended once the session is
// idle; until then it may go on.
func (s *Service) Reconcile(ctx context.Context, sess mem.Session) (found int, err error) {
	over := sess.Status == mem.Completed || s.Now().Sub(sess.LastEvent) >= idleAfter
	return s.reconcile(ctx, sess, reading{until: s.Now().Add(-lostAfter), over: over})
}

// reading says how a transcript is compared with the stored events.
type reading struct {
	until  time.Time // events of later entries may still arrive
	over   bool      // a turn without an end is cut off
	whole  bool      // no hook reported the session: it is read in as a whole
	copies []string  // sessions whose transcripts begin with the same entries
	// beforeEvent is called before each transaction of events. Its error ends the reading. With nil each event is
	// written alone.
	beforeEvent func(context.Context) error
}

// reconcile reconciles what the transcript says.
func (s *Service) reconcile(ctx context.Context, sess mem.Session, how reading) (found int, err error) {
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
	r, err := s.newReconciliation(ctx, sess, how)
	if err != nil {
		return 0, err
	}
	defer func() { _ = r.written.End() }() // only after a panic
	position, err := s.ReadPastEvents(ctx, sess, since, how.until, func(ev mem.Event) error {
		if ev.Source == mem.Interrupted && !how.over {
			return nil
		}
		return r.handle(ctx, ev)
	})
	if lost := r.written.End(); lost != nil { // so the position is not known
		return r.found, fmt.Errorf("recover missing events: %w", errors.Join(err, lost))
	}
	if position != since { // also after an error: the next call continues there
		_, saveErr := s.Store.Apply(context.WithoutCancel(ctx), mem.Batch{
			TranscriptPositions: []mem.TranscriptPosition{position},
		})
		err = errors.Join(err, saveErr)
	}
	if err != nil {
		return r.found, fmt.Errorf("recover missing events: %w", err)
	}
	return r.found, nil
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
	s       *Service
	session mem.Session
	how     reading
	prompts map[string]bool // prompt IDs of turns
	ends    map[string]bool // prompt IDs of ended turns
	cut     map[string]bool // prompt IDs of turns handled as interrupted
	calls   map[string]bool // IDs of tool calls
	turns   map[string]mem.Turn
	aliases map[string]string // prompt IDs of the transcript -> those of the same imported prompts
	named   map[string]bool   // imported prompts that are a value of aliases
	spans   []span
	paused  []mem.PausedPeriod
	after   time.Time // earlier events are too old
	found   int

	written mem.Transactions // unused without beforeEvent
}

// span is the time from a session start to the last event before the next one.
type span struct{ from, to time.Time }

func (s *Service) newReconciliation(ctx context.Context, sess mem.Session, how reading) (*reconciliation, error) {
	r := &reconciliation{
		s: s, session: sess, how: how, prompts: map[string]bool{}, ends: map[string]bool{}, cut: map[string]bool{},
		calls: map[string]bool{}, turns: map[string]mem.Turn{},
		aliases: map[string]string{}, named: map[string]bool{},
		written: mem.Transactions{Store: s.Store, Before: how.beforeEvent},
	}
	stored, err := s.Store.EventHeaders(ctx, sess.ID)
	if err != nil {
		return nil, err
	}
	r.addStored(stored)
	turns, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	for _, t := range turns {
		r.turns[t.PromptID] = t
	}
	if r.paused, err = s.Store.PausedPeriods(ctx, "all", sess.Project, sess.ID); err != nil {
		return nil, err
	}
	if !how.whole {
		r.after = sess.Created.Add(-clockSlack) // earlier events are of the session that it was forked from
	}
	for _, id := range how.copies {
		if err := r.addCopied(ctx, id); err != nil {
			return nil, err
		}
	}
	if before, ok := s.Event.KeptSince(); ok && !how.whole && before.After(r.after) {
		r.after = before
	}
	return r, nil
}

// addCopied adds the prompts of another session. What follows a prompt that is not handled is not handled either.
func (r *reconciliation) addCopied(ctx context.Context, session string) error {
	stored, err := r.s.Store.EventHeaders(ctx, session)
	for _, ev := range stored {
		if ev.Kind == mem.UserPromptSubmit {
			r.prompts[ev.PromptID] = true
		}
	}
	return err
}

// addStored adds the headers of the session's stored events.
func (r *reconciliation) addStored(stored []mem.EventHeader) {
	slices.SortStableFunc(stored, func(a, b mem.EventHeader) int {
		return cmp.Compare(a.At.UnixNano(), b.At.UnixNano())
	})
	for _, ev := range stored {
		switch ev.Kind {
		case mem.UserPromptSubmit:
			r.prompts[ev.PromptID] = true
		case mem.Stop, mem.StopFailure:
			if ev.Source == mem.Interrupted { // its real end may still come
				r.cut[ev.PromptID] = true
			} else {
				r.ends[ev.PromptID] = true
			}
		case mem.PostToolUse, mem.PostToolUseFailure:
			r.calls[ev.ToolUseID] = true
		}
		if began := ev.Kind == mem.SessionStart && ev.Source != "compact"; began || len(r.spans) == 0 {
			r.spans = append(r.spans, span{ev.At, ev.At})
		}
		r.spans[len(r.spans)-1].to = ev.At
	}
}

// handle handles an event of the transcript if it is missing in the store.
func (r *reconciliation) handle(ctx context.Context, ev mem.Event) error {
	if ev.Kind == mem.UserPromptSubmit {
		r.nameAsImported(ev)
	}
	ev.PromptID = cmp.Or(r.aliases[ev.PromptID], ev.PromptID)
	if !r.missing(ev) {
		return nil
	}
	if r.how.beforeEvent != nil {
		var err error
		if ctx, err = r.written.Next(ctx); err != nil {
			return err
		}
	}
	for _, id := range append([]string{r.session.ID}, r.how.copies...) {
		until, err := mem.Once(ctx, "erased "+id, func() (time.Time, error) {
			return r.s.Store.ErasedUntil(ctx, id) // a purge may happen while the transcript is read
		})
		if err != nil || !ev.At.After(until) {
			return err
		}
	}
	ev.Agent, ev.Session, ev.Root, ev.Cwd, ev.Recovered = r.session.Agent, r.session.ID, r.session.Root, r.session.Cwd,
		true
	ev.Identify("record")
	_, outcome, err := r.s.HandleEvent(ctx, ev, true)
	if err != nil {
		return err
	}
	if outcome.New() {
		r.found++
	}
	if _, known := r.turns[ev.PromptID]; !known {
		r.turns[ev.PromptID] = mem.Turn{PromptID: ev.PromptID}
	}
	return nil
}

// nameAsImported gives the turn of a prompt the ID of the first imported one with the same text that no other prompt
// has got.
func (r *reconciliation) nameAsImported(ev mem.Event) {
	if r.aliases[ev.PromptID] != "" {
		return
	}
	best, found := 0, ""
	for id, t := range r.turns {
		number, isImported := strings.CutPrefix(id, mem.ImportedPrompt)
		n, err := strconv.Atoi(number)
		if isImported && err == nil && t.Text == ev.Text && !r.ends[id] && !r.named[id] && (found == "" || n < best) {
			best, found = n, id
		}
	}
	if found != "" {
		r.aliases[ev.PromptID], r.named[found] = found, true
	}
}

// missing reports whether an event was expected and is not stored. For an unknown
// turn the transcript must contain the prompt, and its time must lie within a span:
// outside of one the agent may have run without Remanence.
func (r *reconciliation) missing(ev mem.Event) bool {
	switch ev.Kind {
	case mem.UserPromptSubmit:
		if r.prompts[ev.PromptID] || OwnCommand(ev.Text) {
			return false
		}
	case mem.Stop:
		if r.ends[ev.PromptID] || ev.Source == mem.Interrupted && r.cut[ev.PromptID] {
			return false
		}
	default:
		if r.calls[ev.ToolUseID] {
			return false
		}
	}
	if !ev.At.After(r.after) || slices.ContainsFunc(r.paused, func(p mem.PausedPeriod) bool {
		return p.Contains(ev.At)
	}) {
		return false
	}
	t, known := r.turns[ev.PromptID]
	if known {
		return !t.Private && t.Text != event.OwnCommand
	}
	return ev.Kind == mem.UserPromptSubmit && (r.how.whole || slices.ContainsFunc(r.spans, func(s span) bool {
		return !ev.At.Before(s.from) && !ev.At.After(s.to)
	}))
}

// settled is the age from which what a transcript says of an interrupted session counts as
// missing when another session starts: its events took milliseconds, if there were any.
const settled = 2 * time.Second

// maxInterruption is the age of the last event from which a turn without an end is not
// looked for when another session starts.
const maxInterruption = 7 * 24 * time.Hour

// RecoverWithin is how long a session start waits for RecoverInterrupted.
const RecoverWithin = 250 * time.Millisecond

// RecoverInterrupted handles what the transcript says of the last session in the same
// directory, if that was cut off in the middle of a turn, for example by a crash: the
// briefing that follows then has what was said and tried in it. It returns how many events
// it found. A session that still works there loses nothing: the end of its turn is handled
// again, and completes what was kept.
func (s *Service) RecoverInterrupted(ctx context.Context, ec event.Context) (found int, err error) {
	all, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: ec.Project.Key, Limit: 6})
	if err != nil {
		return 0, fmt.Errorf("interrupted session: %w", err)
	}
	for _, sess := range all {
		if sess.ID == ec.Session || sess.Root != ec.Root {
			continue
		}
		if !sess.Processing || sess.Status == mem.Completed || ec.At.Sub(sess.LastEvent) > maxInterruption {
			return 0, nil
		}
		return s.reconcile(ctx, sess, reading{until: s.Now().Add(-settled), over: true})
	}
	return 0, nil
}

// CatchUp queues the transcripts of the project's sessions that ended without an
// event, for example by a crash.
func (s *Service) CatchUp(ctx context.Context, ec event.Context) (event.Changes, error) {
	var ch event.Changes
	all, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: ec.Project.Key, Limit: 6})
	if err != nil {
		return ch, fmt.Errorf("interrupted sessions: %w", err)
	}
	for _, sess := range all {
		if sess.ID == ec.Session || sess.Status == mem.Completed || ec.At.Sub(sess.LastEvent) < idleAfter {
			continue
		}
		ch.Jobs = append(ch.Jobs, event.ConsolidateLater(sess.ID, sess.LastEvent.Add(event.SilentFor)))
		end := mem.Event{
			Agent: sess.Agent, Kind: mem.SessionEnd, At: sess.LastEvent, Session: sess.ID, Root: sess.Root, Cwd: sess.Cwd,
			Transcript: sess.Transcript,
		}
		if s.Archive != nil && event.OwnTranscript(end) {
			ch.Jobs = append(ch.Jobs, transcriptJob(sess.ID, keyIdle, event.JobData(end), ec.At))
		}
	}
	return ch, nil
}
