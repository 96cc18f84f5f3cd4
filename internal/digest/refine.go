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
	// refineAfter is how long after a turn's end its words are all there.
	refineAfter = 3 * time.Second
	// refineTries is how often an answer that cannot be used is asked for again.
	refineTries = 2
	// refineWithin is the age at which a turn that still waits is left as it is.
	refineWithin = 7 * 24 * time.Hour
	// pausedFor is how long a pause without end keeps a turn waiting at a time.
	pausedFor = time.Hour
)

// errNoSpendStore is a store that cannot count what a model costs.
var errNoSpendStore = errors.New("this store cannot count what a model costs, so none is asked")

// RefineLater has the turn that ends, or a subagent's part of it, digested by a
// model, if there is one and it may see it.
func (s *Service) RefineLater(m *event.Context) {
	if s.Event.CurrentModel() == nil || !mayRefine(m) {
		return
	}
	m.Batch.Jobs = append(m.Batch.Jobs, mem.Job{
		Kind: event.JobRefine, Session: m.Session, Key: refineKey(m.PromptID, m.AgentID), NotBy: m.At.Add(refineAfter),
	})
}

// mayRefine reports whether the person's settings let a model see the turn.
func mayRefine(m *event.Context) bool {
	if m.PromptID == "" || m.Turn.Number == 0 || m.Turn.Private || m.Turn.Text == event.OwnCommand ||
		m.Turn.Trust < m.Settings.DigestTrust {
		return false
	}
	return !event.ExcludedProject(m) && !excludedFromModels(m)
}

// excludedFromModels reports whether no model may see the project.
func excludedFromModels(m *event.Context) bool {
	return slices.ContainsFunc(m.Settings.DigestExclude, m.IsProject)
}

func refineKey(promptID, agentID string) string {
	if agentID == "" {
		return promptID
	}
	return promptID + "/" + agentID
}

func splitRefineKey(key string) (promptID, agentID string) {
	promptID, agentID, _ = strings.Cut(key, "/")
	return promptID, agentID
}

// Refine does a job: it has a model digest a turn and puts what comes of it in the
// place of what the rules made. Whatever fails, that stays as it is.
func (s *Service) Refine(ctx context.Context, job mem.Job) (mem.Batch, error) {
	model := s.Event.CurrentModel()
	if model == nil {
		return mem.Batch{}, nil // switched off since
	}
	m, ok, err := s.turnOfJob(ctx, job)
	if err != nil || !ok || !mayRefine(m) {
		return mem.Batch{}, err
	}
	if b, waits, err := s.waitForPause(ctx, m, job); waits || err != nil {
		return b, err
	}
	r, ok, err := s.readTurn(ctx, m)
	if err != nil || !ok {
		return mem.Batch{}, err
	}
	erased, err := s.Event.ErasedUntil(ctx, m.Session)
	if err != nil {
		return mem.Batch{}, err
	}
	d, err := s.askModel(ctx, model, r.text())
	if err != nil {
		return s.retryOrGiveUp(job, err)
	}
	if again, err := s.Event.ErasedUntil(ctx, m.Session); err != nil || !again.Equal(erased) {
		return mem.Batch{}, errors.Join(err, errErasedMeanwhile)
	}
	// A model takes its time, and the person does not wait: what they did meanwhile counts.
	if m, ok, err = s.turnOfJob(ctx, job); err != nil || !ok || !mayRefine(m) {
		return mem.Batch{}, err
	}
	if r, ok, err = s.readTurn(ctx, m); err != nil || !ok {
		return mem.Batch{}, err
	}
	b, err := s.refinedBatch(ctx, m, r, d, model.Model(), job)
	if err == nil {
		b.Done, err = s.deadJobs(ctx, job)
	}
	return b, err
}

// errErasedMeanwhile is a digest of words that may be gone.
var errErasedMeanwhile = errors.New("something of the session was erased while the model was asked")

// turnOfJob finds the turn that a job is about; ok is false if it is gone or too
// old to be still waiting.
func (s *Service) turnOfJob(ctx context.Context, job mem.Job) (m *event.Context, ok bool, err error) {
	sess, err := s.Event.SessionOf(ctx, job.Session)
	if err != nil || sess.ID == "" || !job.Created.IsZero() && s.Now().Sub(job.Created) > refineWithin {
		return nil, false, err
	}
	promptID, agentID := splitRefineKey(job.Key)
	turns, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
	if err != nil {
		return nil, false, fmt.Errorf("turns: %w", err)
	}
	i := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.PromptID == promptID })
	if i < 0 {
		return nil, false, nil
	}
	return s.contextOfTurn(sess, turns[i], agentID), true, nil
}

// contextOfTurn is a turn of a session, or a subagent's part of it, as if it ended now.
// Nothing about it is looked up on the disk: where it took place may be gone.
func (s *Service) contextOfTurn(sess mem.Session, t mem.Turn, agentID string) *event.Context {
	return &event.Context{
		Event: mem.Event{
			Kind: mem.Stop, Agent: sess.Agent, Session: sess.ID, PromptID: t.PromptID, AgentID: agentID,
			At: s.Now(), Root: sess.Root, Cwd: sess.Cwd, Transcript: sess.Transcript,
		},
		Settings: s.Settings(), SessionInfo: sess, Turn: t,
		Project: mem.Project{Key: sess.Project, Name: sess.ProjectName, Root: sess.Root},
	}
}

// waitForPause says whether a job has to wait, while the person has paused, and if so
// what becomes of it.
func (s *Service) waitForPause(
	ctx context.Context,
	m *event.Context,
	job mem.Job,
) (b mem.Batch, waits bool, err error) {
	pauses, err := s.Store.Paused(ctx, s.Now())
	if err != nil {
		return b, false, fmt.Errorf("pauses: %w", err)
	}
	for _, p := range pauses {
		if p.InjectOnly || !p.Of(m.Project.Key, m.Session) {
			continue
		}
		until := p.Until
		if until.IsZero() {
			until = s.Now().Add(pausedFor)
		}
		return s.requeue(job, until), true, nil
	}
	return b, false, nil
}

// requeue is a job that was not tried: it comes back at a time as if it were new.
func (s *Service) requeue(job mem.Job, at time.Time) mem.Batch {
	job.ID, job.Error, job.Attempts, job.NotBy = "", "", 0, at
	return mem.Batch{Jobs: []mem.Job{job}}
}

// retryOrGiveUp says what becomes of a job that got no digest. Its session waits with
// it, and no other: the store leases no job of a session in which one rests.
func (s *Service) retryOrGiveUp(job mem.Job, cause error) (mem.Batch, error) {
	if full, ok := errors.AsType[limitReached](cause); ok {
		return s.requeue(job, full.until), nil
	}
	var later mem.Later
	isLater := errors.As(cause, &later)
	if later.Unasked { // another turn failed, not this one
		job.ID, job.Attempts = "", job.Attempts-1
		job.NotBy, job.Error = s.Now().Add(later.Wait), chars.Clip(cause.Error(), event.MaxErrorText)
		return mem.Batch{Jobs: []mem.Job{job}}, nil
	}
	var paid mem.Unusable
	if !isLater && errors.As(cause, &paid) && job.Attempts >= refineTries || errors.Is(cause, mem.ErrTooMuch) {
		job.ID, job.Error, job.Dead = "", chars.Clip(cause.Error(), event.MaxErrorText), true
		return mem.Batch{Jobs: []mem.Job{job}}, nil // asking again would cost as much and give as little
	}
	return mem.Batch{}, cause
}

// deadJobs are the jobs about the same turns that were given up before.
func (s *Service) deadJobs(ctx context.Context, jobs ...mem.Job) ([]string, error) {
	st, ok := s.Store.(mem.LaneLeaser)
	if !ok {
		return nil, nil
	}
	all, err := st.JobsOf(ctx, event.JobRefine, maxJobs)
	if err != nil {
		return nil, fmt.Errorf("given up: %w", err)
	}
	about := map[[2]string]bool{}
	for _, j := range jobs {
		about[[2]string{j.Session, j.Key}] = true
	}
	var out []string
	for _, j := range all {
		if j.Dead && about[[2]string{j.Session, j.Key}] {
			out = append(out, j.ID)
		}
	}
	return out, nil
}

// maxJobs is more jobs than are looked at.
const maxJobs = 10_000
