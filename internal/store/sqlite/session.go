package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"remanence/internal/mem"
)

const sessionColumns = `s.number, s.id, s.short, s.agent, s.project, s.project_name, s.root, s.cwd, s.first_prompt, s.prompts,
	s.status, s.source, s.model, s.entrypoint, s.parent, s.transcript, s.created, s.completed, s.end_reason, s.last_event,
	s.processing, s.last_notification, s.notifications, s.compactions, s.nudge, s.nudge_prompt, s.told_tokens`

// sessionFields are where sessionColumns go; the times come as stamps.
func sessionFields(s *mem.Session, created, completed, last *int64) []any {
	return []any{
		&s.Number, &s.ID, &s.Short, &s.Agent, &s.Project, &s.ProjectName, &s.Root, &s.Cwd, &s.FirstPrompt, &s.Prompts,
		&s.Status, &s.Source, &s.Model, &s.Entrypoint, &s.Parent, &s.Transcript, created, completed, &s.EndReason, last,
		&s.Processing, &s.LastNotification, &s.Notifications, &s.Compactions, &s.Nudge, &s.NudgePrompt, &s.ToldTokens,
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

func (e *entry) loadSession(ctx context.Context, id string) (mem.Session, error) {
	var s mem.Session
	var created, completed, last int64
	err := e.get(ctx, "SELECT "+sessionColumns+" FROM session s WHERE s.id=?", []any{id}, sessionFields(&s, &created, &completed, &last)...)
	s.Created, s.Completed, s.LastEvent = moment(created), moment(completed), moment(last)
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
	s.Number, s.Short, s.Status, s.Created, s.LastEvent = n, shortID("s_", n), mem.Initialized, e.at, e.at
	_, err = e.exec(ctx, `INSERT INTO session (number, id, short, agent, project, project_name, root, cwd, first_prompt, prompts,
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

// changeSession merges a change into the session of the event.
func (e *entry) changeSession(ctx context.Context, c mem.SessionChange) (err error) {
	s := e.session
	if c.Project, err = e.knownProject(ctx, c.Project); err != nil {
		return err
	}
	setText(&s.Agent, c.Agent)
	setText(&s.Project, c.Project)
	setText(&s.ProjectName, c.ProjectName)
	setText(&s.Root, c.Root)
	setText(&s.Cwd, c.Cwd)
	setText(&s.Model, c.Model)
	setText(&s.Entrypoint, c.Entrypoint)
	setText(&s.Parent, c.Parent)
	setText(&s.Transcript, c.Transcript)
	setText(&s.Source, c.Source)
	if s.FirstPrompt == "" {
		s.FirstPrompt = c.FirstPrompt
	}
	e.changeStatus(c)
	if c.Processing != nil {
		s.Processing = *c.Processing
	}
	if c.Notification != "" {
		s.LastNotification = c.Notification
		s.Notifications++
	}
	if c.Nudge != nil {
		s.Nudge, s.NudgePrompt = *c.Nudge, s.Prompts
	}
	return e.changeTold(ctx, c)
}

// changeStatus sets the status; any but Completed reopens the session.
func (e *entry) changeStatus(c mem.SessionChange) {
	switch c.Status {
	case "":
	case mem.Completed:
		e.session.Status, e.session.Completed = c.Status, e.at
	default:
		e.session.Status, e.session.Completed, e.session.EndReason = c.Status, time.Time{}, ""
	}
	setText(&e.session.EndReason, c.EndReason)
}

// changeTold forgets or copies what the session was told.
func (e *entry) changeTold(ctx context.Context, c mem.SessionChange) error {
	if c.Compacted {
		e.session.Compactions++
	}
	if c.Compacted || c.TellAgain {
		e.session.ToldTokens = 0
		if _, err := e.exec(ctx, "DELETE FROM told WHERE session=?", e.session.Number); err != nil {
			return err
		}
	}
	if c.ToldLike == "" {
		return nil
	}
	_, err := e.exec(ctx, `INSERT INTO told (session, mark) SELECT ?, t.mark FROM told t JOIN session s ON s.number = t.session
		WHERE s.id=? ON CONFLICT DO NOTHING`, e.session.Number, c.ToldLike)
	return err
}

func setText(field *string, value string) {
	if value != "" {
		*field = value
	}
}

func (e *entry) saveSession(ctx context.Context) error {
	s := e.session
	_, err := e.exec(ctx, `UPDATE session SET agent=?, project=?, project_name=?, root=?, cwd=?, first_prompt=?, prompts=?, status=?,
		source=?, model=?, entrypoint=?, parent=?, transcript=?, completed=?, end_reason=?, last_event=?, processing=?,
		last_notification=?, notifications=?, compactions=?, nudge=?, nudge_prompt=?, told_tokens=? WHERE number=?`,
		s.Agent, s.Project, s.ProjectName, s.Root, s.Cwd, s.FirstPrompt, s.Prompts, string(s.Status),
		s.Source, s.Model, s.Entrypoint, s.Parent, s.Transcript, stamp(s.Completed), s.EndReason, stamp(s.LastEvent), s.Processing,
		s.LastNotification, s.Notifications, s.Compactions, s.Nudge, s.NudgePrompt, s.ToldTokens, s.Number)
	return err
}

// Session implements mem.Store.
func (s *Store) Session(ctx context.Context, id string) (mem.Session, error) {
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
func (s *Store) session(ctx context.Context, which string, arg any) ([]mem.Session, error) {
	query := "SELECT " + sessionColumns + ", " + jobWaits + `, (SELECT json_group_array(mark) FROM told WHERE session = s.number)
		FROM session s WHERE ` + which
	return lookUp(ctx, s.read, query, []any{arg}, func(r *sql.Rows) (mem.Session, error) {
		var told string
		v, err := s.scanSession(r, &told)
		if err != nil {
			return v, err
		}
		var marks []string
		if err := json.Unmarshal([]byte(told), &marks); err != nil {
			return v, err
		}
		v.Told = make(map[string]bool, len(marks))
		for _, m := range marks {
			v.Told[m] = true
		}
		return v, nil
	})
}

// jobWaits tells whether work for session s is still to be done.
const jobWaits = "EXISTS (SELECT 1 FROM job j WHERE j.session = s.number AND j.dead = 0)"

// sessionNumber resolves an id or a short id, whole before in part.
func (s *Store) sessionNumber(ctx context.Context, ref string) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	found, err := rows(ctx, s.read, "SELECT number FROM session WHERE id=? UNION SELECT number FROM session WHERE short=? LIMIT 1",
		[]any{ref, ref}, one[int64])
	if err == nil && len(found) == 0 {
		found, err = rows(ctx, s.read, "SELECT number FROM session WHERE id>? AND id<? UNION SELECT number FROM session WHERE short>? AND short<? LIMIT 2",
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
func (s *Store) Sessions(ctx context.Context, q mem.SessionQuery) ([]mem.Session, error) {
	f := &filter{}
	if q.Project != "" {
		f.and("s.project = "+knownKey, q.Project, q.Project)
	}
	return s.sessions(ctx, f, limitOr(q.Limit))
}

func (s *Store) sessions(ctx context.Context, f *filter, limit int) ([]mem.Session, error) {
	query := "SELECT " + sessionColumns + ", " + jobWaits + " FROM session s WHERE " + f.where() + " ORDER BY s.last_event DESC, s.number DESC LIMIT ?+0"
	found, err := rows(ctx, s.read, query, append(f.args, limit), func(r *sql.Rows) (mem.Session, error) { return s.scanSession(r) })
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", translate(err))
	}
	return found, nil
}

// scanSession reads a session, and into more what follows its columns, and
// derives the states that nobody writes.
func (s *Store) scanSession(r *sql.Rows, more ...any) (mem.Session, error) {
	var v mem.Session
	var created, completed, last int64
	var waiting bool
	fields := append(sessionFields(&v, &created, &completed, &last), &waiting)
	if err := r.Scan(append(fields, more...)...); err != nil {
		return v, err
	}
	v.Created, v.Completed, v.LastEvent = moment(created), moment(completed), moment(last)
	switch {
	case v.Status == mem.Completed:
	case s.now().Sub(v.LastEvent) >= mem.AbandonAfter:
		v.Status = mem.Abandoned
	case waiting && v.Status == mem.Running && !v.Processing:
		v.Status = mem.Summarizing
	}
	return v, nil
}
