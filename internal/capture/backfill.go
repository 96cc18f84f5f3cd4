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
	"remanence/internal/mem"
)

// agentOfBackfill is the agent whose transcripts are read in.
const agentOfBackfill = "claude-code"

// backfillStep is how long one job reads before the next one continues after it.
const backfillStep = 2 * time.Second

// maxBackfillJobs is more jobs than there are: the one that runs, the next, and a finished one.
const maxBackfillJobs = 10

// resultFor is how long the result of a backfill can be read after its end.
const resultFor = 3 * time.Second

// BackfillRequest asks to read in the sessions of an agent's transcripts.
type BackfillRequest struct {
	Folder  string    `json:"folder"`            // with a folder for each of the agent's projects
	Project string    `json:"project,omitempty"` // key, name or directory; empty means all
	Since   time.Time `json:"since,omitzero"`    // only sessions that ended at or after
	Limit   int       `json:"limit,omitempty"`   // only so many, those that ended last; 0 means all
	DryRun  bool      `json:"dry_run,omitempty"`
	Stop    bool      `json:"stop,omitempty"` // ends a running backfill; what was read stays
	Undo    bool      `json:"undo,omitempty"` // also hides the memories of all sessions that were read in
}

// ErrNoTranscripts means that no session of the requested project was found.
var ErrNoTranscripts = errors.New("no transcript of such a project")

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
		return running, err
	}
	files, projects, err := s.selected(ctx, req)
	if err != nil {
		return event.Backfill{}, err
	}
	out := event.Backfill{Sessions: len(files), Projects: projects, Failed: []string{}}
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
	out.Running, out.Started = true, s.Now()
	first := backfillJob(backfillOrder{BackfillRequest: req, Backfill: out})
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

// StopBackfill ends a running backfill after the session that is being read.
func (s *Service) StopBackfill(ctx context.Context) (event.Backfill, error) {
	was, err := s.BackfillStatus(ctx)
	if err != nil {
		return was, err
	}
	jobs, err := s.Store.Jobs(ctx, event.JobBackfill, maxBackfillJobs)
	if err != nil {
		return was, err
	}
	var b mem.Batch
	for _, j := range jobs {
		b.FinishedJobs = append(b.FinishedJobs, j.ID)
	}
	was.Running = false
	_, err = s.Store.Apply(ctx, b)
	return was, err
}

// BackfilledMemories returns the ids of what the sessions that were read in left, of a project or of all. Pinned
// memories are left out.
func (s *Service) BackfilledMemories(ctx context.Context, project string) ([]string, error) {
	var ids []string
	const page = 200
	for offset := 0; ; offset += page {
		sessions, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: project, Limit: page, Offset: offset})
		if err != nil {
			return nil, fmt.Errorf("sessions: %w", err)
		}
		for _, sess := range sessions {
			if sess.Source != mem.Backfilled {
				continue
			}
			for _, kinds := range [][]mem.Kind{nil, {mem.Utterance}} {
				left, err := s.Event.All(ctx, mem.Query{
					Session: sess.ID, Within: "*", Kinds: kinds, Statuses: event.Findable(),
				})
				if err != nil {
					return nil, err
				}
				for _, mm := range left {
					if !mm.Pinned {
						ids = append(ids, mm.ID)
					}
				}
			}
		}
		if len(sessions) < page {
			return ids, nil
		}
	}
}

// RunBackfill reads in the next sessions of a backfill. The batch has the job that continues it.
func (s *Service) RunBackfill(ctx context.Context, job mem.Job) (mem.Batch, error) {
	var o backfillOrder
	if err := json.Unmarshal([]byte(job.Data), &o); err != nil {
		return mem.Batch{}, fmt.Errorf("data of job %s: %w", job.ID, err)
	}
	if !o.Running {
		return mem.Batch{}, nil // the job only held the result
	}
	files, _, err := s.selected(ctx, o.BackfillRequest)
	if err != nil && !errors.Is(err, ErrNoTranscripts) { // they may be gone since
		return mem.Batch{}, err
	}
	begun := time.Now()
	for _, f := range files {
		if o.has(f) {
			continue
		}
		if time.Since(begun) > backfillStep {
			return s.continued(ctx, job, o)
		}
		o.LastEnded, o.LastSession = f.Ended, f.Session
		o.Done, o.DoneBytes = o.Done+1, o.DoneBytes+f.Bytes
		read, err := s.readIn(ctx, f, copiesOf(f, files))
		switch {
		case err != nil && (ctx.Err() != nil || storeFailed(err)):
			return mem.Batch{}, err // it is tried again
		case err != nil && len(o.Failed) < event.MaxBackfillFailures:
			o.Failed = append(o.Failed, f.Session+": "+chars.Clip(chars.Line(err.Error()), 300))
		case !read:
			o.LeftOut++
		}
	}
	o.Running = false
	b, err := s.continued(ctx, job, o)
	for i := range b.Jobs {
		b.Jobs[i].NotBefore = s.Now().Add(resultFor)
	}
	return b, err
}

// has reports whether the order's part up to now contains a session.
func (o backfillOrder) has(f mem.TranscriptFile) bool {
	if o.LastSession == "" {
		return false
	}
	return cmp.Or(o.LastEnded.Compare(f.Ended), strings.Compare(f.Session, o.LastSession)) <= 0
}

// continued queues the rest of an order, unless the backfill was stopped meanwhile.
func (s *Service) continued(ctx context.Context, job mem.Job, o backfillOrder) (mem.Batch, error) {
	waiting, err := s.Store.Jobs(ctx, event.JobBackfill, maxBackfillJobs)
	if err != nil || !slices.ContainsFunc(waiting, func(j mem.Job) bool { return j.ID == job.ID }) {
		return mem.Batch{}, err
	}
	return mem.Batch{Jobs: []mem.Job{backfillJob(o)}}, nil
}

// storeFailed reports whether an error is that of the database: every other session would fail as well.
func storeFailed(err error) bool {
	return slices.ContainsFunc([]error{
		mem.ErrLocked, mem.ErrFull, mem.ErrReadOnly, mem.ErrDisk, mem.ErrCorrupt, mem.ErrNoStore,
	}, func(one error) bool { return errors.Is(err, one) })
}

// selected returns the transcripts of a request, those that ended last first, and counts their projects.
func (s *Service) selected(ctx context.Context, req BackfillRequest) ([]mem.TranscriptFile, int, error) {
	files, err := s.ListTranscripts(req.Folder)
	if err != nil {
		return nil, 0, err
	}
	named, all := map[string]string{}, map[string]bool{} // by directory: the key of its project if it was asked for
	names := []string{}
	var out []mem.TranscriptFile
	for _, f := range files {
		if f.Ended.Before(req.Since) {
			continue
		}
		key, known := named[f.Cwd]
		if !known {
			p, err := s.Event.Place(ctx, mem.ProjectRef{Dir: f.Cwd})
			if err == nil && isNamed(p, f.Cwd, req.Project) {
				key = p.Key
			}
			named[f.Cwd] = key
			names = append(names, p.Name)
		}
		if key == "" {
			continue
		}
		if out = append(out, f); req.Limit > 0 && len(out) > req.Limit {
			out = out[:req.Limit]
			break
		}
		all[key] = true
	}
	if len(out) == 0 && len(names) > 0 && req.Project != "" {
		slices.Sort(names)
		names = slices.Compact(names)
		return nil, 0, fmt.Errorf("%q: %w; there are %s", req.Project, ErrNoTranscripts,
			strings.Join(names[:min(len(names), 10)], ", "))
	}
	return out, len(all), nil
}

// isNamed reports whether a request names a project: by key, name or a directory of it. An empty name means any.
func isNamed(p mem.Project, dir, named string) bool {
	return named == "" || named == p.Key || strings.EqualFold(named, p.Name) || named == p.Root ||
		filepath.IsAbs(named) && (dir == named || strings.HasPrefix(dir, strings.TrimSuffix(named, "/")+"/"))
}

// copiesOf returns the other sessions that begin with the same message: forks of one another.
func copiesOf(f mem.TranscriptFile, all []mem.TranscriptFile) (out []string) {
	for _, o := range all {
		if o.Session != f.Session && o.Began.Equal(f.Began) {
			out = append(out, o.Session)
		}
	}
	return out
}

// readIn reads in one session, or what a known one lacks. It is idempotent. read is false if the session is left out.
func (s *Service) readIn(ctx context.Context, f mem.TranscriptFile, copies []string) (read bool, err error) {
	erased, err := s.Store.ErasedUntil(ctx, f.Session)
	if err != nil {
		return false, err
	}
	if !f.Ended.After(erased) {
		return false, nil
	}
	sess, err := s.Event.SessionOf(ctx, f.Session)
	if err == nil && sess.ID == "" {
		sess, err = s.openPast(ctx, f)
	}
	if err != nil || sess.ID == "" {
		return false, err
	}
	sess.Transcript = f.Path
	if off, err := s.pausedNow(ctx, sess); off || err != nil {
		return false, err
	}
	over := s.Now().Sub(f.Ended) >= idleAfter
	found, err := s.reconcile(ctx, sess, reading{
		until: s.Now().Add(-lostAfter), over: over, whole: true, copies: copies,
	})
	if err != nil {
		return false, err
	}
	if sess, err = s.Event.SessionOf(ctx, f.Session); err != nil {
		return false, err
	}
	sess.Transcript = f.Path
	if over && sess.Source == mem.Backfilled && (found > 0 || sess.Status != mem.Completed) {
		if err := s.closePast(ctx, sess); err != nil {
			return false, err
		}
	}
	return true, s.archivePast(ctx, sess)
}

// openPast stores the start of a session that took place before; the zero value if that is excluded.
func (s *Service) openPast(ctx context.Context, f mem.TranscriptFile) (mem.Session, error) {
	start := mem.Event{
		Agent: agentOfBackfill, Kind: mem.SessionStart, At: f.Began, Session: f.Session, Root: f.Cwd, Cwd: f.Cwd,
		Transcript: f.Path, Source: mem.Backfilled, Recovered: true,
	}
	start.Identify("record")
	if _, _, err := s.HandleEvent(ctx, start, true); err != nil {
		return mem.Session{}, err
	}
	return s.Event.SessionOf(ctx, f.Session)
}

// closePast stores the end of a session that took place before.
func (s *Service) closePast(ctx context.Context, sess mem.Session) error {
	end := mem.Event{
		Agent: sess.Agent, Kind: mem.SessionEnd, At: sess.LastEvent, Session: sess.ID, Root: sess.Root, Cwd: sess.Cwd,
		Transcript: sess.Transcript, Recovered: true,
	}
	end.Identify("record-" + event.StampOf(sess.LastEvent))
	_, _, err := s.HandleEvent(ctx, end, true)
	return err
}

// archivePast archives and indexes what was said, as the job after a session's end does.
func (s *Service) archivePast(ctx context.Context, sess mem.Session) error {
	if s.Archive == nil || !event.OwnTranscript(mem.Event{Session: sess.ID, Transcript: sess.Transcript}) {
		return nil
	}
	if _, err := s.ArchiveTranscript(ctx, sess); err != nil {
		return err
	}
	_, err := s.IndexUtterances(ctx, event.Context{
		Event:       mem.Event{Agent: sess.Agent, At: sess.LastEvent, Session: sess.ID},
		Project:     mem.Project{Key: sess.Project, Name: sess.ProjectName},
		SessionInfo: sess,
	})
	return err
}
