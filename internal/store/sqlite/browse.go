package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"remanence/internal/mem"
)

// SessionPage implements mem.Store.
func (s *sessionStore) SessionPage(ctx context.Context, q mem.SessionQuery) (mem.SessionPage, error) {
	out, err := s.page(ctx, q)
	if err != nil {
		return out, fmt.Errorf("sessions: %w", translate(err))
	}
	return out, nil
}

func (s *sessionStore) page(ctx context.Context, q mem.SessionQuery) (out mem.SessionPage, err error) {
	f := sessionFilter(q)
	if out.Sessions, err = s.sessionRows(ctx, f, q); err != nil {
		return out, err
	}
	anyAgent := q
	anyAgent.Agent = ""
	agents := sessionFilter(anyAgent)
	out.Agents, err = rows(ctx, s.read, "SELECT s.agent, count(*) FROM session s WHERE "+agents.where()+
		" GROUP BY 1 ORDER BY 2 DESC, 1", agents.args, valueCount)
	if err != nil {
		return out, err
	}
	for _, c := range out.Agents {
		if q.Agent == "" || c.Value == q.Agent {
			out.Total += c.N
		}
	}
	anyBranch := q
	anyBranch.Branch = ""
	out.Branches, err = s.branches(ctx, sessionFilter(anyBranch))
	return out, err
}

// maxBranches is how many branches are counted that sessions learned something on.
const maxBranches = 50

// branches counts sessions by the branches they learned something on. A session
// has few branches and many memories: its branches are looked up one after the
// other, each as the next beyond the last.
func (s *sessionStore) branches(ctx context.Context, f *filter) ([]mem.Count, error) {
	query := `WITH RECURSIVE learned (session, branch) AS (
			SELECT s.number, (SELECT min(branch) FROM memory INDEXED BY memory_branch WHERE session = s.number
			AND branch > '') FROM session s WHERE ` + f.where() + `
			UNION ALL
			SELECT session, (SELECT min(branch) FROM memory INDEXED BY memory_branch WHERE session = l.session
			AND branch > l.branch) FROM learned l WHERE l.branch IS NOT NULL)
		SELECT branch, count(*) FROM learned WHERE branch IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?+0`
	counts, err := rows(ctx, s.read, query, append(slices.Clone(f.args), maxBranches), valueCount)
	return append([]mem.Count{}, counts...), err
}

func valueCount(r *sql.Rows) (c mem.Count, err error) {
	err = r.Scan(&c.Value, &c.N)
	return c, err
}

func sessionFilter(q mem.SessionQuery) *filter {
	f := &filter{}
	if q.Project != "" {
		f.and("s.project = "+knownKey, q.Project, q.Project)
	}
	if q.Agent != "" {
		f.and("s.agent = ?", q.Agent)
	}
	if q.Branch != "" {
		f.and("EXISTS (SELECT 1 FROM memory WHERE session = s.number AND branch = ?)", q.Branch)
	}
	if q.AutoCompactModel != "" {
		f.and("s.cliff > 0 AND s.model = ?", q.AutoCompactModel)
	}
	if !q.Since.IsZero() {
		f.and("s.last_event >= ?", stamp(q.Since))
	}
	if !q.Until.IsZero() {
		f.and("s.last_event < ?", stamp(q.Until))
	}
	return f
}

// sessionRows reads the sessions that are listed, and what came of each.
func (s *sessionStore) sessionRows(ctx context.Context, f *filter, q mem.SessionQuery) ([]mem.SessionRow, error) {
	query := "SELECT " + sessionColumns + ", " + jobWaits + `,
		(SELECT count(*) FROM memory WHERE session = s.number AND status = 'active' AND kind <> 'utterance'),
		(SELECT count(DISTINCT p.path) FROM memory m JOIN memory_file p ON p.memory = m.number WHERE m.session = s.number
		AND m.status = 'active'),
		(SELECT count(*) FROM receipt WHERE session = s.number AND outcome = 'injected'),
		(SELECT coalesce(sum(tokens), 0) FROM receipt WHERE session = s.number AND outcome = 'injected'),
		(SELECT json_group_array(DISTINCT branch) FILTER (WHERE branch <> '') FROM memory WHERE session = s.number)
		FROM session s WHERE ` + f.where() + " ORDER BY s.last_event DESC, s.number DESC LIMIT ?+0 OFFSET ?+0"
	return rows(ctx, s.read, query, append(slices.Clone(f.args), limitOr(q.Limit), max(0, q.Offset)),
		func(r *sql.Rows) (v mem.SessionRow, err error) {
			var branches string
			if v.Session, err = s.scanSession(r, &v.Memories, &v.Files, &v.Injections, &v.InjectedTokens,
				&branches); err != nil {
				return v, err
			}
			err = json.Unmarshal([]byte(branches), &v.Branches)
			slices.Sort(v.Branches)
			return v, err
		})
}

// Day implements mem.Store.
func (s *statistics) Day(ctx context.Context, project string, since time.Time) (mem.Day, error) {
	d := mem.Day{Since: since}
	at := stamp(since)
	own, key := "", []any(nil)
	if project != "" {
		own, key = " AND project = "+knownKey, []any{project, project}
	}
	// What happened is looked for in the sessions that were active: neither
	// events nor receipts are in the order of time.
	active := "session IN (SELECT number FROM session WHERE last_event >= ?" + own + ")"
	for _, q := range []struct {
		query string
		twice bool // asks for the time in the session and in the row
		dest  []any
	}{
		{"SELECT count(*) FROM session WHERE last_event >= ?" + own, false, []any{&d.Sessions}},
		{"SELECT count(*) FROM event WHERE " + active + " AND created_at >= ?", true, []any{&d.Captured}},
		{"SELECT count(*) FROM memory WHERE created >= ? AND kind <> 'utterance'" + own, false, []any{&d.Memories}},
		{`SELECT coalesce(sum(outcome = 'injected'), 0), coalesce(sum(outcome = 'abstained'), 0), coalesce(sum(tokens), 0)
			FROM receipt WHERE ` + active + " AND at >= ?", true, []any{&d.Recalled, &d.Abstained, &d.Tokens}},
	} {
		args := append([]any{at}, key...)
		if q.twice {
			args = append(args, at)
		}
		if err := s.read.QueryRowContext(ctx, q.query, args...).Scan(q.dest...); err != nil {
			return d, fmt.Errorf("day: %w", translate(err))
		}
	}
	return d, nil
}

// CountEvents implements mem.Store.
func (s *eventStore) CountEvents(ctx context.Context, session string) (n int, err error) {
	f := eventFilter(mem.EventQuery{Session: session}).and("e.payload <> ''")
	if err := s.read.QueryRowContext(ctx, "SELECT count(*) FROM event e WHERE "+f.where(),
		f.args...).Scan(&n); err != nil {
		return 0, fmt.Errorf("events of %s: %w", session, translate(err))
	}
	return n, nil
}

// SupersededBy implements mem.Store.
func (s *memoryStore) SupersededBy(ctx context.Context, id string) (string, error) {
	found, err := rows(ctx, s.read,
		`SELECT m.id FROM memory o JOIN memory m ON m.project = o.project AND m.created >= o.created AND m.supersedes = o.id
		WHERE o.id = ? ORDER BY m.number DESC LIMIT 1`, []any{id}, one[string])
	if err != nil {
		return "", fmt.Errorf("successor of %s: %w", id, translate(err))
	}
	if len(found) == 0 {
		return "", nil
	}
	return found[0], nil
}
