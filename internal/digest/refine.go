package digest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

const (
	// refineAfter is the delay after a turn's end until its transcript is complete.
	refineAfter = 3 * time.Second
	// refineTries is how often a model is called again after an unusable answer.
	refineTries = 2
	// refineWithin is the age of a waiting job from which it is dropped.
	refineWithin = 7 * 24 * time.Hour
	// pausedFor is the delay of a job during a pause without an end.
	pausedFor = time.Hour
)

// RefineLater queues a job that digests the ended turn, or a subagent's part of it,
// with a model. It queues nothing if there is no model or it may not see the turn.
func (s *Service) RefineLater(ec event.Context) event.Changes {
	if s.Event.CurrentModel() == nil || !mayRefine(ec) {
		return event.Changes{}
	}
	return event.Changes{Jobs: []mem.Job{{
		Kind: event.JobRefine, Session: ec.Session, Key: refineKey(ec.PromptID, ec.AgentID),
		NotBefore: ec.At.Add(refineAfter),
	}}}
}

// mayRefine reports whether the person's settings let a model see the turn.
func mayRefine(ec event.Context) bool {
	if ec.PromptID == "" || ec.Turn.Number == 0 || ec.Turn.Private || ec.Turn.Text == event.OwnCommand ||
		ec.Turn.Trust < ec.Settings.DigestTrust {
		return false
	}
	return !ec.ProjectIn(ec.Settings.ExcludeProjects) && !ec.ProjectIn(ec.Settings.DigestExclude)
}

// refineKey returns the key of the job for a turn, or for a subagent's part of it.
func refineKey(promptID, agentID string) string {
	if agentID == "" {
		return promptID
	}
	return promptID + "/" + agentID
}

// Refine runs one job: a model digests a turn, and its memories replace those that
// the rules made. On any failure the memories of the rules stay unchanged.
func (s *Service) Refine(ctx context.Context, job mem.Job) (mem.Batch, error) {
	model := s.Event.CurrentModel()
	if model == nil {
		return mem.Batch{}, nil // it was switched off meanwhile
	}
	ec, ok, err := s.turnOfJob(ctx, job)
	if err != nil || !ok || !mayRefine(ec) {
		return mem.Batch{}, err
	}
	if b, waits, err := s.waitForPause(ctx, ec, job); waits || err != nil {
		return b, err
	}
	r, ok, err := s.readTurn(ctx, ec)
	if err != nil || !ok {
		return mem.Batch{}, err
	}
	erased, err := s.Store.ErasedUntil(ctx, ec.Session)
	if err != nil {
		return mem.Batch{}, err
	}
	d, err := s.askModel(ctx, model, r.text())
	if err != nil {
		return s.retryOrGiveUp(job, err)
	}
	if again, err := s.Store.ErasedUntil(ctx, ec.Session); err != nil || !again.Equal(erased) {
		return mem.Batch{}, errors.Join(err, errErasedMeanwhile)
	}
	// The model call is slow: read the turn again, as it may have changed meanwhile.
	if ec, ok, err = s.turnOfJob(ctx, job); err != nil || !ok || !mayRefine(ec) {
		return mem.Batch{}, err
	}
	if r, ok, err = s.readTurn(ctx, ec); err != nil || !ok {
		return mem.Batch{}, err
	}
	b, err := s.refinedBatch(ctx, ec, r, d, model.Model(), job)
	if err == nil {
		b.FinishedJobs, err = s.deadJobs(ctx, job)
	}
	return b, err
}

// errErasedMeanwhile is returned if a purge happened during the model call.
var errErasedMeanwhile = errors.New("part of the session was purged during the call of the model")

// turnOfJob finds the turn that a job is about; ok is false if it is gone or too
// old to be still waiting.
func (s *Service) turnOfJob(ctx context.Context, job mem.Job) (ec event.Context, ok bool, err error) {
	sess, err := s.Event.SessionOf(ctx, job.Session)
	if err != nil || sess.ID == "" || !job.Created.IsZero() && s.Now().Sub(job.Created) > refineWithin {
		return ec, false, err
	}
	promptID, agentID, _ := strings.Cut(job.Key, "/") // see refineKey
	turns, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
	if err != nil {
		return ec, false, fmt.Errorf("turns: %w", err)
	}
	i := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.PromptID == promptID })
	if i < 0 {
		return ec, false, nil
	}
	return s.contextOfTurn(sess, turns[i], agentID), true, nil
}

// contextOfTurn returns the event context of a stored turn, or of a subagent's part
// of it, as if it ended now. It reads no files: the project may be deleted.
func (s *Service) contextOfTurn(sess mem.Session, t mem.Turn, agentID string) event.Context {
	return event.Context{
		Event: mem.Event{
			Kind: mem.Stop, Agent: sess.Agent, Session: sess.ID, PromptID: t.PromptID, AgentID: agentID,
			At: s.Now(), Root: sess.Root, Cwd: sess.Cwd, Transcript: sess.Transcript,
		},
		Settings: s.Settings(), SessionInfo: sess, Turn: t,
		Project: mem.Project{Key: sess.Project, Name: sess.ProjectName, Root: sess.Root},
	}
}

// waitForPause returns, while capture is paused, a batch that delays the job.
func (s *Service) waitForPause(
	ctx context.Context, ec event.Context, job mem.Job,
) (b mem.Batch, waits bool, err error) {
	pauses, err := s.Store.Paused(ctx, s.Now())
	if err != nil {
		return b, false, fmt.Errorf("pauses: %w", err)
	}
	for _, p := range pauses {
		if p.InjectOnly || !p.Of(ec.Project.Key, ec.Session) {
			continue
		}
		until := p.Until
		if until.IsZero() {
			until = s.Now().Add(pausedFor)
		}
		return requeue(job, until), true, nil
	}
	return b, false, nil
}

// requeue returns a batch that queues the job anew at a time, with no attempt counted.
func requeue(job mem.Job, at time.Time) mem.Batch {
	job.ID, job.Error, job.Attempts, job.NotBefore = "", "", 0, at
	return mem.Batch{Jobs: []mem.Job{job}}
}

// retryOrGiveUp decides what happens to a job whose model call failed. Only the jobs
// of the same session wait: the store leases none while one of them is delayed.
func (s *Service) retryOrGiveUp(job mem.Job, cause error) (mem.Batch, error) {
	if full, ok := errors.AsType[limitReached](cause); ok {
		return requeue(job, full.until), nil
	}
	var later mem.RetryLater
	isLater := errors.As(cause, &later)
	if later.NotSent { // another turn failed, not this one
		job.ID, job.Attempts = "", job.Attempts-1
		job.NotBefore, job.Error = s.Now().Add(later.Wait), chars.Clip(cause.Error(), event.MaxErrorText)
		return mem.Batch{Jobs: []mem.Job{job}}, nil
	}
	var paid mem.UnusableAnswer
	if !isLater && errors.As(cause, &paid) && job.Attempts >= refineTries || errors.Is(cause, mem.ErrTextTooLong) {
		job.ID, job.Error, job.Dead = "", chars.Clip(cause.Error(), event.MaxErrorText), true
		return mem.Batch{Jobs: []mem.Job{job}}, nil // another call would cost the same and fail again
	}
	return mem.Batch{}, cause
}

// deadJobs returns the IDs of dead jobs for the same turns.
func (s *Service) deadJobs(ctx context.Context, jobs ...mem.Job) ([]string, error) {
	all, err := s.Store.Jobs(ctx, event.JobRefine, maxJobs)
	if err != nil {
		return nil, fmt.Errorf("dead jobs: %w", err)
	}
	turns := map[[2]string]bool{}
	for _, j := range jobs {
		turns[[2]string{j.Session, j.Key}] = true
	}
	var out []string
	for _, j := range all {
		if j.Dead && turns[[2]string{j.Session, j.Key}] {
			out = append(out, j.ID)
		}
	}
	return out, nil
}

// maxJobs bounds how many jobs one query reads.
const maxJobs = 10_000
