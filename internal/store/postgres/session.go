//go:build postgres || backends

package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// FindSession reads a session by its id.
func (tx *transaction) FindSession(ctx context.Context, id string) (s mem.Session, found bool, err error) {
	var doc string
	if found, err = tx.find(ctx, query("SELECT doc FROM session WHERE id = ?", id), &doc); err == nil && found {
		s, err = stored.DecodeSession(doc)
	}
	return s, found, err
}

// InsertSession writes a new session.
func (tx *transaction) InsertSession(ctx context.Context, s mem.Session) error {
	return tx.UpdateSession(ctx, s)
}

// UpdateSession writes a session, new or not.
func (tx *transaction) UpdateSession(ctx context.Context, s mem.Session) error {
	q, err := sessionStatement(s)
	if err != nil {
		return err
	}
	return tx.exec(ctx, q)
}

// sessionStatement is the statement of UpdateSession.
func sessionStatement(s mem.Session) (*statement, error) {
	doc, err := stored.EncodeSession(&s)
	if err != nil {
		return nil, err
	}
	return query(`INSERT INTO session (number, id, short, agent, project, model, cliff, last_event, doc)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number) DO UPDATE SET agent = excluded.agent,
		project = excluded.project, model = excluded.model, cliff = excluded.cliff, last_event = excluded.last_event,
		doc = excluded.doc`,
		s.Number, s.ID, s.Short, s.Agent, s.Project, s.Model, s.AutoCompactTokens, stored.Stamp(s.LastEvent), doc), nil
}

// PutTranscriptPosition writes how far the transcript of a session was checked.
func (tx *transaction) PutTranscriptPosition(ctx context.Context, p mem.TranscriptPosition) error {
	return tx.exec(ctx, query("UPDATE session SET checked_to = ?, checked_hash = ? WHERE id = ?", p.To, p.Hash, p.Session))
}

// changeInjected adds to the injected tokens of a session.
func (tx *transaction) changeInjected(ctx context.Context, session any, tokens int) error {
	if tokens == 0 {
		return nil
	}
	var doc string
	if err := tx.get(ctx, query("SELECT doc FROM session WHERE number = ?", session), &doc); err != nil {
		return err
	}
	s, err := stored.DecodeSession(doc)
	if err != nil {
		return err
	}
	s.InjectedTokens = max(0, s.InjectedTokens+tokens)
	return tx.UpdateSession(ctx, s)
}

// ClearInjected removes all keys of the session of the event.
func (e *entry) ClearInjected(ctx context.Context) error {
	return e.exec(ctx, query("DELETE FROM injected_key WHERE session = ?", e.Session.Number))
}

// CopyInjected adds the keys of a session to those of the session of the event.
func (e *entry) CopyInjected(ctx context.Context, from string) error {
	return e.exec(ctx, query(`INSERT INTO injected_key (session, key) SELECT ?::bigint, k.key FROM injected_key k
		JOIN session s ON s.number = k.session WHERE s.id = ? ON CONFLICT DO NOTHING`, e.Session.Number, from))
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
	if v, err = stored.DecodeSession(doc); err != nil {
		return v, err
	}
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
	p, _, err := first(ctx, s.pool, query("SELECT checked_to, checked_hash FROM session WHERE id = ?", session),
		into(func(p *mem.TranscriptPosition) []any { return []any{&p.To, &p.Hash} }))
	p.Session = session
	return p, wrap("transcript position of "+session, err)
}

func countFields(c *mem.Count) []any { return []any{&c.Value, &c.N} }

// SessionPage implements mem.Store.
func (s *Store) SessionPage(ctx context.Context, q mem.SessionQuery) (mem.SessionPage, error) {
	page, err := stored.SessionPage(ctx, q, s.sessionRows, s.agents, s.branches)
	return page, wrap("sessions", err)
}

// agents counts the sessions that pass q by agent.
func (s *database) agents(ctx context.Context, q mem.SessionQuery) ([]mem.Count, error) {
	return rows(ctx, s.pool, sessionsWhere("s.agent, count(*)", q).add(" GROUP BY 1 ORDER BY 2 DESC, 1"),
		into(countFields))
}

// branches counts the sessions that pass q by branch.
func (s *database) branches(ctx context.Context, q mem.SessionQuery) ([]mem.Count, error) {
	return rows(ctx, s.pool, query("SELECT m.branch, count(DISTINCT m.session) FROM memory m WHERE m.branch <> '' "+
		"AND m.session IN (").append(sessionsWhere("s.number", q)).
		add(") GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?", stored.MaxBranches), into(countFields))
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
