package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// sessionColumns are the columns that sessionFields scans, of table session as s.
const sessionColumns = `s.number, s.id, s.short, s.agent, s.project, s.project_name, s.root, s.cwd, s.first_prompt,
	s.prompts, s.status, s.source, s.model, s.entrypoint, s.parent, s.transcript, s.created, s.completed, s.end_reason,
	s.last_event, s.processing, s.last_notification, s.notifications, s.compactions, s.nudge, s.nudge_prompt,
	s.told_tokens, s.context_tokens, s.context_window, s.handoff_armed, s.cliff, s.sampled, s.compacted`

// selectSessions reads what scanSession scans. More columns, or FROM session s, follow.
const selectSessions = "SELECT " + sessionColumns +
	", EXISTS (SELECT 1 FROM job j WHERE j.session = s.number AND j.dead = 0)"

func sessionFields(s *mem.Session) []any {
	return []any{
		&s.Number, &s.ID, &s.Short, &s.Agent, &s.Project, &s.ProjectName, &s.Root, &s.Cwd, &s.FirstPrompt,
		&s.Prompts, &s.Status, &s.Source, &s.Model, &s.Entrypoint, &s.Parent, &s.Transcript, timeAt(&s.Created),
		timeAt(&s.Completed), &s.EndReason, timeAt(&s.LastEvent), &s.Processing, &s.LastNotification, &s.Notifications,
		&s.Compactions, &s.StateLine, &s.StateLinePrompt, &s.InjectedTokens, &s.ContextTokens, &s.ContextWindow,
		&s.HandoffArmed, &s.AutoCompactTokens, timeAt(&s.ContextReadAt), timeAt(&s.Compacted),
	}
}

// FindSession reads a session by its id.
func (w *writer) FindSession(ctx context.Context, id string) (s mem.Session, found bool, err error) {
	found, err = w.find(ctx, stmt("SELECT "+sessionColumns+" FROM session s WHERE s.id=?", id), sessionFields(&s)...)
	return s, found, err
}

// InsertSession writes a new session.
func (w *writer) InsertSession(ctx context.Context, s mem.Session) error {
	_, err := w.exec(ctx, `INSERT INTO session (number, id, short, agent, project, project_name, root, cwd, first_prompt,
		prompts, status, source, model, entrypoint, parent, transcript, created, completed, end_reason, last_event,
		processing, last_notification, notifications, compactions, nudge, nudge_prompt, told_tokens)
		VALUES (?,?,?,?,?,?,?,'','',0,?,'','','','','',?,0,'',?,0,'',0,0,'',0,0)`,
		s.Number, s.ID, s.Short, s.Agent, s.Project, s.ProjectName, s.Root, string(s.Status), stored.Stamp(s.Created),
		stored.Stamp(s.LastEvent))
	return err
}

// UpdateSession writes what may change of a session.
func (w *writer) UpdateSession(ctx context.Context, s mem.Session) error {
	_, err := w.exec(ctx, `UPDATE session SET agent=?, project=?, project_name=?, root=?, cwd=?, first_prompt=?,
		prompts=?, status=?, source=?, model=?, entrypoint=?, parent=?, transcript=?, completed=?, end_reason=?,
		last_event=?, processing=?, last_notification=?, notifications=?, compactions=?, nudge=?, nudge_prompt=?,
		told_tokens=?, context_tokens=?, context_window=?, handoff_armed=?, cliff=?, sampled=?, compacted=? WHERE number=?`,
		s.Agent, s.Project, s.ProjectName, s.Root, s.Cwd, s.FirstPrompt, s.Prompts, string(s.Status), s.Source, s.Model,
		s.Entrypoint, s.Parent, s.Transcript, stored.Stamp(s.Completed), s.EndReason, stored.Stamp(s.LastEvent),
		s.Processing, s.LastNotification, s.Notifications, s.Compactions, s.StateLine, s.StateLinePrompt,
		s.InjectedTokens, s.ContextTokens, s.ContextWindow, s.HandoffArmed, s.AutoCompactTokens,
		stored.Stamp(s.ContextReadAt), stored.Stamp(s.Compacted), s.Number)
	return err
}

// PutTranscriptPosition writes how far the transcript of a session was checked.
func (w *writer) PutTranscriptPosition(ctx context.Context, p mem.TranscriptPosition) error {
	_, err := w.exec(ctx, "UPDATE session SET checked_to=?, checked_hash=? WHERE id=?", p.To, p.Hash, p.Session)
	return err
}

// ClearInjected removes all keys of the session of the event.
func (e *entry) ClearInjected(ctx context.Context) error {
	_, err := e.exec(ctx, "DELETE FROM told WHERE session=?", e.Session.Number)
	return err
}

// CopyInjected adds the keys of a session to those of the session of the event.
func (e *entry) CopyInjected(ctx context.Context, from string) error {
	_, err := e.exec(ctx,
		`INSERT INTO told (session, mark) SELECT ?, t.mark FROM told t JOIN session s ON s.number = t.session
		WHERE s.id=? ON CONFLICT DO NOTHING`, e.Session.Number, from)
	return err
}

// Session implements mem.Store.
func (s *sessionStore) Session(ctx context.Context, id string) (mem.Session, error) {
	v, found, err := s.session(ctx, "s.id = ?", id)
	if err == nil && !found { // events name sessions by the full id, people by a short one
		var n int64
		if n, err = s.sessionNumber(ctx, id); err == nil {
			v, found, err = s.session(ctx, "s.number = ?", n)
		}
	}
	if err == nil && !found {
		err = mem.ErrNotFound
	}
	return v, wrap("session "+id, err)
}

// session reads one session with what was injected into it.
func (s *sessionStore) session(ctx context.Context, which string, arg any) (mem.Session, bool, error) {
	return first(ctx, s.read, stmt(selectSessions+
		`, (SELECT json_group_array(mark) FROM told WHERE session = s.number),
		(SELECT count(*) FROM (SELECT 1 FROM memory WHERE session = s.number LIMIT ?+0)) FROM session s WHERE `+which,
		mem.MemoriesCounted, arg), func(r *sql.Rows) (mem.Session, error) {
		var injected string
		var memories int
		v, err := s.scanSession(r, &injected, &memories)
		if err != nil {
			return v, err
		}
		v.Memories = memories
		var keys []string
		if err := json.Unmarshal([]byte(injected), &keys); err != nil {
			return v, err
		}
		v.Injected = make(map[string]bool, len(keys))
		for _, k := range keys {
			v.Injected[k] = true
		}
		return v, nil
	})
}

// sessionNumber resolves an id or a short id, exact ones before prefixes.
func (s *sessionStore) sessionNumber(ctx context.Context, ref string) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	found, err := rows(ctx, s.read, stmt(
		"SELECT number FROM session WHERE id=? UNION SELECT number FROM session WHERE short=? LIMIT 1", ref, ref), one[int64])
	if err == nil && len(found) == 0 {
		found, err = rows(ctx, s.read, stmt("SELECT number FROM session WHERE id>? AND id<? UNION SELECT number "+
			"FROM session WHERE short>? AND short<? LIMIT 2", ref, stored.Above(ref), ref, stored.Above(ref)), one[int64])
	}
	if err != nil {
		return 0, err
	}
	return stored.Only(found)
}

// Sessions implements mem.Store.
func (s *sessionStore) Sessions(ctx context.Context, q mem.SessionQuery) ([]mem.Session, error) {
	found, err := rows(ctx, s.read, stmt(selectSessions+" FROM session s").where(sessionFilter(q)).
		orderBy("s.last_event DESC, s.number DESC").page(q.Limit, q.Offset),
		func(r *sql.Rows) (mem.Session, error) { return s.scanSession(r) })
	return found, wrap("sessions", err)
}

// scanSession reads a session, and into more the columns after its own, and
// derives the states that are not stored.
func (s *sessionStore) scanSession(r *sql.Rows, more ...any) (v mem.Session, err error) {
	var waiting bool
	if err := r.Scan(append(append(sessionFields(&v), &waiting), more...)...); err != nil {
		return v, err
	}
	v.Status = v.StatusAt(s.now(), waiting)
	return v, nil
}

// TranscriptPosition implements mem.Store.
func (s *sessionStore) TranscriptPosition(ctx context.Context, session string) (mem.TranscriptPosition, error) {
	p, _, err := first(ctx, s.read, stmt("SELECT checked_to, checked_hash FROM session WHERE id=?", session),
		into(func(p *mem.TranscriptPosition) []any { return []any{&p.To, &p.Hash} }))
	p.Session = session
	return p, wrap("transcript position of "+session, err)
}
