package capture

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/extract"
	"remanence/internal/mem"
)

// backfillStep is how long one job reads before the next one continues after it. Between two the queue pauses for a
// second, in which nothing is read.
const backfillStep = 5 * time.Second

// maxBackfillJobs is more jobs than there are: the one that runs, the next, and a finished one.
const maxBackfillJobs = 10

// stopWithin is how long an order to stop waits for the job that runs.
const stopWithin = 15 * time.Second

// resultFor is how long the result of a backfill can be read after its end.
const resultFor = time.Minute

// BackfillRequest asks to read in the sessions of an agent's transcripts.
type BackfillRequest struct {
	Folder  string    `json:"folder"`            // with a folder for each of Claude Code's projects
	Home    string    `json:"home,omitempty"`    // below which other clients keep their transcripts
	Project string    `json:"project,omitempty"` // key, name or directory; empty means all
	Since   time.Time `json:"since,omitzero"`    // only sessions that ended at or after
	Limit   int       `json:"limit,omitempty"`   // only so many that are unread, the last ones; 0 means all
	DryRun  bool      `json:"dry_run,omitempty"`
	Stop    bool      `json:"stop,omitempty"`  // ends a running backfill; what was read stays
	Undo    bool      `json:"undo,omitempty"`  // also hides the memories that were read in
	Agent   string    `json:"agent,omitempty"` // session of the agent that asks; an agent may not undo
}

// ErrNoTranscripts means that no session of the requested project was found.
var ErrNoTranscripts = errors.New("no such project: no transcript is of it")

// ErrNotListed means that the folder of the agent's transcripts could not be read.
var ErrNotListed = errors.New("the agent's transcripts cannot be listed")

// ErrNoSelection means that a request to stop or to undo a backfill also selects what to read, or is a dry run.
var ErrNoSelection = errors.New("stop and undo take no dry run, time or limit")

// ErrStillReading means that a stopped backfill had not ended in time: a part of a session is still written.
var ErrStillReading = errors.New("a session is still being read")

// errStopped ends the work on a backfill that was stopped.
var errStopped = errors.New("backfill stopped")

// backfillOrder is the data of a job: what to read, and how far it was read.
type backfillOrder struct {
	BackfillRequest
	event.Backfill
	LastEnded   time.Time `json:"last_ended,omitzero"` // of the session that was read last
	LastSession string    `json:"last_session,omitempty"`
}

// Backfill queues the sessions of a request, the last ones first, or only counts them. While another backfill runs
// it returns that one.
func (s *Service) Backfill(ctx context.Context, req BackfillRequest) (event.Backfill, error) {
	if running, err := s.BackfillStatus(ctx); err != nil || running.Running && !req.DryRun {
		running.Already = running.Running
		return running, err
	}
	all, err := s.ListTranscripts(ctx, req.Folder, req.Home)
	if err != nil {
		return event.Backfill{}, fmt.Errorf("%w: %w", ErrNotListed, err)
	}
	files, projects, err := selected(ctx, s.Event, req, all)
	if err != nil {
		return event.Backfill{}, err
	}
	out := event.Backfill{Sessions: len(files), Projects: len(projects), ByProject: projects, Failed: []string{}}
	for _, f := range files {
		out.Bytes += f.Bytes
		if out.From.IsZero() || f.Began.Before(out.From) {
			out.From = f.Began
		}
		if f.Ended.After(out.To) {
			out.To = f.Ended
		}
		sess, err := s.Event.SessionOf(ctx, f.Session)
		if err != nil {
			return out, err
		}
		if sess.ID != "" {
			out.Known++
		}
	}
	if req.DryRun || len(files) == 0 {
		return out, nil
	}
	if err := s.finishBackfills(ctx); err != nil { // one that was given up would be shown again
		return out, err
	}
	out.Running, out.Started = true, s.Now()
	queued := out
	queued.ByProject = nil // for the answer alone
	first := backfillJob(backfillOrder{BackfillRequest: req, Backfill: queued})
	_, err = s.Store.Apply(ctx, mem.Batch{Jobs: []mem.Job{first}})
	return out, err
}

func backfillJob(o backfillOrder) mem.Job {
	data, _ := json.Marshal(o) // of plain values, which cannot fail
	return mem.Job{Kind: event.JobBackfill, Key: fmt.Sprint(o.Done, o.Running), Data: string(data)}
}

// BackfillStatus returns the backfill that runs, or was given up; the zero value if there is none.
func (s *Service) BackfillStatus(ctx context.Context) (event.Backfill, error) {
	jobs, err := s.Store.Jobs(ctx, event.JobBackfill, maxBackfillJobs)
	if err != nil || len(jobs) == 0 {
		return event.Backfill{Failed: []string{}}, err
	}
	newest := jobs[len(jobs)-1]
	var o backfillOrder
	if err := json.Unmarshal([]byte(newest.Data), &o); err != nil {
		return event.Backfill{}, fmt.Errorf("data of job %s: %w", newest.ID, err)
	}
	if newest.Dead {
		o.Running, o.GivenUp = false, newest.Error
	}
	return o.Backfill, nil
}

// StopBackfill ends a running backfill, and returns when nothing of it is written any more. It returns
// ErrStillReading if that takes too long; the backfill ends nevertheless.
func (s *Service) StopBackfill(ctx context.Context) (event.Backfill, error) {
	was, err := s.BackfillStatus(ctx)
	if err != nil {
		return was, err
	}
	was.Running = false
	if err := s.finishBackfills(ctx); err != nil {
		return was, err
	}
	select {
	case s.backfilling <- struct{}{}:
	case <-ctx.Done():
		return was, ctx.Err()
	case <-time.After(stopWithin):
		return was, ErrStillReading
	}
	defer func() { <-s.backfilling }()
	return was, s.finishBackfills(ctx) // also one that was queued meanwhile
}

// finishBackfills removes the jobs of all backfills.
func (s *Service) finishBackfills(ctx context.Context) error {
	jobs, err := s.Store.Jobs(ctx, event.JobBackfill, maxBackfillJobs)
	if err != nil || len(jobs) == 0 {
		return err
	}
	var b mem.Batch
	for _, j := range jobs {
		b.FinishedJobs = append(b.FinishedJobs, j.ID)
	}
	s.stops.Add(1) // a job that runs asks the store from now on
	_, err = s.Store.Apply(ctx, b)
	s.stops.Add(1) // so does one that began meanwhile
	return err
}

// RunBackfill reads in the next sessions of a backfill, and queues the job that continues it.
func (s *Service) RunBackfill(ctx context.Context, job mem.Job) error {
	var o backfillOrder
	if err := json.Unmarshal([]byte(job.Data), &o); err != nil {
		return fmt.Errorf("data of job %s: %w", job.ID, err)
	}
	if !o.Running {
		return nil // the job only held the result
	}
	select {
	case s.backfilling <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.backfilling }()
	s.later.forget()
	err := s.readPart(ctx, job, o)
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// readPart reads in sessions of an order for a while.
func (s *Service) readPart(ctx context.Context, job mem.Job, o backfillOrder) error {
	all, err := s.ListTranscripts(ctx, o.Folder, o.Home)
	if err != nil {
		return err
	}
	rest := o.BackfillRequest
	if rest.Limit > 0 {
		rest.Limit -= o.Done
	}
	var files []mem.TranscriptFile
	if o.Limit == 0 || rest.Limit > 0 {
		left := slices.DeleteFunc(slices.Clone(all), o.has)
		if files, _, err = selected(ctx, s.Event, rest, left); err != nil && !errors.Is(err, ErrNoTranscripts) {
			return err // without transcripts, they are gone since
		}
	}
	goesOn := func(ctx context.Context) error {
		waiting, err := s.Store.Jobs(ctx, event.JobBackfill, maxBackfillJobs)
		if err == nil && !slices.ContainsFunc(waiting, func(j mem.Job) bool { return j.ID == job.ID }) {
			err = errStopped
		}
		return err
	}
	stops := s.stops.Load()
	beforeEvent := func(ctx context.Context) error {
		if s.GiveWay != nil {
			s.GiveWay(ctx, true)
		}
		if s.stops.Load() != stops { // asking the store before every event would take time
			return goesOn(ctx)
		}
		return ctx.Err()
	}
	begun := time.Now()
	for _, f := range files {
		if err := goesOn(ctx); err != nil {
			return err
		}
		if time.Since(begun) > backfillStep {
			return continued(ctx, s.Store, job, backfillJob(o))
		}
		o.LastEnded, o.LastSession = f.Ended, f.Session
		o.Done, o.DoneBytes = o.Done+1, o.DoneBytes+f.Bytes
		leftOut, err := s.readIn(ctx, f, copiesOf(f, all), beforeEvent)
		switch {
		case err != nil && (ctx.Err() != nil || storeFailed(err)):
			return err // it is tried again
		case errors.Is(err, errStopped):
			return err
		case err != nil:
			if o.NotRead++; len(o.Failed) < event.MaxBackfillFailures {
				o.Failed = append(o.Failed, f.Session+": "+chars.Clip(chars.Line(err.Error()), 300))
			}
		case leftOut != "":
			if o.LeftOutAs == nil {
				o.LeftOutAs = event.Reasons{}
			}
			o.LeftOut++
			o.LeftOutAs[leftOut]++
		}
	}
	if err := goesOn(ctx); err != nil {
		return err
	}
	o.Running = false
	result := backfillJob(o)
	result.NotBefore = s.Now().Add(resultFor)
	return continued(ctx, s.Store, job, result)
}

// continued replaces a job by the next one. Both are written together: a backfill that is stopped meanwhile waits for
// that, and removes the next one.
func continued(ctx context.Context, st mem.Store, job, next mem.Job) error {
	_, err := st.Apply(ctx, mem.Batch{Jobs: []mem.Job{next}, FinishedJobs: []string{job.ID}})
	return err
}

// has reports whether the order's part up to now contains a session.
func (o backfillOrder) has(f mem.TranscriptFile) bool {
	if o.LastSession == "" {
		return false
	}
	return cmp.Or(o.LastEnded.Compare(f.Ended), strings.Compare(f.Session, o.LastSession)) <= 0
}

// storeFailed reports whether an error is that of the database: every other session would fail as well.
func storeFailed(err error) bool {
	return slices.ContainsFunc([]error{
		mem.ErrLocked, mem.ErrFull, mem.ErrReadOnly, mem.ErrDisk, mem.ErrCorrupt, mem.ErrNoStore,
	}, func(one error) bool { return errors.Is(err, one) })
}

// unread reports whether a session has ended and was neither captured live nor read in completely. Of an imported one
// only prompts are known.
func unread(ctx context.Context, places *event.Service, f mem.TranscriptFile) (bool, error) {
	if places.Now().Sub(f.Ended) < idleAfter {
		return false, nil
	}
	sess, err := places.SessionOf(ctx, f.Session)
	return sess.ID == "" || sess.Source == mem.Imported ||
		sess.Source == mem.Backfilled && sess.Status != mem.Completed, err
}

// selected returns those of a folder's transcripts that a request asks for, in their order, and their projects. A
// limit counts sessions that are unread, and leaves out the others.
func selected(ctx context.Context, places *event.Service, req BackfillRequest, files []mem.TranscriptFile) (
	[]mem.TranscriptFile, []event.BackfillProject, error,
) {
	named, all := map[string]mem.Project{}, map[string]*event.BackfillProject{} // by directory, if asked for; by key
	names := []string{}
	matched := false // whether a transcript is of the project, also one that was read
	var out []mem.TranscriptFile
	for _, f := range files {
		if f.Ended.Before(req.Since) {
			continue
		}
		p, known := named[f.Cwd]
		if !known {
			at, err := places.Place(ctx, mem.ProjectRef{Dir: f.Cwd})
			if err == nil && isNamed(at, f.Cwd, req.Project) {
				p = at
			}
			named[f.Cwd] = p
			names = append(names, at.Name)
		}
		if p.Key == "" {
			continue
		}
		matched = true
		if req.Limit > 0 {
			if len(out) == req.Limit {
				break
			}
			if counts, err := unread(ctx, places, f); err != nil {
				return nil, nil, err
			} else if !counts {
				continue
			}
		}
		out = append(out, f)
		if all[p.Key] == nil {
			all[p.Key] = &event.BackfillProject{Name: p.Name}
		}
		all[p.Key].Sessions++
		all[p.Key].Bytes += f.Bytes
	}
	if !matched && len(names) > 0 && req.Project != "" {
		slices.Sort(names)
		names = slices.Compact(names)
		return nil, nil, fmt.Errorf("%q: %w; there are %s", req.Project, ErrNoTranscripts,
			strings.Join(names[:min(len(names), 10)], ", "))
	}
	projects := make([]event.BackfillProject, 0, len(all))
	for _, p := range all {
		projects = append(projects, *p)
	}
	slices.SortFunc(projects, func(a, b event.BackfillProject) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Name, b.Name))
	})
	return out, projects, nil
}

// isNamed reports whether a request names a project: by key, name or a directory of it. An empty name means any.
func isNamed(p mem.Project, dir, named string) bool {
	return named == "" || named == p.Key || strings.EqualFold(named, p.Name) || named == p.Root ||
		filepath.IsAbs(named) && extract.Within(named, dir)
}
