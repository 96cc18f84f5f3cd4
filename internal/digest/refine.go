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

// errNoLedger is a store that cannot count what a model costs.
var errNoLedger = errors.New("this store cannot count what a model costs, so none is asked")

// refineLater has the turn that ends, or a subagent's part of it, digested by a
// model, if there is one and it may see it.
func (e *Service) RefineLater(m *event.Context) {
	if e.Event.CurrentModel() == nil || !mayRefine(m) {
		return
	}
	m.Batch.Jobs = append(m.Batch.Jobs, mem.Job{
		Kind: event.JobRefine, Session: m.Session, Key: refineKey(m.PromptID, m.AgentID), NotBy: m.At.Add(refineAfter),
	})
}

// mayRefine reports whether the person's settings let a model see the turn.
func mayRefine(m *event.Context) bool {
	if m.PromptID == "" || m.Turn.Number == 0 || m.Turn.Private || m.Turn.Text == event.OwnCommand || m.Turn.Trust < m.Settings.DigestTrust {
		return false
	}
	return !event.ExcludedProject(m) && !keptFromModels(m)
}

// keptFromModels reports whether no model may see the project.
func keptFromModels(m *event.Context) bool {
	return slices.ContainsFunc(m.Settings.DigestExclude, m.IsProject)
}

func refineKey(promptID, agentID string) string {
	if agentID == "" {
		return promptID
	}
	return promptID + "/" + agentID
}

func cutKey(key string) (promptID, agentID string) {
	promptID, agentID, _ = strings.Cut(key, "/")
	return promptID, agentID
}

// refine does a job: it has a model digest a turn and puts what comes of it in the
// place of what the rules made. Whatever fails, that stays as it is.
func (e *Service) Refine(ctx context.Context, job mem.Job) (mem.Batch, error) {
	model := e.Event.CurrentModel()
	if model == nil {
		return mem.Batch{}, nil // switched off since
	}
	m, ok, err := e.turnOfJob(ctx, job)
	if err != nil || !ok || !mayRefine(m) {
		return mem.Batch{}, err
	}
	if b, waits, err := e.heldBack(ctx, m, job); waits || err != nil {
		return b, err
	}
	r, ok, err := e.recordOf(ctx, m)
	if err != nil || !ok {
		return mem.Batch{}, err
	}
	erased, err := e.Event.ErasedUntil(ctx, m.Session)
	if err != nil {
		return mem.Batch{}, err
	}
	d, err := e.askModel(ctx, model, r.text())
	if err != nil {
		return e.refineAgain(job, err)
	}
	if again, err := e.Event.ErasedUntil(ctx, m.Session); err != nil || !again.Equal(erased) {
		return mem.Batch{}, errors.Join(err, errErasedMeanwhile)
	}
	// A model takes its time, and the person does not wait: what they did meanwhile counts.
	if m, ok, err = e.turnOfJob(ctx, job); err != nil || !ok || !mayRefine(m) {
		return mem.Batch{}, err
	}
	if r, ok, err = e.recordOf(ctx, m); err != nil || !ok {
		return mem.Batch{}, err
	}
	b, err := e.refined(ctx, m, r, d, model.Model(), job)
	if err == nil {
		b.Done, err = e.givenUp(ctx, job)
	}
	return b, err
}

// errErasedMeanwhile is a digest of words that may be gone.
var errErasedMeanwhile = errors.New("something of the session was erased while the model was asked")

// turnOfJob finds the turn that a job is about; ok is false if it is gone or too
// old to be still waiting.
func (e *Service) turnOfJob(ctx context.Context, job mem.Job) (m *event.Context, ok bool, err error) {
	s, err := e.Event.SessionOf(ctx, job.Session)
	if err != nil || s.ID == "" || !job.Created.IsZero() && e.Now().Sub(job.Created) > refineWithin {
		return nil, false, err
	}
	promptID, agentID := cutKey(job.Key)
	turns, err := e.Store.Turns(ctx, s.ID, event.WholeSession)
	if err != nil {
		return nil, false, fmt.Errorf("turns: %w", err)
	}
	i := slices.IndexFunc(turns, func(t mem.Turn) bool { return t.PromptID == promptID })
	if i < 0 {
		return nil, false, nil
	}
	return e.ofTurn(s, turns[i], agentID), true, nil
}

// ofTurn is a turn of a session, or a subagent's part of it, as if it ended now.
// Nothing about it is looked up on the disk: where it took place may be gone.
func (e *Service) ofTurn(s mem.Session, t mem.Turn, agentID string) *event.Context {
	return &event.Context{
		Event: mem.Event{
			Kind: mem.Stop, Agent: s.Agent, Session: s.ID, PromptID: t.PromptID, AgentID: agentID,
			At: e.Now(), Root: s.Root, Cwd: s.Cwd, Transcript: s.Transcript,
		},
		Settings: e.Settings(), SessionInfo: s, Turn: t,
		Project: mem.Project{Key: s.Project, Name: s.ProjectName, Root: s.Root},
	}
}

// heldBack says whether a job has to wait, while the person has paused, and if so
// what becomes of it.
func (e *Service) heldBack(ctx context.Context, m *event.Context, job mem.Job) (b mem.Batch, waits bool, err error) {
	pauses, err := e.Store.Paused(ctx, e.Now())
	if err != nil {
		return b, false, fmt.Errorf("pauses: %w", err)
	}
	for _, p := range pauses {
		if p.InjectOnly || !p.Of(m.Project.Key, m.Session) {
			continue
		}
		until := p.Until
		if until.IsZero() {
			until = e.Now().Add(pausedFor)
		}
		return e.later(job, until), true, nil
	}
	return b, false, nil
}

// later is a job that was not tried: it comes back at a time as if it were new.
func (e *Service) later(job mem.Job, at time.Time) mem.Batch {
	job.ID, job.Error, job.Attempts, job.NotBy = "", "", 0, at
	return mem.Batch{Jobs: []mem.Job{job}}
}

// refineAgain says what becomes of a job that got no digest. Its session waits with
// it, and no other: the store leases no job of a session in which one rests.
func (e *Service) refineAgain(job mem.Job, cause error) (mem.Batch, error) {
	if full, ok := errors.AsType[capReached](cause); ok {
		return e.later(job, full.until), nil
	}
	var later mem.Later
	isLater := errors.As(cause, &later)
	if later.Unasked { // another turn failed, not this one
		job.ID, job.Attempts = "", job.Attempts-1
		job.NotBy, job.Error = e.Now().Add(later.Wait), chars.Clip(cause.Error(), event.MaxErrorText)
		return mem.Batch{Jobs: []mem.Job{job}}, nil
	}
	var paid mem.Unusable
	if !isLater && errors.As(cause, &paid) && job.Attempts >= refineTries || errors.Is(cause, mem.ErrTooMuch) {
		job.ID, job.Error, job.Dead = "", chars.Clip(cause.Error(), event.MaxErrorText), true
		return mem.Batch{Jobs: []mem.Job{job}}, nil // asking again would cost as much and give as little
	}
	return mem.Batch{}, cause
}

// givenUp are the jobs about the same turns that were given up before.
func (e *Service) givenUp(ctx context.Context, jobs ...mem.Job) ([]string, error) {
	st, ok := e.Store.(mem.LaneLeaser)
	if !ok {
		return nil, nil
	}
	all, err := st.JobsOf(ctx, event.JobRefine, manyJobs)
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

// manyJobs is more jobs than are looked at.
const manyJobs = 10_000
