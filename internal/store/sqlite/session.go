package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

const sessionColumns = `s.number, s.id, s.short, s.agent, s.project, s.project_name, s.root, s.cwd, s.first_prompt,
	s.prompts,
	s.status, s.source, s.model, s.entrypoint, s.parent, s.transcript, s.created, s.completed, s.end_reason, s.last_event,
	s.processing, s.last_notification, s.notifications, s.compactions, s.nudge, s.nudge_prompt, s.told_tokens,
	s.context_tokens, s.context_window, s.handoff_armed, s.cliff, s.sampled, s.compacted`

// sessionTimes are the times of a session as stamps.
type sessionTimes struct{ created, completed, last, sampled, compacted int64 }

func (t sessionTimes) set(s *mem.Session) {
	s.Created, s.Completed, s.LastEvent = moment(t.created), moment(t.completed), moment(t.last)
	s.ContextReadAt, s.Compacted = moment(t.sampled), moment(t.compacted)
}

// sessionFields are where sessionColumns go; the times come as stamps.
func sessionFields(s *mem.Session, t *sessionTimes) []any {
	return []any{
		&s.Number, &s.ID, &s.Short, &s.Agent, &s.Project, &s.ProjectName, &s.Root, &s.Cwd, &s.FirstPrompt, &s.Prompts,
		&s.Status, &s.Source, &s.Model, &s.Entrypoint, &s.Parent, &s.Transcript, &t.created, &t.completed, &s.EndReason,
		&t.last,
		&s.Processing, &s.LastNotification, &s.Notifications, &s.Compactions, &s.StateLine, &s.StateLinePrompt,
		&s.InjectedTokens,
		&s.ContextTokens, &s.ContextWindow, &s.HandoffArmed, &s.AutoCompactTokens, &t.sampled, &t.compacted,
	}
}

// openSession finds the session of the event or makes it.
func (e *entry) openSession(ctx context.Context, b mem.Batch) error {
	if e.event.Session == "" {
		return nil
	}
	s, err := e.loadSession(ctx, e.event.Session)
	if errors.Is(err, sql.ErrNoRows) {
		stub := mem.Session{ID: e.event.Session, Agent: e.event.Agent, Root: e.event.Root}
		if b.Project != nil {
			stub.Project, stub.ProjectName = b.Project.Key, b.Project.Name
		}
		s, err = e.makeSession(ctx, stub)
	}
	if err != nil {
		return err
	}
	if e.at.After(s.LastEvent) {
		s.LastEvent = e.at
	}
	e.session = &s
	return nil
}

// loadSession reads what a row of the event needs to know of its session. The
// rest is changed where it is stored: to read it takes as long as to write it.
func (e *entry) loadSession(ctx context.Context, id string) (mem.Session, error) {
	s := mem.Session{ID: id}
	var last int64
	err := e.get(ctx, "SELECT number, prompts, last_event FROM session WHERE id=?", []any{id}, &s.Number, &s.Prompts,
		&last)
	s.LastEvent = moment(last)
	return s, err
}

// makeSession writes the row of a session that was not there.
func (e *entry) makeSession(ctx context.Context, s mem.Session) (mem.Session, error) {
	n, err := e.next(ctx, "session")
	if err != nil {
		return s, err
	}
	if s.Project, err = e.knownProject(ctx, s.Project); err != nil {
		return s, err
	}
	s.Number, s.Short, s.Status, s.Created, s.LastEvent = n, chars.ShortID("s_", n), mem.Initialized, e.at, e.at
	_,
		err = e.exec(ctx,
		`INSERT INTO session (number, id, short, agent, project, project_name, root, cwd, first_prompt, prompts,
		status, source, model, entrypoint, parent, transcript, created, completed, end_reason, last_event,
		processing, last_notification, notifications, compactions, nudge, nudge_prompt, told_tokens)
		VALUES (?,?,?,?,?,?,?,'','',0,?,'','','','','',?,0,'',?,0,'',0,0,'',0,0)`,
		n, s.ID, s.Short, s.Agent, s.Project, s.ProjectName, s.Root, string(s.Status), stamp(s.Created), stamp(s.LastEvent))
	return s, err
}

// sessionOf returns the number of the session that something of the batch
// names. It is made if it is not there; an empty id has none.
func (e *entry) sessionOf(ctx context.Context, id, project, agent string) (any, error) {
	if id == "" {
		return nil, nil
	}
	if e.session != nil && e.session.ID == id {
		return e.session.Number, nil
	}
	if n := e.sessions[id]; n != 0 {
		return n, nil
	}
	var n int64
	found, err := e.find(ctx, "SELECT number FROM session WHERE id=?", []any{id}, &n)
	if err != nil {
		return nil, err
	}
	if !found {
		s, err := e.makeSession(ctx, mem.Session{ID: id, Project: project, Agent: agent})
		if err != nil {
			return nil, err
		}
		n = s.Number
	}
	e.sessions[id] = n
	return n, nil
}

// changeSession merges a change into the session of the event. Any status but
// Completed reopens it.
func (e *entry) changeSession(ctx context.Context, c mem.SessionChange) error {
	project, err := e.knownProject(ctx, c.Project)
	if err != nil {
		return err
	}
	var completed, reason any // nil: as it is
	switch c.Status {
	case "":
	case mem.Completed:
		completed = stamp(e.at)
	default:
		completed, reason = 0, ""
	}
	if c.EndReason != "" {
		reason = c.EndReason
	}
	s := e.session
	_, err = e.exec(ctx, `UPDATE session SET prompts=?, last_event=?, agent=coalesce(?,agent), project=coalesce(?,project),
		project_name=coalesce(?,project_name), root=coalesce(?,root), cwd=coalesce(?,cwd), model=coalesce(?,model),
		entrypoint=coalesce(?,entrypoint), parent=coalesce(?,parent), transcript=coalesce(?,transcript),
		source=coalesce(?,source),
		first_prompt=coalesce(nullif(first_prompt,''),?), status=coalesce(?,status), completed=coalesce(?,completed),
		end_reason=coalesce(?,end_reason),
		processing=coalesce(?,processing), last_notification=coalesce(?,last_notification), notifications=notifications+?,
		nudge=coalesce(?,nudge), nudge_prompt=CASE WHEN ? THEN ? ELSE nudge_prompt END,
		handoff_armed=coalesce(?,handoff_armed) WHERE number=?`,
		s.Prompts, stamp(s.LastEvent), given(c.Agent), given(project),
		given(c.ProjectName), given(c.Root), given(c.Cwd), given(c.Model),
		given(c.Entrypoint), given(c.Parent), given(c.Transcript), given(c.Source),
		c.FirstPrompt, given(c.Status), completed, reason,
		c.Processing, given(c.Notification), c.Notification != "",
		c.StateLine, c.StateLine != nil, s.Prompts, c.HandoffArmed, s.Number)
	if err != nil {
		return err
	}
	return e.changeTold(ctx, c)
}

// given is a text for coalesce: without one, what is stored stays.
func given[T ~string](text T) any {
	if text == "" {
		return nil
	}
	return string(text)
}

// changeTold forgets or copies what the session was told.
func (e *entry) changeTold(ctx context.Context, c mem.SessionChange) error {
	if c.Compacted {
		if _, err := e.exec(ctx, "UPDATE session SET compactions=compactions+1, context_tokens=0, handoff_armed=1, "+
			"compacted=? WHERE number=?", stamp(e.at), e.session.Number); err != nil {
			return err
		}
	}
	if c.Compacted || c.ClearInjected {
		if _, err := e.exec(ctx, "UPDATE session SET told_tokens=0 WHERE number=?", e.session.Number); err != nil {
			return err
		}
		if _, err := e.exec(ctx, "DELETE FROM told WHERE session=?", e.session.Number); err != nil {
			return err
		}
	}
	if c.CopyInjectedFrom == "" {
		return nil
	}
	_, err := e.exec(ctx,
		`INSERT INTO told (session, mark) SELECT ?, t.mark FROM told t JOIN session s ON s.number = t.session
		WHERE s.id=? ON CONFLICT DO NOTHING`, e.session.Number, c.CopyInjectedFrom)
	return err
}

// putFill writes how full a session's context is. What is from before its last
// compaction says nothing any more.
func (e *entry) putFill(ctx context.Context, f mem.ContextUsage) error {
	_, err := e.exec(ctx, `UPDATE session SET context_tokens=?, sampled=?,
		context_window=CASE WHEN ?>0 THEN ? ELSE context_window END, cliff=CASE WHEN ?>0 THEN ? ELSE cliff END,
		model=CASE WHEN ?<>'' THEN ? ELSE model END, handoff_armed=CASE WHEN ? THEN 1 ELSE handoff_armed END
		WHERE id=? AND compacted<=?`,
		f.Tokens, stamp(firstOf(f.ReadAt, e.at)), f.Window, f.Window, f.AutoCompactTokens, f.AutoCompactTokens, f.Model,
		f.Model, f.Rearm, f.Session, stamp(firstOf(f.At, e.at)))
	return err
}

// Session implements mem.Store.
func (s *sessionStore) Session(ctx context.Context, id string) (mem.Session, error) {
	found, err := s.session(ctx, "s.id = ?", id)
	if err == nil && len(found) == 0 { // events name sessions in full, people do not
		var n int64
		if n, err = s.sessionNumber(ctx, id); err == nil {
			found, err = s.session(ctx, "s.number = ?", n)
		}
	}
	if err == nil && len(found) == 0 {
		err = mem.ErrNotFound
	}
	if err != nil {
		return mem.Session{}, fmt.Errorf("session %s: %w", id, translate(err))
	}
	return found[0], nil
}

// session reads one session with what was told to it.
func (s *sessionStore) session(ctx context.Context, which string, arg any) ([]mem.Session, error) {
	query := "SELECT " + sessionColumns + ", " + jobWaits +
		`, (SELECT json_group_array(mark) FROM told WHERE session = s.number),
		(SELECT count(*) FROM (SELECT 1 FROM memory WHERE session = s.number LIMIT ?+0)) FROM session s WHERE ` + which
	return lookUp(ctx, s.read, query, []any{mem.MemoriesCounted, arg}, func(r *sql.Rows) (mem.Session, error) {
		var told string
		var memories int
		v, err := s.scanSession(r, &told, &memories)
		v.Memories = memories
		if err != nil {
			return v, err
		}
		var marks []string
		if err := json.Unmarshal([]byte(told), &marks); err != nil {
			return v, err
		}
		v.Injected = make(map[string]bool, len(marks))
		for _, m := range marks {
			v.Injected[m] = true
		}
		return v, nil
	})
}

// jobWaits tells whether work for session s is still to be done.
const jobWaits = "EXISTS (SELECT 1 FROM job j WHERE j.session = s.number AND j.dead = 0)"

// sessionNumber resolves an id or a short id, whole before in part.
func (s *sessionStore) sessionNumber(ctx context.Context, ref string) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	found, err := rows(ctx, s.read,
		"SELECT number FROM session WHERE id=? UNION SELECT number FROM session WHERE short=? LIMIT 1",
		[]any{ref, ref}, one[int64])
	if err == nil && len(found) == 0 {
		found, err = rows(ctx, s.read, "SELECT number FROM session WHERE id>? AND id<? UNION SELECT number FROM session "+
			"WHERE short>? AND short<? LIMIT 2",
			[]any{ref, above(ref), ref, above(ref)}, one[int64])
	}
	switch {
	case err != nil:
		return 0, err
	case len(found) == 0:
		return 0, mem.ErrNotFound
	case len(found) > 1:
		return 0, mem.ErrAmbiguous
	}
	return found[0], nil
}

// Sessions implements mem.Store.
func (s *sessionStore) Sessions(ctx context.Context, q mem.SessionQuery) ([]mem.Session, error) {
	f := sessionFilter(q)
	query := "SELECT " + sessionColumns + ", " + jobWaits + " FROM session s WHERE " + f.where() +
		" ORDER BY s.last_event DESC, s.number DESC LIMIT ?+0 OFFSET ?+0"
	found, err := rows(ctx, s.read, query, append(f.args, limitOr(q.Limit), max(0, q.Offset)),
		func(r *sql.Rows) (mem.Session, error) {
			return s.scanSession(r)
		})
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", translate(err))
	}
	return found, nil
}

// scanSession reads a session, and into more what follows its columns, and
// derives the states that are not stored.
func (s *sessionStore) scanSession(r *sql.Rows, more ...any) (mem.Session, error) {
	var v mem.Session
	var t sessionTimes
	var waiting bool
	fields := append(sessionFields(&v, &t), &waiting)
	if err := r.Scan(append(fields, more...)...); err != nil {
		return v, err
	}
	t.set(&v)
	v.Status = v.StatusAt(s.now(), waiting)
	return v, nil
}
