//go:build postgres || backends

package postgres

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// inOrder reads the memories with the given numbers, in this order.
func inOrder(ctx context.Context, db querier, numbers []int64) ([]mem.Memory, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	return rows(ctx, db, query("SELECT "+memoryColumns+` FROM unnest(?::bigint[]) WITH ORDINALITY list(number, place)
		JOIN memory m ON m.number = list.number ORDER BY list.place`, numbers), scanMemory)
}

// orders are the orders of a list.
var orders = map[mem.Order]string{
	mem.Newest:       "m.created DESC, m.number DESC",
	mem.Oldest:       "m.created, m.number",
	mem.ByImportance: "m.pinned DESC, m.importance DESC, m.created DESC, m.number DESC",
	mem.ByUpdate:     "m.updated DESC, m.created DESC, m.number DESC",
}

// List implements mem.Store.
func (s *Store) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	if len(q.IDs) > 0 {
		return s.byID(ctx, q)
	}
	order := orders[q.Order]
	if order == "" {
		order = orders[mem.Newest]
	}
	last := stored.LimitOr(q.Limit) + max(q.Offset, 0)
	list := query("SELECT " + memoryColumns + " FROM (")
	for i, part := range listParts(q) {
		if i > 0 {
			list.add(" UNION ALL ")
		}
		list.append(part).add(" ORDER BY "+order+" LIMIT ?)", last)
	}
	found, err := rows(ctx, s.pool, list.add(") m ORDER BY "+order).page(q.Limit, q.Offset), scanMemory)
	return found, wrap("list", err)
}

// listParts are queries that together select what q does: the memories of the project, and those of user scope, which
// are of no project. Each is read in the order of an index. With an OR the server would read all memories and sort
// them.
func listParts(q mem.Query) (parts []*statement) {
	const begin = "(SELECT m.* FROM memory m WHERE "
	key := q.Project
	if q.Project = ""; key == "" {
		return []*statement{memoriesWhere(begin, q)}
	}
	if len(q.Scopes) != 1 || q.Scopes[0] != mem.ScopeUser {
		parts = append(parts, memoriesWhere(begin, q).project("m.project", key))
	}
	if len(q.Scopes) == 0 || slices.Contains(q.Scopes, mem.ScopeUser) {
		parts = append(parts, memoriesWhere(begin, q).and("m.project = '' AND m.scope = 'user'"))
	}
	return parts
}

// byID returns exactly the memories that q names.
func (s *database) byID(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	numbers, err := s.resolveIDs(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("memory %w", translate(err))
	}
	found, err := rows(ctx, s.pool, query("SELECT "+memoryColumns+" FROM memory m WHERE m.number = ANY(?)", numbers),
		scanStored)
	if err != nil {
		return nil, wrap("list", err)
	}
	byNumber, err := stored.ByNumber(found)
	if err != nil {
		return nil, err
	}
	return stored.InOrder(q, numbers, byNumber)
}

// resolveIDs resolves the ids of q: exact ones in one query, prefixes one by one.
func (s *database) resolveIDs(ctx context.Context, q mem.Query) ([]int64, error) {
	var whole []int64
	if len(q.IDs) > 1 || q.ExactIDs {
		var err error
		if whole, err = rows(ctx, s.pool, withStatus(query("SELECT m.number FROM memory m WHERE m.id = ANY(?)", q.IDs), q),
			one[int64]); err != nil {
			return nil, err
		}
	}
	return stored.Numbers(q, whole, func(id string) (int64, error) {
		return resolveID(ctx, s.pool, "memory", id, func(f *statement) *statement { return withStatus(f, q) })
	})
}

// withStatus narrows by status.
func withStatus(s *statement, q mem.Query) *statement {
	switch {
	case len(q.Statuses) > 0:
		s.and("m.status = ANY(?)", texts(q.Statuses))
	case !q.Hidden:
		s.and("m.status = 'active'")
	}
	return s
}

// memoriesWhere returns a text and the conditions of q other than terms and ids.
func memoriesWhere(text string, q mem.Query) *statement {
	s := withStatus(query(text+"true"), q)
	withPlace(s, q)
	withKind(s, q)
	file := stored.Cut(q.File, longest)
	switch {
	case q.File == "":
	case strings.HasSuffix(q.File, "/"):
		s.and("m.dirs @> ARRAY[?::text]", file)
	case strings.HasPrefix(q.File, ".") && !strings.ContainsAny(q.File, "/"):
		s.and("(m.exts @> ARRAY[?::text] OR m.files @> ARRAY[?::text])", file, file)
	default:
		s.and("m.files @> ARRAY[?::text]", file)
	}
	if len(q.Tags) > 0 {
		s.and("m.tags && ?::text[]", indexed(q.Tags))
	}
	if q.InVault {
		s.and("m.note <> ''")
	}
	if len(q.Notes) > 0 {
		s.and("m.note <> '' AND m.note = ANY (?::text[])", q.Notes)
	}
	if q.Proposed {
		s.and("m.proposed")
	}
	if q.Used { // within a text of the document the quotes would be escaped
		s.and(`strpos(m.doc, '"used_in":[') > 0`)
	}
	if q.LinksOutdated {
		s.and("m.outdated")
	}
	if !q.After.IsZero() {
		s.and("m.created >= ?", stored.Stamp(q.After))
	}
	if !q.Before.IsZero() {
		s.and("m.created < ?", stored.Stamp(q.Before))
	}
	if !q.HiddenBefore.IsZero() {
		s.and("m.status = 'forgotten' AND m.hidden < ?", stored.Stamp(q.HiddenBefore))
	}
	return s
}

// withPlace narrows by project and session. Memories of session scope are returned only if q names their session.
func withPlace(s *statement, q mem.Query) {
	if q.Project != "" {
		s.and("(m.project = "+canonicalKey+" OR m.project = '' AND m.scope = 'user')", q.Project, q.Project)
	}
	switch {
	case q.Session != "":
		s.session("m.session", q.Session)
	case q.Within == "":
		s.and("m.scope <> 'session'")
	case q.Within != "*":
		s.and("(m.scope <> 'session' OR m.session = (SELECT number FROM session WHERE id = ?))", q.Within)
	}
	s.equal("m.command", q.Command).equal("m.prompt_id", q.PromptID).equal("m.agent", q.Agent).equal("m.branch", q.Branch)
}

// withKind narrows by kind, scope and quality.
func withKind(s *statement, q mem.Query) {
	if len(q.Scopes) > 0 {
		s.and("m.scope = ANY(?)", texts(q.Scopes))
	}
	if len(q.Kinds) == 0 {
		s.and("m.kind <> 'utterance'")
	} else {
		s.and("m.kind = ANY(?)", texts(q.Kinds))
	}
	if len(q.NotKinds) > 0 {
		s.and("m.kind <> ALL(?)", texts(q.NotKinds))
	}
	if q.MinImportance > 0 {
		s.and("m.importance >= ?", q.MinImportance)
	}
	if q.MinTrust > 0 {
		// No argument: few memories have the highest, and the server plans for that.
		s.and("m.trust >= " + strconv.Itoa(int(q.MinTrust)))
	}
	if q.Open {
		s.and("NOT m.resolved")
	}
}

// SupersededBy implements mem.Store.
func (s *Store) SupersededBy(ctx context.Context, id string) (string, error) {
	by, _, err := first(ctx, s.pool, query(`SELECT m.id FROM memory o
		JOIN memory m ON m.supersedes = o.id AND m.supersedes <> '' AND m.project = o.project AND m.created >= o.created
		WHERE o.id = ? ORDER BY m.number DESC LIMIT 1`, id), one[string])
	return by, wrap("successor of "+id, err)
}

// FileCounts implements mem.Store. Injections are counted only for the files that are returned.
func (s *Store) FileCounts(ctx context.Context, project, under string, limit int) ([]mem.FileRow, int, error) {
	q := query(`WITH top AS (
		SELECT f.path, count(*) FILTER (WHERE m.kind <> 'change') AS known,
			coalesce(sum(1 + m.repeats) FILTER (WHERE m.kind = 'change'), 0)::bigint AS changes,
			max(m.created) AS last, count(*) OVER () AS files
		FROM memory m CROSS JOIN LATERAL unnest(m.files) f(path)
		WHERE m.status = 'active' AND m.kind <> 'utterance'`).project("m.project", project)
	if under = strings.TrimSuffix(under, "/"); under != "" {
		q.and(`starts_with(f.path, ?)`, under+"/")
	}
	q.add(` GROUP BY f.path ORDER BY known DESC, changes DESC, f.path COLLATE "C" LIMIT ?)
		SELECT path, known, changes, last, files, (SELECT count(*) FROM memory m
			JOIN receipt_item i ON i.memory = m.id AND i.injected WHERE m.files @> ARRAY[top.path])
		FROM top ORDER BY known DESC, changes DESC, path COLLATE "C"`, stored.LimitOr(limit))
	total := 0
	found, err := rows(ctx, s.pool, q, func(r pgx.Rows) (l mem.FileRow, err error) {
		err = r.Scan(&l.Path, &l.Memories, &l.Changes, timeAt(&l.Last), &total, &l.Recalls)
		return l, err
	})
	return found, total, wrap("files", err)
}
