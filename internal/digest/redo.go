package digest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// Request asks for the status of the digest by a model. With Redo it also digests turns
// again: those of Session, else those since Since, else those of the newest session.
type Request struct {
	mem.ProjectRef
	Redo    bool      `json:"redo,omitempty"`
	Session string    `json:"session,omitempty"` // ID or unique prefix
	Since   time.Time `json:"since,omitzero"`    // of all sessions of the project
	DryRun  bool      `json:"dry_run,omitempty"` // only count the turns and their cost
}

// ErrNoModel is returned when a request needs a language model and none is configured.
var ErrNoModel = errors.New("no model is set up")

// Status returns the status of the digest by a model, and with Redo queues turns to be
// digested again. Redo returns ErrNoModel if no model is configured.
func (s *Service) Status(ctx context.Context, req Request) (event.Digesting, error) {
	d, err := s.status(ctx)
	if err != nil || !req.Redo {
		return d, err
	}
	model := s.Event.CurrentModel()
	if model == nil {
		return d, fmt.Errorf("digest again: %w", ErrNoModel)
	}
	jobs, err := s.redoJobs(ctx, model, req, &d)
	if err != nil || d.Refused || req.DryRun || len(jobs) == 0 {
		return d, err
	}
	dead, err := s.deadJobs(ctx, jobs...)
	if err != nil {
		return d, err
	}
	if _, err := s.Store.Apply(ctx, mem.Batch{Jobs: jobs, FinishedJobs: dead}); err != nil {
		return d, fmt.Errorf("digest again: %w", err)
	}
	d.Waiting, d.GivenUp = d.Waiting+len(jobs), d.GivenUp-len(dead)
	return d, nil
}

// status reads today's spending and the waiting jobs from the store.
func (s *Service) status(ctx context.Context) (d event.Digesting, err error) {
	d.Limit = s.Settings().DigestTokens
	if d.Today, err = s.Store.Spent(ctx, s.day()); err != nil {
		return d, fmt.Errorf("spending: %w", err)
	}
	jobs, err := s.Store.Jobs(ctx, event.JobRefine, maxJobs)
	if err != nil {
		return d, fmt.Errorf("waiting jobs: %w", err)
	}
	for _, j := range jobs {
		if j.Dead {
			d.GivenUp++
			continue
		}
		d.Waiting++
		if d.Next == "" {
			d.Next = j.Error
		}
	}
	return d, nil
}

// redoJobs returns a job for each turn to digest again, and adds their cost to d.
func (s *Service) redoJobs(
	ctx context.Context, model event.Summarizer, req Request, d *event.Digesting,
) ([]mem.Job, error) {
	sessions, err := s.redoSessions(ctx, req)
	if err != nil {
		return nil, err
	}
	var jobs []mem.Job
	for _, sess := range sessions {
		turns, err := s.Store.Turns(ctx, sess.ID, event.WholeSession)
		if err != nil {
			return nil, fmt.Errorf("turns: %w", err)
		}
		for i := len(turns) - 1; i >= 0; i-- {
			ec := s.contextOfTurn(sess, turns[i], "")
			if turns[i].At.Before(req.Since) || !mayRefine(ec) {
				continue
			}
			r, ok, err := s.readTurn(ctx, ec)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			cost := model.Cost(headAndTail(r.text(), MaxModelText))
			if d.Turns == 0 && cost > d.Limit-d.Today.Tokens {
				d.Refused = true
			}
			d.Turns, d.Tokens = d.Turns+1, d.Tokens+cost
			jobs = append(jobs, mem.Job{Kind: event.JobRefine, Session: sess.ID, Key: refineKey(ec.PromptID, "")})
		}
	}
	return jobs, nil
}

func (s *Service) redoSessions(ctx context.Context, req Request) ([]mem.Session, error) {
	if req.Session != "" {
		sess, err := s.Store.Session(ctx, req.Session)
		if err != nil {
			return nil, err
		}
		return []mem.Session{sess}, nil
	}
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return nil, err
	}
	q := mem.SessionQuery{Project: p.Key, Limit: 1}
	if !req.Since.IsZero() {
		q.Limit = event.WholeSession
	}
	list, err := s.Store.Sessions(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	var out []mem.Session
	for i := len(list) - 1; i >= 0; i-- { // oldest first
		if !list[i].LastEvent.Before(req.Since) {
			out = append(out, list[i])
		}
	}
	return out, nil
}
