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

const (
	// KeyArchive is the job key of taking a transcript into the archive only.
	KeyArchive = "take" // archive the transcript, then queue whenIdle
	// KeyIndex is the job key of taking a transcript in for search, too.
	KeyIndex = "index" // archive and index
	whenIdle = "idle"  // archive and index after idleAfter without an event
)

// idleAfter is the time without an event after which a session is indexed.
const idleAfter = 10 * time.Minute

// QueueTranscript queues a job that archives the session's transcript.
func (s *Service) QueueTranscript(m *event.Context, key string) {
	if s.Archive == nil || !m.Person() || !event.OwnTranscript(m.Event) {
		return
	}
	m.Batch.Jobs = append(
		m.Batch.Jobs,
		mem.Job{
			Kind:      event.JobTranscript,
			Session:   m.Session,
			Key:       key,
			Data:      event.JobData(m.Event),
			NotBefore: m.At.Add(event.TranscriptLag),
		},
	)
}

// ArchiveEvery is the number of prompts after which the transcript is archived even if
// no turn ended.
const ArchiveEvery = 10

// RunTranscriptJob runs a transcript job: it reconciles missing events, archives the
// transcript, and indexes it if the job's key asks for that.
func (s *Service) RunTranscriptJob(ctx context.Context, m *event.Context, job mem.Job) (mem.Batch, error) {
	if s.Archive == nil || m.SessionInfo.ID == "" || !event.OwnTranscript(m.Event) { // or it was erased meanwhile
		return mem.Batch{}, nil
	}
	m.SessionInfo.Transcript = m.Transcript
	if _, err := s.Reconcile(ctx, m.SessionInfo); err != nil {
		return mem.Batch{}, err
	}
	if _, err := s.ArchiveTranscript(ctx, m); err != nil {
		return mem.Batch{}, err
	}
	due := m.SessionInfo.LastEvent.Add(idleAfter)
	if job.Key == KeyArchive || job.Key == whenIdle && due.After(s.Now()) && m.SessionInfo.Status != mem.Completed {
		later := mem.Job{Kind: event.JobTranscript, Session: m.Session, Key: whenIdle, Data: job.Data, NotBefore: due}
		return mem.Batch{Jobs: []mem.Job{later}}, nil
	}
	var b mem.Batch
	if job.Key == KeyIndex { // what was just said may still be on its way
		b.Jobs = []mem.Job{
			{
				Kind:      event.JobTranscript,
				Session:   m.Session,
				Key:       whenIdle,
				Data:      job.Data,
				NotBefore: s.Now().Add(2 * lostAfter),
			},
		}
	}
	if job.Key == whenIdle && m.SessionInfo.Status != mem.Completed {
		b.Jobs = append(b.Jobs, event.ConsolidateLater(m.Session, m.SessionInfo.LastEvent.Add(event.SilentFor)))
	}
	_, err := s.IndexUtterances(ctx, m)
	return b, err
}

// ArchiveTranscript archives the session's transcript.
func (s *Service) ArchiveTranscript(ctx context.Context, m *event.Context) (mem.TranscriptImport, error) {
	j, err := s.newTakePolicy(ctx, m)
	if err != nil {
		return mem.TranscriptImport{}, err
	}
	var answers []mem.ArchivedUtterance
	taken, err := s.Archive.Take(ctx, m.SessionInfo, m.SessionInfo.Transcript,
		func(spoken *mem.ArchivedUtterance) mem.Verdict {
			v := j.verdict(ctx, spoken)
			if v == mem.Keep && spoken.Who == "assistant" {
				answers = append(answers, *spoken)
			}
			return v
		})
	if err = errors.Join(err, j.err); err != nil {
		return taken, fmt.Errorf("take in transcript: %w", err)
	}
	s.Event.LogDegraded("uses", s.countCitations(ctx, m, answers))
	return taken, nil
}

// takePolicy decides what of a transcript may be archived: only what was said in
// captured turns while capture was on. It leaves out paused, private and purged
// parts, and the session that this one was forked from.
type takePolicy struct {
	e          *Service
	m          *event.Context
	list       []mem.Turn // newest first
	turns      map[string]mem.Turn
	newest     mem.Turn
	lastReport map[string]time.Time // of the last report of a turn
	after      time.Time            // what was said before is erased, or too old to be kept
	err        error
}

func (s *Service) newTakePolicy(ctx context.Context, m *event.Context) (*takePolicy, error) {
	list, err := s.Store.Turns(ctx, m.Session, event.WholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	j := &takePolicy{e: s, m: m, list: list, turns: map[string]mem.Turn{}, lastReport: map[string]time.Time{}}
	for _, t := range list {
		j.turns[t.PromptID] = t
	}
	if len(list) > 0 {
		j.newest = list[0]
	}
	if j.after, err = s.Store.ErasedUntil(ctx, m.Session); err != nil {
		return nil, err
	}
	if before, ok := s.Event.KeptSince(); ok && before.After(j.after) {
		j.after = before
	}
	return j, nil
}

// verdict is the judgement on one thing said. Its turn and its time are filled in. A
// session may be erased while it is taken in, so that is asked of each.
func (j *takePolicy) verdict(ctx context.Context, s *mem.ArchivedUtterance) mem.Verdict {
	v := j.verdictByTurn(ctx, s)
	if v != mem.Keep {
		return v
	}
	until, err := j.e.Store.ErasedUntil(ctx, j.m.Session)
	switch {
	case err != nil:
		j.err = err
		return mem.Defer
	case !s.At.After(until):
		return mem.Skip
	}
	return v
}

// verdictByTurn decides by the stored turn of the utterance.
func (j *takePolicy) verdictByTurn(ctx context.Context, s *mem.ArchivedUtterance) mem.Verdict {
	t, known := j.turnOf(s)
	if s.At.IsZero() {
		s.At = t.At
	}
	switch {
	case !known && s.At.After(j.newest.At):
		return mem.Defer // its prompt may be on its way
	case !known, t.Private, t.Text == event.OwnCommand, !s.At.After(j.after):
		return mem.Skip
	case s.Who == "user" && t.Number > 0:
		return mem.Keep
	case s.Who == "user" && t.PromptID == j.newest.PromptID:
		return mem.Defer
	case s.Who == "user", s.At.Before(t.At.Add(-clockSlack)): // of the turn only the rest was captured
		return mem.Skip
	}
	return j.verdictByTime(ctx, *s, t)
}

// turnOf finds the turn of an utterance: by its prompt ID, else by the prompt's text.
func (j *takePolicy) turnOf(s *mem.ArchivedUtterance) (mem.Turn, bool) {
	if s.PromptID != "" || s.Who != "user" {
		t, ok := j.turns[s.PromptID]
		return t, ok && s.PromptID != ""
	}
	for _, t := range j.list {
		if t.Number > 0 && extract.SameWords(t.Text, s.Text) {
			s.PromptID = t.PromptID
			return t, true
		}
	}
	s.PromptID = "?" // and so are the answers to it
	return mem.Turn{}, false
}

// verdictByTime decides by the turn's last event whether capture was still on at the
// utterance's time.
func (j *takePolicy) verdictByTime(ctx context.Context, s mem.ArchivedUtterance, t mem.Turn) mem.Verdict {
	at, known := j.lastReport[t.PromptID]
	if !known {
		events, err := j.e.Store.Events(ctx, mem.EventQuery{Session: j.m.Session, PromptID: t.PromptID, Limit: 1})
		if err != nil {
			j.err = err
			return mem.Defer
		}
		if len(events) > 0 {
			at = events[0].At
		}
		j.lastReport[t.PromptID] = at
	}
	newest := t.PromptID == j.newest.PromptID
	if newest && j.m.SessionInfo.LastEvent.After(at) {
		at = j.m.SessionInfo.LastEvent
	}
	switch {
	case !s.At.After(at.Add(clockSlack)):
		return mem.Keep
	case newest:
		return mem.Defer
	}
	return mem.Skip
}

// clockSlack is how far the client's timestamps may differ from ours: later than the
// event of a turn's end, or earlier than the event of its prompt.
const clockSlack = 2 * time.Second
