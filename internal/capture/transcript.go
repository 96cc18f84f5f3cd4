package capture

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// Keys of transcript jobs. One job of each key waits in a session.
const (
	// KeyArchive archives the transcript, then queues a job that indexes it when the
	// session is idle.
	KeyArchive = "take"
	// KeyIndex archives and indexes the transcript.
	KeyIndex = "index"
	keyIdle  = "idle" // archives and indexes after idleAfter without an event
)

// idleAfter is the time without an event after which a session is indexed.
const idleAfter = 10 * time.Minute

// TranscriptLater queues a job that archives the session's transcript.
func (s *Service) TranscriptLater(ec event.Context, key string) event.Changes {
	if s.Archive == nil || !ec.Person() || !event.OwnTranscript(ec.Event) {
		return event.Changes{}
	}
	return event.Changes{Jobs: []mem.Job{
		transcriptJob(ec.Session, key, event.JobData(ec.Event), ec.At.Add(event.TranscriptLag)),
	}}
}

func transcriptJob(session, key, data string, at time.Time) mem.Job {
	return mem.Job{Kind: event.JobTranscript, Session: session, Key: key, Data: data, NotBefore: at}
}

// ArchiveEvery is the number of prompts after which the transcript is archived even if
// no turn ended.
const ArchiveEvery = 10

// RunTranscriptJob runs a transcript job: it reconciles missing events, archives the
// transcript, and indexes it if the job's key asks for that.
func (s *Service) RunTranscriptJob(ctx context.Context, ec event.Context, job mem.Job) (mem.Batch, error) {
	sess := ec.SessionInfo
	if s.Archive == nil || sess.ID == "" || !event.OwnTranscript(ec.Event) { // an empty ID: it was erased meanwhile
		return mem.Batch{}, nil
	}
	sess.Transcript = ec.Transcript
	if _, err := s.Reconcile(ctx, sess); err != nil {
		return mem.Batch{}, err
	}
	if _, err := s.ArchiveTranscript(ctx, sess); err != nil {
		return mem.Batch{}, err
	}
	idle := sess.LastEvent.Add(idleAfter)
	if job.Key == KeyArchive || job.Key == keyIdle && idle.After(s.Now()) && sess.Status != mem.Completed {
		return mem.Batch{Jobs: []mem.Job{transcriptJob(ec.Session, keyIdle, job.Data, idle)}}, nil
	}
	var b mem.Batch
	if job.Key == KeyIndex { // the newest entries may not be written yet
		b.Jobs = []mem.Job{transcriptJob(ec.Session, keyIdle, job.Data, s.Now().Add(2*lostAfter))}
	}
	if job.Key == keyIdle && sess.Status != mem.Completed {
		b.Jobs = append(b.Jobs, event.ConsolidateLater(ec.Session, sess.LastEvent.Add(event.SilentFor)))
	}
	_, err := s.IndexUtterances(ctx, ec)
	return b, err
}

// ArchiveTranscript archives the session's transcript and counts the citations in it:
// the event at a turn's end has only the last answer.
func (s *Service) ArchiveTranscript(ctx context.Context, sess mem.Session) (mem.TranscriptImport, error) {
	p, err := s.newTakePolicy(ctx, sess)
	if err != nil {
		return mem.TranscriptImport{}, err
	}
	var answers []mem.ArchivedUtterance
	imported, err := s.Archive.Take(ctx, sess, sess.Transcript, func(u *mem.ArchivedUtterance) mem.Verdict {
		v := p.verdict(ctx, u)
		if v == mem.Keep && u.Who == "assistant" {
			answers = append(answers, *u)
		}
		return v
	})
	if err = errors.Join(err, p.err); err != nil {
		return imported, fmt.Errorf("archive transcript: %w", err)
	}
	cited, err := s.Citations(ctx, sess, s.Now(), answers...)
	if err == nil && len(cited.Edits) > 0 {
		_, err = s.Store.Apply(ctx, mem.Batch{Edits: cited.Edits, Jobs: cited.Jobs})
	}
	s.Event.LogDegraded("uses", err)
	return imported, nil
}

// takePolicy decides which utterances of a transcript are archived: those of captured
// turns while capture was on. It leaves out paused, private and purged parts, and the
// session that this one was forked from.
type takePolicy struct {
	s         *Service
	session   mem.Session
	list      []mem.Turn // newest first
	turns     map[string]mem.Turn
	newest    mem.Turn
	lastEvent map[string]time.Time // of a turn, by its prompt ID
	after     time.Time            // earlier utterances are erased or too old
	err       error
}

func (s *Service) newTakePolicy(ctx context.Context, sess mem.Session) (*takePolicy, error) {
	list, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	p := &takePolicy{s: s, session: sess, list: list, turns: map[string]mem.Turn{}, lastEvent: map[string]time.Time{}}
	for _, t := range list {
		p.turns[t.PromptID] = t
	}
	if len(list) > 0 {
		p.newest = list[0]
	}
	if p.after, err = s.Store.ErasedUntil(ctx, sess.ID); err != nil {
		return nil, err
	}
	if before, ok := s.Event.KeptSince(); ok && before.After(p.after) {
		p.after = before
	}
	return p, nil
}

// verdict decides on one utterance and sets its turn and time. It looks up the last
// purge each time: one may happen while the transcript is read.
func (p *takePolicy) verdict(ctx context.Context, u *mem.ArchivedUtterance) mem.Verdict {
	v := p.verdictByTurn(ctx, u)
	if v != mem.Keep {
		return v
	}
	until, err := p.s.Store.ErasedUntil(ctx, p.session.ID)
	switch {
	case err != nil:
		p.err = err
		return mem.Defer
	case !u.At.After(until):
		return mem.Skip
	}
	return v
}

// verdictByTurn decides by the stored turn of the utterance.
func (p *takePolicy) verdictByTurn(ctx context.Context, u *mem.ArchivedUtterance) mem.Verdict {
	t, known := p.turnOf(u)
	if u.At.IsZero() {
		u.At = t.At
	}
	switch {
	case !known && u.At.After(p.newest.At):
		return mem.Defer // the event of its prompt may be late
	case !known, t.Private, t.Text == event.OwnCommand, !u.At.After(p.after):
		return mem.Skip
	case u.Who == "user" && t.Number > 0:
		return mem.Keep
	case u.Who == "user" && t.PromptID == p.newest.PromptID:
		return mem.Defer
	case u.Who == "user", u.At.Before(t.At.Add(-clockSlack)): // capture was off at the start of the turn
		return mem.Skip
	}
	return p.verdictByTime(ctx, *u, t)
}

// turnOf finds the turn of an utterance: by its prompt ID, else by the prompt's text.
func (p *takePolicy) turnOf(u *mem.ArchivedUtterance) (mem.Turn, bool) {
	if u.PromptID != "" || u.Who != "user" {
		t, ok := p.turns[u.PromptID]
		return t, ok && u.PromptID != ""
	}
	for _, t := range p.list {
		if t.Number > 0 && extract.SameWords(t.Text, u.Text) {
			u.PromptID = t.PromptID
			return t, true
		}
	}
	u.PromptID = "?" // the answers to it are of an unknown turn, too
	return mem.Turn{}, false
}

// verdictByTime decides by the turn's last event whether capture was still on at the
// utterance's time.
func (p *takePolicy) verdictByTime(ctx context.Context, u mem.ArchivedUtterance, t mem.Turn) mem.Verdict {
	at, known := p.lastEvent[t.PromptID]
	if !known {
		events, err := p.s.Store.Events(ctx, mem.EventQuery{Session: p.session.ID, PromptID: t.PromptID, Limit: 1})
		if err != nil {
			p.err = err
			return mem.Defer
		}
		if len(events) > 0 {
			at = events[0].At
		}
		p.lastEvent[t.PromptID] = at
	}
	newest := t.PromptID == p.newest.PromptID
	if newest && p.session.LastEvent.After(at) {
		at = p.session.LastEvent
	}
	switch {
	case !u.At.After(at.Add(clockSlack)):
		return mem.Keep
	case newest:
		return mem.Defer
	}
	return mem.Skip
}

// clockSlack is how far the client's timestamps may differ from ours: later than the
// event of a turn's end, or earlier than the event of its prompt.
const clockSlack = 2 * time.Second
