package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"remanence/internal/mem"
)

// Archive keeps what was said in sessions, redacted, outside the store.
type Archive interface {
	// Take takes in what a transcript says of a session since the last time, each
	// thing once. judge is asked for each, in order, and may fill in its turn and
	// its time; where it wants to be asked again the rest is left for then. A
	// transcript that is not there says nothing.
	Take(ctx context.Context, s mem.Session, transcript string, judge func(*mem.Spoken) mem.Verdict) (mem.Taken, error)
	// Said gives out what is kept of a session, oldest first, some at a time: what
	// was said after the one of an id, all if it is not there. What it gives out
	// is not taken away before give returns.
	Said(ctx context.Context, s mem.Session, after string, give func([]mem.Spoken) error) error
	// Each gives out what is kept of all sessions and changes nothing.
	Each(ctx context.Context, give func(mem.Spoken)) error
	// Rewrite keeps what change makes of each thing said in a session, or in all
	// without one, and nothing of it where change says no.
	Rewrite(ctx context.Context, session string, change func(mem.Spoken) (mem.Spoken, bool)) error
}

// JobTranscript is the kind of job that takes in what a transcript says. One of
// each of the following keys waits in a session.
const JobTranscript = "transcript"

const (
	takeWords  = "take"  // into the archive; a job for when the session is idle follows
	indexWords = "index" // and into the store, where it is found
	whenIdle   = "idle"  // likewise, once the session has been silent for idleAfter
)

// idleAfter is the silence after which a session's words are indexed.
const idleAfter = 10 * time.Minute

// takeLater has the words of the session taken in when they are there.
func (e *Engine) takeLater(m *moment, key string) {
	if e.Archive == nil || !m.person() || !ownTranscript(m.Event) {
		return
	}
	m.batch.Jobs = append(m.batch.Jobs, mem.Job{Kind: JobTranscript, Session: m.Session, Key: key, Data: jobData(m), NotBy: m.At.Add(transcriptLag)})
}

// takeEvery is after how many prompts of a session its words are taken in even
// if no turn ended as it should.
const takeEvery = 10

// takeIn finds again what was not reported, takes in what the session's
// transcript says, and indexes it where the job asks for that.
func (e *Engine) takeIn(ctx context.Context, m *moment, job mem.Job) (mem.Batch, error) {
	if e.Archive == nil || m.session.ID == "" || !ownTranscript(m.Event) { // or it was erased meanwhile
		return mem.Batch{}, nil
	}
	m.session.Transcript = m.Transcript
	if _, err := e.reconcile(ctx, m.session); err != nil {
		return mem.Batch{}, err
	}
	if _, err := e.takeSaid(ctx, m); err != nil {
		return mem.Batch{}, err
	}
	due := m.session.LastEvent.Add(idleAfter)
	if job.Key == takeWords || job.Key == whenIdle && due.After(e.Now()) && m.session.Status != mem.Completed {
		later := mem.Job{Kind: JobTranscript, Session: m.Session, Key: whenIdle, Data: job.Data, NotBy: due}
		return mem.Batch{Jobs: []mem.Job{later}}, nil
	}
	var b mem.Batch
	if job.Key == indexWords { // what was just said may still be on its way
		b.Jobs = []mem.Job{{Kind: JobTranscript, Session: m.Session, Key: whenIdle, Data: job.Data, NotBy: e.Now().Add(2 * lossAfter)}}
	}
	if job.Key == whenIdle && m.session.Status != mem.Completed {
		b.Jobs = append(b.Jobs, consolidateLater(m.Session, m.session.LastEvent.Add(silentFor)))
	}
	_, err := e.indexSaid(ctx, m)
	return b, err
}

// takeSaid takes what the session's transcript says into the archive.
func (e *Engine) takeSaid(ctx context.Context, m *moment) (mem.Taken, error) {
	j, err := e.newJudge(ctx, m)
	if err != nil {
		return mem.Taken{}, err
	}
	var answers []mem.Spoken
	taken, err := e.Archive.Take(ctx, m.session, m.session.Transcript, func(s *mem.Spoken) mem.Verdict {
		v := j.of(ctx, s)
		if v == mem.TakeIn && s.Who == "assistant" {
			answers = append(answers, *s)
		}
		return v
	})
	if err = errors.Join(err, j.err); err != nil {
		return taken, fmt.Errorf("take in transcript: %w", err)
	}
	e.without("uses", e.citedIn(ctx, m, answers))
	return taken, nil
}

// judge says what of a session's transcript may be kept: what was said in turns
// that were captured, while they were. So nothing of what the person paused for,
// kept private or erased comes in by this door, and nothing of another session
// that this one was forked from.
type judge struct {
	e      *Engine
	m      *moment
	list   []mem.Turn // newest first
	turns  map[string]mem.Turn
	newest mem.Turn
	heard  map[string]time.Time // of the last report of a turn
	after  time.Time            // what was said before is erased, or too old to be kept
	err    error
}

func (e *Engine) newJudge(ctx context.Context, m *moment) (*judge, error) {
	list, err := e.Store.Turns(ctx, m.Session, wholeSession)
	if err != nil {
		return nil, fmt.Errorf("turns: %w", err)
	}
	j := &judge{e: e, m: m, list: list, turns: map[string]mem.Turn{}, heard: map[string]time.Time{}}
	for _, t := range list {
		j.turns[t.PromptID] = t
	}
	if len(list) > 0 {
		j.newest = list[0]
	}
	if j.after, err = e.erasedUntil(ctx, m.Session); err != nil {
		return nil, err
	}
	if before, ok := e.KeptSince(); ok && before.After(j.after) {
		j.after = before
	}
	return j, nil
}

// of is the judgement on one thing said. Its turn and its time are filled in. A
// session may be erased while it is taken in, so that is asked of each.
func (j *judge) of(ctx context.Context, s *mem.Spoken) mem.Verdict {
	v := j.heardOf(ctx, s)
	if v != mem.TakeIn {
		return v
	}
	until, err := j.e.erasedUntil(ctx, j.m.Session)
	switch {
	case err != nil:
		j.err = err
		return mem.AskAgain
	case !s.At.After(until):
		return mem.LeaveOut
	}
	return v
}

// heardOf is the judgement by what was reported.
func (j *judge) heardOf(ctx context.Context, s *mem.Spoken) mem.Verdict {
	t, known := j.turnOf(s)
	if s.At.IsZero() {
		s.At = t.At
	}
	switch {
	case !known && s.At.After(j.newest.At):
		return mem.AskAgain // its prompt may be on its way
	case !known, t.Private, t.Text == ownCommand, !s.At.After(j.after):
		return mem.LeaveOut
	case s.Who == "user" && t.Number > 0:
		return mem.TakeIn
	case s.Who == "user" && t.PromptID == j.newest.PromptID:
		return mem.AskAgain
	case s.Who == "user", s.At.Before(t.At.Add(-clockSlack)): // of the turn only the rest was captured
		return mem.LeaveOut
	}
	return j.captured(ctx, *s, t)
}

// turnOf finds the turn of something said. A client that numbers no turns has
// them told by the words of their prompts.
func (j *judge) turnOf(s *mem.Spoken) (mem.Turn, bool) {
	if s.PromptID != "" || s.Who != "user" {
		t, ok := j.turns[s.PromptID]
		return t, ok && s.PromptID != ""
	}
	for _, t := range j.list {
		if t.Number > 0 && sameWords(t.Text, s.Text) {
			s.PromptID = t.PromptID
			return t, true
		}
	}
	s.PromptID = "?" // and so are the answers to it
	return mem.Turn{}, false
}

// sameWords compares prompts by their beginnings: long ones are cut differently.
func sameWords(a, b string) bool {
	const enough = 1000 // characters
	a, b = mem.Line(a), mem.Line(b)
	return a != "" && (a == b || len(a) > enough && strings.HasPrefix(b, a[:enough]))
}

// captured tells by what was reported of the turn whether it was captured still
// when something was said.
func (j *judge) captured(ctx context.Context, s mem.Spoken, t mem.Turn) mem.Verdict {
	at, known := j.heard[t.PromptID]
	if !known {
		events, err := j.e.Store.Events(ctx, mem.EventQuery{Session: j.m.Session, PromptID: t.PromptID, Limit: 1})
		if err != nil {
			j.err = err
			return mem.AskAgain
		}
		if len(events) > 0 {
			at = events[0].At
		}
		j.heard[t.PromptID] = at
	}
	newest := t.PromptID == j.newest.PromptID
	if newest && j.m.session.LastEvent.After(at) {
		at = j.m.session.LastEvent
	}
	switch {
	case !s.At.After(at.Add(clockSlack)):
		return mem.TakeIn
	case newest:
		return mem.AskAgain
	}
	return mem.LeaveOut
}

// clockSlack is how much later than the report of a turn's end the client may
// date its last words, and how much earlier than the report of its prompt the first.
const clockSlack = 2 * time.Second
