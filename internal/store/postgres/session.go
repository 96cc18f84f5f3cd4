//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// sessionRow is the document of a session. Its own fields are those that the JSON form of a session lacks.
type sessionRow struct {
	mem.Session
	StateLine       string    `json:"state_line,omitempty"`
	StateLinePrompt int       `json:"state_line_prompt,omitempty"`
	ContextReadAt   time.Time `json:"context_read_at,omitzero"`
	Compacted       time.Time `json:"compacted,omitzero"`
	CheckedTo       int64     `json:"checked_to,omitempty"` // position in the transcript
	CheckedHash     string    `json:"checked_hash,omitempty"`
}

// full returns the session with all of its fields.
func (r *sessionRow) full() mem.Session {
	s := r.Session
	s.StateLine, s.StateLinePrompt, s.ContextReadAt, s.Compacted = r.StateLine, r.StateLinePrompt, r.ContextReadAt,
		r.Compacted
	return s
}

// set takes a session that a rule of package mem changed.
func (r *sessionRow) set(s mem.Session) {
	r.Session = s
	r.StateLine, r.StateLinePrompt, r.ContextReadAt, r.Compacted = s.StateLine, s.StateLinePrompt, s.ContextReadAt,
		s.Compacted
}

// openSession finds the session of the event or makes it.
func (e *entry) openSession(ctx context.Context, b mem.Batch) error {
	if e.Event.Session == "" {
		return nil
	}
	s, found, err := e.loadSession(ctx, e.Event.Session)
	if err == nil && !found {
		s, err = e.makeSession(ctx, b.NewSession())
	}
	if err != nil {
		return err
	}
	e.row = &s
	e.OpenSession(&s.Session)
	return nil
}

func (tx *transaction) loadSession(ctx context.Context, id string) (s sessionRow, found bool, err error) {
	var doc string
	if found, err = tx.find(ctx, query("SELECT doc FROM session WHERE id = ?", id), &doc); err == nil && found {
		s, err = decode[sessionRow]("session "+id, doc)
	}
	return s, found, err
}

// saveSession writes a session, new or not.
func (tx *transaction) saveSession(ctx context.Context, s *sessionRow) error {
	for _, t := range []*time.Time{&s.Created, &s.Completed, &s.LastEvent, &s.ContextReadAt, &s.Compacted} {
		*t = storable(*t)
	}
	doc, err := stored.Text(s)
	if err != nil {
		return err
	}
	return tx.exec(ctx, query(`INSERT INTO session (number, id, short, agent, project, model, cliff, last_event, doc)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET agent = excluded.agent,
		project = excluded.project, model = excluded.model, cliff = excluded.cliff, last_event = excluded.last_event,
		doc = excluded.doc`,
		s.Number, s.ID, s.Short, s.Agent, s.Project, s.Model, s.AutoCompactTokens, stored.Stamp(s.LastEvent), doc))
}

// storable returns a time as it can be stored: in UTC, and within the range of stored times.
func storable(t time.Time) time.Time { return stored.TimeOf(stored.Stamp(t)) }

// makeSession writes the row of a new session.
func (e *entry) makeSession(ctx context.Context, s mem.Session) (r sessionRow, err error) {
	n, err := e.next(ctx, "session")
	if err != nil {
		return r, err
	}
	if s.Project, err = e.canonicalProject(ctx, s.Project); err != nil {
		return r, err
	}
	r.Session = s.New(n, e.At)
	return r, e.saveSession(ctx, &r)
}

// updateSession changes a session, which is not that of the event, unless it is unknown or change returns false.
func (e *entry) updateSession(ctx context.Context, id string, change func(*sessionRow) bool) error {
	s, found, err := e.loadSession(ctx, id)
	if err != nil || !found || !change(&s) {
		return err
	}
	return e.saveSession(ctx, &s)
}

// sessionOf returns the number of a session that the batch names. A missing session is made; an empty id has the
// number nil.
func (e *entry) sessionOf(ctx context.Context, id, project, agent string) (any, error) {
	if number, known := e.SessionNumber(id); known {
		return number, nil
	}
	var n int64
	found, err := e.find(ctx, query("SELECT number FROM session WHERE id = ?", id), &n)
	if err == nil && !found {
		var s sessionRow
		s, err = e.makeSession(ctx, mem.Session{ID: id, Project: project, Agent: agent})
		n = s.Number
	}
	if err != nil {
		return nil, err
	}
	e.Sessions[id] = n
	return n, nil
}

// changeSession applies a change to the session of the event.
func (e *entry) changeSession(ctx context.Context, change *mem.SessionChange) error {
	var c mem.SessionChange
	if change != nil {
		c = *change
	}
	project, err := e.canonicalProject(ctx, c.Project)
	if err != nil {
		return err
	}
	c.Project = project
	e.row.set(c.Apply(e.row.full(), e.At))
	if err := e.saveSession(ctx, e.row); err != nil {
		return err
	}
	if c.Compacted || c.ClearInjected {
		if err := e.exec(ctx, query("DELETE FROM injected_key WHERE session = ?", e.Session.Number)); err != nil {
			return err
		}
	}
	if c.CopyInjectedFrom == "" {
		return nil
	}
	return e.exec(ctx, query(`INSERT INTO injected_key (session, key) SELECT ?::bigint, k.key FROM injected_key k
		JOIN session s ON s.number = k.session WHERE s.id = ? ON CONFLICT DO NOTHING`, e.Session.Number,
		c.CopyInjectedFrom))
}

// putContextUsage writes the context usage of a session, unless it was read before the session's last compaction.
func (e *entry) putContextUsage(ctx context.Context, u mem.ContextUsage) error {
	u.At, u.ReadAt = stored.FirstOf(u.At, e.At), stored.FirstOf(u.ReadAt, e.At)
	return e.updateSession(ctx, u.Session, func(s *sessionRow) bool {
		now, ok := u.Apply(s.full())
		s.set(now)
		return ok
	})
}

// sessionColumns are what scanSession reads, of table session as s.
const sessionColumns = "s.doc, EXISTS (SELECT 1 FROM job j WHERE j.session = s.number AND NOT j.dead)"

// scanSession reads a session, and into more the columns after its own, and derives the states that are not stored.
func (s *database) scanSession(r pgx.Rows, more ...any) (v mem.Session, err error) {
	var doc string
	var waiting bool
	if err := r.Scan(append([]any{&doc, &waiting}, more...)...); err != nil {
		return v, err
	}
	row, err := decode[sessionRow]("session", doc)
	if err != nil {
		return v, err
	}
	v = row.full()
	v.Status = v.StatusAt(s.now(), waiting)
	return v, nil
}

// Session implements mem.Store.
func (s *Store) Session(ctx context.Context, id string) (mem.Session, error) {
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
func (s *database) session(ctx context.Context, which string, arg any) (mem.Session, bool, error) {
	return first(ctx, s.pool, query("SELECT "+sessionColumns+`,
		ARRAY(SELECT key FROM injected_key WHERE session = s.number),
		(SELECT count(*) FROM (SELECT 1 FROM memory WHERE session = s.number LIMIT ?) counted) FROM session s WHERE `+which,
		mem.MemoriesCounted, arg), func(r pgx.Rows) (mem.Session, error) {
		var injected []string
		var memories int
		v, err := s.scanSession(r, &injected, &memories)
		if err != nil {
			return v, err
		}
		v.Memories, v.Injected = memories, make(map[string]bool, len(injected))
		for _, k := range injected {
			v.Injected[k] = true
		}
		return v, nil
	})
}

// sessionNumber resolves an id or a short id, exact ones before prefixes.
func (s *database) sessionNumber(ctx context.Context, ref string) (int64, error) {
	if ref == "" {
		return 0, mem.ErrNotFound
	}
	found, err := rows(ctx, s.pool, query("SELECT number FROM session WHERE id = ? OR short = ? LIMIT 1", ref, ref),
		one[int64])
	if err == nil && len(found) == 0 {
		found, err = rows(ctx, s.pool, query("SELECT number FROM session WHERE id > ? AND id < ? OR short > ? AND short < ? "+
			"LIMIT 2", ref, stored.Above(ref), ref, stored.Above(ref)), one[int64])
	}
	if err != nil {
		return 0, err
	}
	return stored.Only(found)
}

// Sessions implements mem.Store.
func (s *Store) Sessions(ctx context.Context, q mem.SessionQuery) ([]mem.Session, error) {
	found, err := rows(ctx, s.pool, sessionsWhere(sessionColumns, q).add(" ORDER BY s.last_event DESC, s.number DESC").
		page(q.Limit, q.Offset), func(r pgx.Rows) (mem.Session, error) { return s.scanSession(r) })
	return found, wrap("sessions", err)
}

// sessionsWhere selects columns of the sessions that pass q.
func sessionsWhere(columns string, q mem.SessionQuery) *statement {
	s := query("SELECT "+columns+" FROM session s WHERE true").project("s.project", q.Project).equal("s.agent", q.Agent)
	if q.Branch != "" {
		s.and("EXISTS (SELECT 1 FROM memory m WHERE m.session = s.number AND m.branch = ?)", q.Branch)
	}
	if q.AutoCompactModel != "" {
		s.and("s.cliff > 0 AND s.model = ?", q.AutoCompactModel)
	}
	if !q.Since.IsZero() {
		s.and("s.last_event >= ?", stored.Stamp(q.Since))
	}
	if !q.Until.IsZero() {
		s.and("s.last_event < ?", stored.Stamp(q.Until))
	}
	return s
}

// TranscriptPosition implements mem.Store.
func (s *Store) TranscriptPosition(ctx context.Context, session string) (mem.TranscriptPosition, error) {
	p := mem.TranscriptPosition{Session: session}
	row, found, err := first(ctx, s.pool, query("SELECT doc FROM session WHERE id = ?", session),
		document[sessionRow]("session"))
	if found {
		p.To, p.Hash = row.CheckedTo, row.CheckedHash
	}
	return p, wrap("transcript position of "+session, err)
}

// maxBranches is how many branches of sessions are counted.
const maxBranches = 50

func countFields(c *mem.Count) []any { return []any{&c.Value, &c.N} }

// SessionPage implements mem.Store.
func (s *Store) SessionPage(ctx context.Context, q mem.SessionQuery) (out mem.SessionPage, err error) {
	out.Sessions, err = s.sessionRows(ctx, q)
	anyAgent, anyBranch := q, q
	anyAgent.Agent, anyBranch.Branch = "", ""
	agents, err2 := rows(ctx, s.pool, sessionsWhere("s.agent, count(*)", anyAgent).
		add(" GROUP BY 1 ORDER BY 2 DESC, 1"), into(countFields))
	for _, c := range agents {
		if q.Agent == "" || c.Value == q.Agent {
			out.Total += c.N
		}
	}
	of := sessionsWhere("s.number", anyBranch)
	branches, err3 := rows(ctx, s.pool, query("SELECT m.branch, count(DISTINCT m.session) FROM memory m "+
		"WHERE m.branch <> '' AND m.session IN (").append(of).add(") GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?", maxBranches),
		into(countFields))
	out.Agents, out.Branches = agents, append([]mem.Count{}, branches...)
	return out, wrap("sessions", errors.Join(err, err2, err3))
}

// sessionRows reads the sessions of the page, with counts of what belongs to each.
func (s *database) sessionRows(ctx context.Context, q mem.SessionQuery) ([]mem.SessionRow, error) {
	return rows(ctx, s.pool, sessionsWhere(sessionColumns+`,
		(SELECT count(*) FROM memory m WHERE m.session = s.number AND m.status = 'active' AND m.kind <> 'utterance'),
		(SELECT count(DISTINCT f) FROM memory m, unnest(m.files) f WHERE m.session = s.number AND m.status = 'active'),
		(SELECT count(*) FROM receipt r WHERE r.session = s.number AND r.outcome = 'injected'),
		(SELECT coalesce(sum(tokens), 0)::bigint FROM receipt r WHERE r.session = s.number AND r.outcome = 'injected'),
		ARRAY(SELECT DISTINCT m.branch FROM memory m WHERE m.session = s.number AND m.branch <> '')`, q).
		add(" ORDER BY s.last_event DESC, s.number DESC").page(q.Limit, q.Offset),
		func(r pgx.Rows) (v mem.SessionRow, err error) {
			v.Session, err = s.scanSession(r, &v.Memories, &v.Files, &v.Injections, &v.InjectedTokens, &v.Branches)
			slices.Sort(v.Branches)
			return v, err
		})
}
