package capture

import (
	"context"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// copiesOf returns the other sessions that begin with the same message: forks of one another.
func copiesOf(f mem.TranscriptFile, all []mem.TranscriptFile) (out []string) {
	for _, o := range all {
		if o.Session != f.Session && o.Began.Equal(f.Began) {
			out = append(out, o.Session)
		}
	}
	return out
}

// readIn reads in one session. It is idempotent. leftOut is the reason if the session is left out.
func (s *Service) readIn(ctx context.Context, f mem.TranscriptFile, copies []string,
	beforeEvent func(context.Context) error,
) (leftOut event.Reason, err error) {
	erased, err := s.Store.ErasedUntil(ctx, f.Session)
	switch {
	case err != nil:
		return "", err
	case !f.Ended.After(erased):
		return event.ErasedBefore, nil
	case s.Now().Sub(f.Ended) < idleAfter:
		return event.PerhapsOpen, nil
	}
	sess, err := s.Event.SessionOf(ctx, f.Session)
	if err == nil && (sess.ID == "" || sess.Source == mem.Imported) { // whose prompts alone are known
		sess, err = s.openPast(ctx, f)
	}
	switch {
	case err != nil:
		return "", err
	case sess.ID == "", sess.Source == mem.Imported:
		return event.Excluded, nil
	case sess.Source != mem.Backfilled:
		return event.CapturedLive, nil
	}
	sess.Transcript = f.Path
	if off, err := s.pausedNow(ctx, sess); off || err != nil {
		return event.WhilePaused, err
	}
	found, err := s.reconcile(ctx, sess, reading{
		until: s.Now().Add(-lostAfter), over: true, whole: true, copies: copies, beforeEvent: beforeEvent,
	})
	if err != nil {
		return "", err
	}
	if sess, err = s.Event.SessionOf(ctx, f.Session); err != nil {
		return "", err
	}
	sess.Transcript = f.Path
	if found == 0 && sess.Status == mem.Completed {
		leftOut = event.AlreadyRead
	} else if sess.Source == mem.Backfilled { // not resumed meanwhile
		if err := s.closePast(ctx, sess); err != nil {
			return "", err
		}
	}
	if err := s.archivePast(ctx, sess); err != nil {
		return "", err
	}
	// Now, so that what the sessions before find is the same in each backfill.
	return leftOut, s.Consolidator.RunNow(ctx, sess.ID)
}

// openPast stores the start of a session that took place before; the zero value if that is excluded.
func (s *Service) openPast(ctx context.Context, f mem.TranscriptFile) (mem.Session, error) {
	start := mem.Event{
		Agent: f.Agent, Kind: mem.SessionStart, At: f.Began, Session: f.Session, Root: f.Cwd, Cwd: f.Cwd,
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
		Event:       mem.Event{Agent: sess.Agent, At: sess.LastEvent, Session: sess.ID, Recovered: true},
		Project:     mem.Project{Key: sess.Project, Name: sess.ProjectName},
		SessionInfo: sess,
	})
	return err
}
