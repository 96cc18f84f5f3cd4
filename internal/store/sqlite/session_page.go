package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// SessionPage implements mem.Store.
func (s *sessionStore) SessionPage(ctx context.Context, q mem.SessionQuery) (mem.SessionPage, error) {
	page, err := stored.SessionPage(ctx, q, s.sessionRows, s.agents, s.branches)
	return page, wrap("sessions", err)
}

// agents counts sessions by agent.
func (s *sessionStore) agents(ctx context.Context, q mem.SessionQuery) ([]mem.Count, error) {
	return rows(ctx, s.read, stmt("SELECT s.agent, count(*) FROM session s").where(sessionFilter(q)).
		add(" GROUP BY 1 ORDER BY 2 DESC, 1"), into(countFields))
}

// branches counts sessions by the branches of their memories. A session has few
// branches and many memories: its branches are looked up one after the other, each
// as the next beyond the last.
func (s *sessionStore) branches(ctx context.Context, q mem.SessionQuery) ([]mem.Count, error) {
	const next = "(SELECT min(branch) FROM memory INDEXED BY memory_branch WHERE session = "
	return rows(ctx, s.read, stmt("WITH RECURSIVE found (session, branch) AS (SELECT s.number, "+next+
		"s.number AND branch > '') FROM session s").where(sessionFilter(q)).add(` UNION ALL
			SELECT session, `+next+`l.session AND branch > l.branch) FROM found l WHERE l.branch IS NOT NULL)
		SELECT branch, count(*) FROM found WHERE branch IS NOT NULL GROUP BY 1 ORDER BY 2 DESC, 1`).limit(stored.MaxBranches),
		into(countFields))
}

func countFields(c *mem.Count) []any { return []any{&c.Value, &c.N} }

func sessionFilter(q mem.SessionQuery) *filter {
	f := (&filter{}).project("s.project", q.Project).equal("s.agent", q.Agent)
	if q.Branch != "" {
		f.and("EXISTS (SELECT 1 FROM memory WHERE session = s.number AND branch = ?)", q.Branch)
	}
	if q.AutoCompactModel != "" {
		f.and("s.cliff > 0 AND s.model = ?", q.AutoCompactModel)
	}
	if !q.Since.IsZero() {
		f.and("s.last_event >= ?", stored.Stamp(q.Since))
	}
	if !q.Until.IsZero() {
		f.and("s.last_event < ?", stored.Stamp(q.Until))
	}
	return f
}

// sessionRows reads the sessions of the page, with counts of what belongs to each.
func (s *sessionStore) sessionRows(ctx context.Context, q mem.SessionQuery) ([]mem.SessionRow, error) {
	return rows(ctx, s.read, stmt(selectSessions+`,
		(SELECT count(*) FROM memory WHERE session = s.number AND status = 'active' AND kind <> 'utterance'),
		(SELECT count(DISTINCT p.path) FROM memory m JOIN memory_file p ON p.memory = m.number WHERE m.session = s.number
		AND m.status = 'active'),
		(SELECT count(*) FROM receipt WHERE session = s.number AND outcome = 'injected'),
		(SELECT coalesce(sum(tokens), 0) FROM receipt WHERE session = s.number AND outcome = 'injected'),
		(SELECT json_group_array(DISTINCT branch) FILTER (WHERE branch <> '') FROM memory WHERE session = s.number)
		FROM session s`).where(sessionFilter(q)).orderBy("s.last_event DESC, s.number DESC").page(q.Limit, q.Offset),
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
