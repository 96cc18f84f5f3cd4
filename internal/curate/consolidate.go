package curate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// Bounds of consolidation.
const (
	sessionTimeout     = 30 * time.Second  // of worker time for one session
	fullTimeout        = 100 * time.Second // of worker time for a whole project
	sessionsPerFullRun = 5                 // sessions begun since the last full run
	maxPasses          = 100               // of one run
	maxSimilarEach     = 20                // possible duplicates read for each memory of a session
)

// ConsolidateJob runs one consolidation job. Changes are written pass by pass. The returned batch
// contains only follow-up jobs.
func (s *Service) ConsolidateJob(ctx context.Context, job mem.Job) (mem.Batch, error) {
	if job.Data == string(mem.FullRun) {
		within, cancel := context.WithTimeout(ctx, fullTimeout)
		defer cancel()
		_, err := s.consolidateAll(within, job.Key, false)
		s.counts.schedule(job.Key)
		return mem.Batch{}, err
	}
	sess, err := s.Event.SessionOf(ctx, job.Key)
	if err != nil || sess.ID == "" {
		return mem.Batch{}, err
	}
	if due := sess.LastEvent.Add(event.SilentFor); maybeOpen(sess, s.Now()) && due.After(s.Now()) {
		return mem.Batch{Jobs: []mem.Job{event.ConsolidateLater(sess.ID, due)}}, nil
	}
	within, cancel := context.WithTimeout(ctx, sessionTimeout)
	defer cancel()
	if _, err := s.consolidateSession(within, sess); err != nil {
		return mem.Batch{}, err
	}
	due, err := fullRunDue(ctx, s.Store, sess.Project)
	if err != nil || !due {
		return mem.Batch{}, err
	}
	return mem.Batch{Jobs: []mem.Job{{Kind: event.JobConsolidate, Key: sess.Project, Data: string(mem.FullRun)}}}, nil
}

// maxWaiting bounds the consolidations that wait, among which RunNow looks for one.
const maxWaiting = 1000

// RunNow runs the consolidation of a session that waits, and what follows from it. It does nothing if none waits.
func (s *Service) RunNow(ctx context.Context, session string) error {
	waiting, err := s.Store.Jobs(ctx, event.JobConsolidate, maxWaiting)
	for i := range waiting {
		if waiting[i].Key != session {
			continue
		}
		var b mem.Batch
		for next := waiting[i : i+1]; len(next) > 0 && err == nil; next = b.Jobs {
			b, err = s.ConsolidateJob(ctx, next[0])
		}
		if err == nil {
			b.FinishedJobs = []string{waiting[i].ID}
			_, err = s.Store.Apply(ctx, b)
		}
		break
	}
	return err
}

// maybeOpen reports whether a session may receive further events.
func maybeOpen(sess mem.Session, now time.Time) bool {
	return sess.Status != mem.Completed && now.Sub(sess.LastEvent) < event.SilentFor
}

// fullRunDue reports whether sessionsPerFullRun sessions began since the project's last full run.
func fullRunDue(ctx context.Context, st mem.Store, project string) (bool, error) {
	runs, err := st.Runs(ctx, mem.RunQuery{Project: project, Kind: mem.FullRun, Brief: true, Limit: 1})
	if err != nil {
		return false, err
	}
	ss, err := st.Sessions(ctx, mem.SessionQuery{Project: project, Limit: 4 * sessionsPerFullRun})
	if err != nil {
		return false, fmt.Errorf("sessions since: %w", err)
	}
	n := 0
	for _, sess := range ss {
		if sess.Prompts > 0 && (len(runs) == 0 || sess.Created.After(runs[0].At)) {
			n++
		}
	}
	return n >= sessionsPerFullRun, nil
}

// consolidateSession consolidates the memories of one session with each other and with similar
// memories of the project.
func (s *Service) consolidateSession(ctx context.Context, sess mem.Session) (mem.Run, error) {
	run := mem.Run{Kind: mem.SessionRun, Project: sess.Project, Session: sess.ID, At: s.Now()}
	own := func(m mem.Memory) bool { return m.Session == sess.ID }
	return s.passes(ctx, run, false, func() (*pass, error) {
		ms, err := s.Event.All(ctx, mem.Query{Project: sess.Project, Session: sess.ID, Within: sess.ID})
		if err != nil {
			return nil, err
		}
		known, read := map[string]bool{}, recall.Known{}
		for _, m := range ms {
			known[m.ID] = true
		}
		for i, m := range slices.DeleteFunc(slices.Clone(ms), notMergeable) {
			s.giveWay(ctx, i)
			text := chars.Clip(recall.WholeText(m), event.MaxField)
			hits, err := s.Recall.Matched(ctx, mem.Query{
				Text:    text,
				Project: sess.Project,
				Scopes:  []mem.Scope{mem.ScopeProject},
				Kinds:   []mem.Kind{m.Kind},
				Limit:   maxSimilarEach,
			}, read)
			if err != nil {
				return nil, fmt.Errorf("similar memories: %w", err)
			}
			for _, h := range hits {
				if !known[h.Memory.ID] {
					known[h.Memory.ID], ms = true, append(ms, h.Memory)
				}
			}
		}
		return newPass(s.Now(), ms, own, func(mem.Memory) bool { return false }), nil
	})
}

// consolidateAll consolidates all memories of a project and archives decayed ones.
func (s *Service) consolidateAll(ctx context.Context, project string, dry bool) (mem.Run, error) {
	run := mem.Run{Kind: mem.FullRun, Project: project, At: s.Now()}
	open, err := s.openSessions(ctx, project)
	if err != nil {
		return run, err
	}
	return s.passes(ctx, run, dry, func() (*pass, error) {
		ms, err := s.Event.All(ctx, mem.Query{
			Project: project, Within: "*", Scopes: []mem.Scope{mem.ScopeSession, mem.ScopeProject},
		})
		if err != nil {
			return nil, err
		}
		ps := newPass(s.Now(), ms, func(mem.Memory) bool { return true }, func(m mem.Memory) bool { return open[m.Session] })
		ps.full = true
		return ps, nil
	})
}

// openSessions reports by ID which recent sessions of a project may receive further events.
func (s *Service) openSessions(ctx context.Context, project string) (map[string]bool, error) {
	ss, err := s.Store.Sessions(ctx, mem.SessionQuery{Project: project, Limit: 100})
	if err != nil {
		return nil, fmt.Errorf("open sessions: %w", err)
	}
	open := map[string]bool{}
	for _, sess := range ss {
		open[sess.ID] = maybeOpen(sess, s.Now())
	}
	return open, nil
}

// passes repeats passes until one changes nothing. A dry run computes a single pass and writes
// nothing.
func (s *Service) passes(ctx context.Context, run mem.Run, dry bool, begin func() (*pass, error)) (mem.Run, error) {
	for range maxPasses {
		ps, err := begin()
		if err != nil {
			return run, err
		}
		if err := s.loadDismissed(ctx, ps); err != nil {
			return run, err
		}
		ps.compute()
		if run.ID == "" {
			run.Examined = len(ps.drafts)
		}
		run.Changes = append(run.Changes, ps.steps...)
		// A full run is recorded even if it changes nothing: fullRunDue reads its time.
		if dry || len(ps.steps) == 0 && (run.Kind == mem.SessionRun || run.ID != "") {
			break
		}
		next := run
		next.Changes = ps.steps
		res, err := s.Store.Apply(ctx, mem.Batch{Run: &next, Edits: ps.edits()})
		if err != nil {
			return run, fmt.Errorf("consolidate: %w", err)
		}
		run.ID = res[0].Run
		if !ps.truncated {
			break
		}
	}
	return run, nil
}

// loadDismissed loads into a pass what the person dismissed, and whether vectors are available.
func (s *Service) loadDismissed(ctx context.Context, ps *pass) (err error) {
	_, ps.embedded = s.Event.CurrentEmbedder()
	ps.dismissed, err = dismissals(ctx, s.Store)
	return err
}

// Consolidate consolidates the memories of a place, previews the changes, or undoes a run.
func (s *Service) Consolidate(ctx context.Context, req ConsolidateRequest) (ConsolidateResponse, error) {
	out := ConsolidateResponse{DryRun: req.DryRun, Undo: req.Undo != "", Runs: []mem.Run{}}
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil && req.Undo == "" {
		return out, err
	}
	out.Project = p
	if req.Undo != "" {
		err = s.undo(ctx, req, &out)
	} else {
		err = s.consolidateNow(ctx, p, req.DryRun, &out)
	}
	if err != nil {
		return out, err
	}
	out.Memories, err = s.changedMemories(ctx, out.Runs)
	return out, err
}

// Runs lists the runs of a place, newest first.
func (s *Service) Runs(ctx context.Context, req RunsRequest) (ConsolidateResponse, error) {
	out := ConsolidateResponse{Runs: []mem.Run{}}
	p, err := s.Event.Place(ctx, req.ProjectRef)
	if err != nil {
		return out, err
	}
	out.Project = p
	runs, err := s.Store.Runs(ctx, mem.RunQuery{Project: p.Key, Limit: req.Limit, Offset: req.Offset})
	if err != nil {
		return out, err
	}
	out.Runs = append(out.Runs, runs...)
	out.Memories, err = s.changedMemories(ctx, runs)
	return out, err
}

// consolidateNow runs a full consolidation of one project, or of all projects.
func (s *Service) consolidateNow(ctx context.Context, p mem.Project, dry bool, out *ConsolidateResponse) error {
	keys := []string{p.Key}
	if p.Key == "" {
		ps, err := s.Store.Projects(ctx, "")
		if err != nil {
			return fmt.Errorf("projects: %w", err)
		}
		keys = nil
		for _, p := range ps {
			keys = append(keys, p.Key)
		}
	}
	for _, key := range keys {
		run, err := s.consolidateAll(ctx, key, dry)
		if err != nil {
			return err
		}
		out.Runs = append(out.Runs, run)
	}
	return nil
}

// changedMemories returns the memories that runs name, each once, without erased ones.
func (s *Service) changedMemories(ctx context.Context, runs []mem.Run) ([]mem.Memory, error) {
	var ids []string
	for _, r := range runs {
		for _, c := range r.Changes {
			ids = append(ids, c.Memory)
		}
	}
	known, err := s.Recall.ByID(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := []mem.Memory{}
	for _, id := range ids {
		if m, ok := known[id]; ok {
			out = append(out, m)
			delete(known, id) // return each once
		}
	}
	return out, nil
}

// undo restores the values from before a run, except values changed since. The undone changes are
// dismissed, so that consolidation does not repeat them.
func (s *Service) undo(ctx context.Context, req ConsolidateRequest, out *ConsolidateResponse) error {
	runs, err := s.Store.Runs(ctx, mem.RunQuery{ID: req.Undo})
	if err != nil {
		return err
	}
	run := runs[0]
	if req.Agent != "" && run.Kind == mem.RequestedRun {
		return fmt.Errorf("take back %s: %w", run.ID, ErrNotPerson)
	}
	out.Project = mem.Project{Key: run.Project}
	var b mem.Batch
	was := map[string]mem.Memory{}
	now := map[string]*mem.Memory{}
	for i := len(run.Changes) - 1; i >= 0; i-- {
		step := run.Changes[i]
		if !step.Undone.IsZero() {
			continue
		}
		if now[step.Memory] == nil {
			m, err := s.Event.One(ctx, step.Memory)
			if err != nil {
				return err
			}
			was[m.ID], now[m.ID] = m, &m
		}
		revertStep(now[step.Memory], step)
		if step.Rule != mem.RuleContinue {
			b.Dismissed = append(b.Dismissed, mem.Dismissal{Rule: step.Rule, Memory: step.Memory, Other: step.Other})
		}
	}
	for id, m := range now {
		if was[id].Scope == mem.ScopeUser && m.Scope != mem.ScopeUser {
			m.Project = run.Project
		}
		if ed, ok := editBetween(was[id], *m); ok {
			b.Edits = append(b.Edits, ed)
		}
	}
	out.Changed = len(b.Edits)
	if !req.DryRun {
		// Applied in chunks, so that concurrent events wait less. The last write marks the run as
		// undone: an interrupted undo can be requested again.
		for edits := range slices.Chunk(b.Edits, maxSteps) {
			if _, err := s.Store.Apply(ctx, mem.Batch{Edits: edits}); err != nil {
				return fmt.Errorf("take back %s: %w", run.ID, err)
			}
		}
		if _, err := s.Store.Apply(ctx, mem.Batch{UndoneRuns: []string{run.ID}, Dismissed: b.Dismissed}); err != nil {
			return fmt.Errorf("take back %s: %w", run.ID, err)
		}
		if runs, err = s.Store.Runs(ctx, mem.RunQuery{ID: run.ID}); err != nil {
			return err
		}
	}
	out.Runs = runs
	return nil
}

// restoreDismissals returns the dismissals that keep consolidation from hiding a restored memory
// again.
func restoreDismissals(m mem.Memory) []mem.Dismissal {
	out := []mem.Dismissal{{Rule: mem.RuleArchive, Memory: m.ID}}
	if m.MergedInto != "" {
		out = append(out, mem.Dismissal{Rule: mem.RuleMerge, Memory: m.ID, Other: m.MergedInto})
	}
	return out
}

// revertStep restores each field of m that still has the value the step gave it.
func revertStep(m *mem.Memory, s mem.Step) {
	revertField(&m.Status, s.Became.Status, s.Was.Status)
	revertField(&m.Scope, s.Became.Scope, s.Was.Scope)
	revertField(&m.Trust, s.Became.Trust, s.Was.Trust)
	revertField(&m.Importance, s.Became.Importance, s.Was.Importance)
	revertField(&m.Confidence, s.Became.Confidence, s.Was.Confidence)
	revertField(&m.Uses, s.Became.Uses, s.Was.Uses)
	revertField(&m.MergedInto, s.Became.MergedInto, s.Was.MergedInto)
	revertField(&m.PromotedFrom, s.Became.Promoted, s.Was.Promoted)
	if m.LastUsed.Equal(s.Became.LastUsed) {
		m.LastUsed = s.Was.LastUsed
	}
	if len(m.Files) == s.Became.Files && s.Was.Files < s.Became.Files {
		m.Files = m.Files[:s.Was.Files]
	}
	if len(m.Tags) == s.Became.Tags && s.Was.Tags < s.Became.Tags {
		m.Tags = m.Tags[:s.Was.Tags]
	}
}

func revertField[T comparable](field *T, became, was T) {
	if *field == became {
		*field = was
	}
}
