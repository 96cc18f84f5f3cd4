//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"slices"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
)

// FindSession reads a session by its id.
func (tx *transaction) FindSession(ctx context.Context, id string) (s mem.Session, found bool, err error) {
	r, found, err := first(ctx, tx, query("SELECT doc FROM session WHERE sid = ?", id), whole)
	if err == nil && found {
		s, err = form.Session(r)
	}
	return s, found, err
}

// InsertSession writes a new session.
func (tx *transaction) InsertSession(ctx context.Context, s mem.Session) error {
	return tx.UpdateSession(ctx, s)
}

// UpdateSession writes a session, new or not. What else its record has stays.
func (tx *transaction) UpdateSession(ctx context.Context, s mem.Session) error {
	doc, err := stored.EncodeSession(&s)
	if err != nil {
		return err
	}
	return tx.exec(ctx, query("UPSERT type::record('session', ?) MERGE ? RETURN NONE", s.Number, map[string]any{
		"number": s.Number, "sid": s.ID, "short": s.Short, "agent": s.Agent, "project": s.Project, "model": s.Model,
		"cliff": s.AutoCompactTokens, "last_event": stored.Stamp(s.LastEvent), "doc": doc,
	}))
}

// PutTranscriptPosition writes how far the transcript of a session was checked.
func (tx *transaction) PutTranscriptPosition(ctx context.Context, p mem.TranscriptPosition) error {
	return tx.exec(ctx, query("UPDATE session SET checked_to = ?, checked_hash = ? WHERE sid = ? RETURN NONE", p.To,
		p.Hash, p.Session))
}

// changeInjected adds to the injected tokens of a session.
func (tx *transaction) changeInjected(ctx context.Context, session any, tokens int) error {
	if tokens == 0 {
		return nil
	}
	s, err := get(ctx, tx, query("SELECT doc FROM session WHERE number = ?", numberOf(session)), form.Session)
	if err != nil {
		return err
	}
	s.InjectedTokens = max(0, s.InjectedTokens+tokens)
	return tx.UpdateSession(ctx, s)
}

// ClearInjected removes all keys of the session of the event.
func (e *entry) ClearInjected(ctx context.Context) error {
	return e.exec(ctx, query("DELETE injected_key WHERE session = ? RETURN NONE", e.Session.Number))
}

// CopyInjected adds the keys of a session to those of the session of the event.
func (e *entry) CopyInjected(ctx context.Context, from string) error {
	n, err := sessionNumber(ctx, e, from)
	if err != nil {
		return err
	}
	keys, err := rows(ctx, e, query("SELECT key FROM injected_key WHERE session = ?", n), text("key"))
	if err != nil {
		return err
	}
	return e.putInjected(ctx, e.Session.Number, keys)
}

// Session implements mem.Store.
func (s *Store) Session(ctx context.Context, id string) (mem.Session, error) {
	v, err := s.session(ctx, id)
	return v, wrap("session "+id, err)
}

// session reads one session with what was injected into it. Events name sessions by the full id, people by a short one.
func (s *database) session(ctx context.Context, id string) (v mem.Session, err error) {
	if id == "" {
		return v, mem.ErrNotFound
	}
	found, err := s.run(ctx, query("SELECT number, doc FROM session WHERE sid = ?", id))
	if err == nil && len(found) == 0 {
		found, err = s.run(ctx, query("SELECT number, doc FROM session WHERE short = ?", id))
	}
	if err == nil && len(found) == 0 {
		found, err = s.run(ctx, query("SELECT number, doc FROM session WHERE sid > ? AND sid < ? OR short > ? AND short < ?",
			id, stored.Above(id), id, stored.Above(id)))
	}
	switch {
	case err != nil:
		return v, err
	case len(found) == 0:
		return v, mem.ErrNotFound
	case len(found) > 1:
		return v, mem.ErrAmbiguous
	}
	all, err := s.sessionsOf(ctx, found)
	if err != nil {
		return v, err
	}
	if len(all) == 0 { // its document cannot be decoded
		return v, mem.ErrNotFound
	}
	v = all[0].Session
	n := found[0].Number("number")
	injected, err := rows(ctx, s, query("SELECT key FROM injected_key WHERE session = ?", n), text("key"))
	if err != nil {
		return v, err
	}
	v.Injected = make(map[string]bool, len(injected))
	for _, k := range injected {
		v.Injected[k] = true
	}
	memories, err := rows(ctx, s, query("SELECT number FROM memory WHERE session = ?", n), number("number"))
	v.Memories = min(len(memories), mem.MemoriesCounted)
	return v, err
}

// numbered is a session with the number of its row.
type numbered struct {
	mem.Session
	n int64
}

// sessionsOf decodes sessions, and derives the states that are not stored. Those that cannot be decoded are left out.
func (s *database) sessionsOf(ctx context.Context, all []row) (out []numbered, err error) {
	var numbers []int64
	for _, r := range all {
		numbers = append(numbers, r.Number("number"))
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	busy, err := rows(ctx, s, query("SELECT session FROM job WHERE session IN ? AND dead = false", numbers),
		number("session"))
	if err != nil {
		return nil, err
	}
	for i, r := range all {
		v, err := form.Session(r)
		if err != nil {
			continue
		}
		v.Status = v.StatusAt(s.now(), slices.Contains(busy, numbers[i]))
		out = append(out, numbered{v, numbers[i]})
	}
	return out, nil
}

// Sessions implements mem.Store.
func (s *Store) Sessions(ctx context.Context, q mem.SessionQuery) (out []mem.Session, err error) {
	found, err := s.sessionsPage(ctx, q)
	for _, v := range found {
		out = append(out, v.Session)
	}
	return out, wrap("sessions", err)
}

func (s *database) sessionsPage(ctx context.Context, q mem.SessionQuery) ([]numbered, error) {
	where, err := s.sessionsWhere(ctx, q)
	if err != nil {
		return nil, err
	}
	all, err := s.run(ctx, query("SELECT number, last_event FROM session WHERE ").Append(where))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b row) int {
		return cmp.Or(descending(a.Number("last_event"), b.Number("last_event")),
			descending(a.Number("number"), b.Number("number")))
	})
	found, err := inTurn(ctx, s, "number, doc", "session", "number", numbersOf(stored.Page(all, q.Limit, q.Offset)))
	if err != nil {
		return nil, err
	}
	return s.sessionsOf(ctx, found)
}

// sessionsWhere is the condition of the sessions that pass q.
func (s *database) sessionsWhere(ctx context.Context, q mem.SessionQuery) (*statement, error) {
	project, err := canonical(ctx, s, q.Project)
	w := query("true").Equal("project", project).Equal("agent", q.Agent)
	if err == nil && q.Branch != "" {
		var of []int64
		of, err = rows(ctx, s, query("SELECT session FROM memory WHERE branch = ? GROUP BY session", q.Branch),
			number("session"))
		w.And("number IN ?", append([]int64{}, of...))
	}
	if q.AutoCompactModel != "" {
		w.And("cliff > 0 AND model = ?", q.AutoCompactModel)
	}
	if !q.Since.IsZero() {
		w.And("last_event >= ?", stored.Stamp(q.Since))
	}
	if !q.Until.IsZero() {
		w.And("last_event < ?", stored.Stamp(q.Until))
	}
	return w, err
}

// sessionsSince returns the numbers of the sessions of a project, "" for all, that were active at a time or later.
func (s *database) sessionsSince(ctx context.Context, db querier, project string, since time.Time) ([]int64, error) {
	project, err := canonical(ctx, db, project)
	if err != nil {
		return nil, err
	}
	q := query("SELECT number FROM session WHERE true").Equal("project", project)
	if !since.IsZero() {
		q.And("last_event >= ?", stored.Stamp(since))
	}
	found, err := rows(ctx, db, q, number("number"))
	return append([]int64{}, found...), err
}

// TranscriptPosition implements mem.Store.
func (s *Store) TranscriptPosition(ctx context.Context, session string) (mem.TranscriptPosition, error) {
	r, _, err := first(ctx, s, query("SELECT checked_to, checked_hash FROM session WHERE sid = ?", session), whole)
	p := mem.TranscriptPosition{Session: session, To: r.Number("checked_to"), Hash: r.Text("checked_hash")}
	return p, wrap("transcript position of "+session, err)
}

// SessionPage implements mem.Store.
func (s *Store) SessionPage(ctx context.Context, q mem.SessionQuery) (mem.SessionPage, error) {
	page, err := stored.SessionPage(ctx, q, s.sessionRows, s.agents, s.branches)
	return page, wrap("sessions", err)
}

// agents counts the sessions that pass q by agent.
func (s *database) agents(ctx context.Context, q mem.SessionQuery) ([]mem.Count, error) {
	where, err := s.sessionsWhere(ctx, q)
	if err != nil {
		return nil, err
	}
	return rows(ctx, s, query("SELECT agent, count() AS n FROM session WHERE ").Append(where).
		Add(" GROUP BY agent ORDER BY n DESC, agent"), func(r row) (mem.Count, error) {
		return mem.Count{Value: r.Text("agent"), N: r.Count("n")}, nil
	})
}

// branches counts the sessions that pass q by branch.
func (s *database) branches(ctx context.Context, q mem.SessionQuery) ([]mem.Count, error) {
	where, err := s.sessionsWhere(ctx, q)
	if err != nil {
		return nil, err
	}
	passing, err := rows(ctx, s, query("SELECT number FROM session WHERE ").Append(where), number("number"))
	if err != nil {
		return nil, err
	}
	passes := map[int64]bool{}
	for _, n := range passing {
		passes[n] = true
	}
	pairs, err := s.run(ctx, query("SELECT branch, session FROM memory WHERE branch != '' AND session > 0 "+
		"GROUP BY branch, session"))
	counts := map[string]int{}
	for _, r := range pairs {
		if passes[r.Number("session")] {
			counts[r.Text("branch")]++
		}
	}
	var out []mem.Count
	for value, n := range counts {
		out = append(out, mem.Count{Value: value, N: n})
	}
	slices.SortFunc(out, func(a, b mem.Count) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value)) })
	return out[:min(len(out), stored.MaxBranches)], err
}

// sessionRows reads the sessions of the page, with counts of what belongs to each.
func (s *database) sessionRows(ctx context.Context, q mem.SessionQuery) (out []mem.SessionRow, err error) {
	page, err := s.sessionsPage(ctx, q)
	if err != nil || len(page) == 0 {
		return nil, err
	}
	numbers := make([]int64, len(page))
	place := map[int64]int{}
	for i, v := range page {
		numbers[i], place[v.n] = v.n, i
		out = append(out, mem.SessionRow{Session: v.Session, Branches: []string{}})
	}
	memories, err := among(ctx, s, numbers, func(part []int64) *statement {
		return query("SELECT session, status, kind, files, branch FROM memory WHERE session IN ?", part)
	})
	if err != nil {
		return nil, err
	}
	files := make([]map[string]bool, len(page))
	for _, r := range memories {
		i := place[r.Number("session")]
		if b := r.Text("branch"); b != "" && !slices.Contains(out[i].Branches, b) {
			out[i].Branches = append(out[i].Branches, b)
		}
		if r.Text("status") != string(mem.Active) {
			continue
		}
		if r.Text("kind") != string(mem.Utterance) {
			out[i].Memories++
		}
		for _, f := range r.Texts("files") {
			if files[i] == nil {
				files[i] = map[string]bool{}
			}
			files[i][f] = true
		}
	}
	receipts, err := among(ctx, s, numbers, func(part []int64) *statement {
		return query("SELECT session, count() AS n, math::sum(tokens) AS tokens FROM receipt "+
			"WHERE session IN ? AND outcome = 'injected' GROUP BY session", part)
	})
	for _, r := range receipts {
		i := place[r.Number("session")]
		out[i].Injections, out[i].InjectedTokens = r.Count("n"), r.Count("tokens")
	}
	for i := range out {
		slices.Sort(out[i].Branches)
		out[i].Files = len(files[i])
	}
	return out, err
}
