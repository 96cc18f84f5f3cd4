package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"remanence/internal/mem"
)

const (
	maxTerms  = 64  // E.g. 20,000 terms would take a second
	maxPhrase = 400 // bytes of one term
)

// Match implements mem.Store. The full-text table drives: it is asked once, by
// terms alone, and what it finds is filtered, scored and cut before a single
// memory is read.
func (s *Store) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	terms := matchTerms(q.Terms)
	if terms == "" {
		return nil, nil
	}
	f, err := s.memoryFilter(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("match: %w", err)
	}
	args := append([]any{terms}, f.args...)
	args = append(args, limitOr(q.Limit), max(q.Offset, 0))
	hits, err := rows(ctx, s.read, matchQuery(f), args, scanHit)
	if err != nil {
		return nil, fmt.Errorf("match: %w", translate(err))
	}
	return hits, nil
}

// matchQuery weighs body, title and ident. CROSS JOIN keeps the order of the
// tables: with a filter that looks selective the planner would else ask the
// full-text table once per memory.
func matchQuery(f *filter) string {
	return `WITH best AS (
		SELECT m.number, bm25(memory_fts, 1.0, 0.8, 0.7) AS score, m.created
		FROM memory_fts CROSS JOIN memory m ON m.number = memory_fts.rowid
		WHERE memory_fts MATCH ? AND ` + f.where() + `
		ORDER BY score, m.created DESC, m.number DESC LIMIT ? OFFSET ?)
	SELECT -best.score, ` + memoryColumns + ` FROM best CROSS JOIN memory m ON m.number = best.number
	LEFT JOIN session s ON s.number = m.session ORDER BY best.score, best.created DESC, best.number DESC`
}

func scanHit(r *sql.Rows) (mem.Hit, error) {
	var row memoryRow
	var h mem.Hit
	if err := r.Scan(append([]any{&h.Score}, row.fields()...)...); err != nil {
		return h, err
	}
	row.Index = ""
	err := row.unpack()
	h.Memory = row.Memory
	return h, err
}

// matchTerms writes the terms as a full-text expression in which every one is
// a quoted string: nothing in them is syntax.
func matchTerms(terms []string) string {
	seen := map[string]bool{}
	var quoted []string
	for _, t := range terms {
		t = quotable(t)
		if t == "" || seen[t] {
			continue
		}
		seen[t] = true
		quoted = append(quoted, `"`+strings.ReplaceAll(t, `"`, `""`)+`"`)
		if len(quoted) == maxTerms {
			break
		}
	}
	return strings.Join(quoted, " OR ")
}

// quotable returns a term without control characters, or nothing if it holds no word.
func quotable(t string) string {
	if len(t) > maxPhrase {
		t = t[:maxPhrase]
	}
	word := false
	t = strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar || unicode.IsControl(r):
			return ' '
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r):
			word = true
		}
		return r
	}, t)
	if !word {
		return ""
	}
	return t
}

// List implements mem.Store.
func (s *Store) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	if len(q.IDs) > 0 {
		return s.byID(ctx, q)
	}
	f, err := s.memoryFilter(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	order := "m.created DESC, m.number DESC"
	switch q.Order {
	case mem.ByImportance:
		order = "m.importance DESC, " + order
	case mem.ByUpdate:
		order = "m.updated DESC, " + order
	}
	query := "WITH page AS (SELECT m.number FROM memory m WHERE " + f.where() + " ORDER BY " + order + ` LIMIT ? OFFSET ?)
		SELECT ` + memoryColumns + ` FROM page CROSS JOIN memory m ON m.number = page.number
		LEFT JOIN session s ON s.number = m.session ORDER BY ` + order
	found, err := rows(ctx, s.read, query, append(f.args, limitOr(q.Limit), max(q.Offset, 0)), scanMemory)
	if err != nil {
		return nil, fmt.Errorf("list: %w", translate(err))
	}
	return found, nil
}

// byID returns exactly the memories that q names.
func (s *Store) byID(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	numbers, err := s.numbers(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("memory %w", err)
	}
	found, err := rows(ctx, s.read, "SELECT "+memoryColumns+` FROM memory m LEFT JOIN session s ON s.number = m.session
		WHERE m.number IN (SELECT value FROM json_each(?))`, []any{array(numbers)}, scanMemory)
	if err != nil {
		return nil, fmt.Errorf("list: %w", translate(err))
	}
	byID := make(map[string]mem.Memory, len(found))
	for _, m := range found {
		byID[m.ID] = m
	}
	out := make([]mem.Memory, 0, len(numbers))
	for _, n := range numbers {
		m, ok := byID[shortID("m_", n)]
		if !ok {
			return nil, fmt.Errorf("memory %s: %w", shortID("m_", n), mem.ErrNotFound)
		}
		out = append(out, m)
	}
	return out, nil
}

// numbers resolves the ids of q.
func (s *Store) numbers(ctx context.Context, q mem.Query) ([]int64, error) {
	visible := &filter{}
	if !q.Hidden {
		visible.and("m.status = 'active'")
	}
	out := make([]int64, 0, len(q.IDs))
	for _, id := range q.IDs {
		n, err := s.single(ctx, "memory", "id", id, visible)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}

// memoryFilter turns everything that q asks for, but its terms, into conditions.
func (s *Store) memoryFilter(ctx context.Context, q mem.Query) (*filter, error) {
	f := &filter{}
	if !q.Hidden {
		f.and("m.status = 'active'")
	}
	if len(q.IDs) > 0 {
		numbers, err := s.numbers(ctx, q)
		if errors.Is(err, mem.ErrNotFound) {
			return f.and("0"), nil
		}
		return f.and("m.number IN (SELECT value FROM json_each(?))", array(numbers)), err
	}
	placeFilter(f, q)
	kindFilter(f, q)
	if q.File != "" {
		fileFilter(f, q.File)
	}
	if len(q.Tags) > 0 {
		f.and("m.number IN (SELECT memory FROM memory_tag WHERE tag IN (SELECT value FROM json_each(?)))", array(q.Tags))
	}
	if !q.After.IsZero() {
		f.and("m.created >= ?", stamp(q.After))
	}
	if !q.Before.IsZero() {
		f.and("m.created < ?", stamp(q.Before))
	}
	return f, nil
}

// placeFilter narrows by project and session. The memories of a session's own
// scope are seen only by those who name that session.
func placeFilter(f *filter, q mem.Query) {
	if q.Project != "" {
		f.and("(m.project = "+knownKey+" OR m.scope = 'user')", q.Project, q.Project)
	}
	switch {
	case q.Session != "":
		f.and("m.session = (SELECT number FROM session WHERE id=?)", q.Session)
	case q.Within == "":
		f.and("m.scope <> 'session'")
	case q.Within != "*":
		f.and("(m.scope <> 'session' OR m.session = (SELECT number FROM session WHERE id=?))", q.Within)
	}
	for condition, value := range map[string]string{
		"m.prompt_id = ?": q.PromptID, "m.command = ?": q.Command, "m.agent = ?": q.Agent, "m.branch = ?": q.Branch,
	} {
		if value != "" {
			f.and(condition, value)
		}
	}
}

// kindFilter narrows by what a memory is and how good it is.
func kindFilter(f *filter, q mem.Query) {
	if len(q.Scopes) > 0 {
		f.and("m.scope IN (SELECT value FROM json_each(?))", array(q.Scopes))
	}
	if len(q.Kinds) > 0 {
		f.and("m.kind IN (SELECT value FROM json_each(?))", array(q.Kinds))
	}
	if len(q.NotKinds) > 0 {
		f.and("m.kind NOT IN (SELECT value FROM json_each(?))", array(q.NotKinds))
	}
	if q.MinImportance > 0 {
		f.and("m.importance >= ?", q.MinImportance)
	}
	if q.MinTrust > 0 {
		f.and("m.trust >= ?", int(q.MinTrust))
	}
	if q.Open {
		f.and("m.resolved = 0")
	}
}

// fileFilter narrows to a file, what lies directly in a directory, or an extension.
func fileFilter(f *filter, file string) {
	switch {
	case strings.HasSuffix(file, "/"):
		f.and("m.number IN (SELECT memory FROM memory_file WHERE dir=?)", file)
	case strings.HasPrefix(file, ".") && !strings.Contains(file, "/"):
		f.and("m.number IN (SELECT memory FROM memory_file WHERE ext=? UNION SELECT memory FROM memory_file WHERE path=?)", file, file)
	default:
		f.and("m.number IN (SELECT memory FROM memory_file WHERE path=?)", file)
	}
}
