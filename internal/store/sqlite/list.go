package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// List implements mem.Store.
func (s *memoryStore) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	if len(q.IDs) > 0 {
		return s.byID(ctx, q)
	}
	query, args := listQuery(q)
	ask, read := rows[int64], rows[mem.Memory]
	if isNarrow(q) {
		ask, read = lookUp[int64], lookUp[mem.Memory]
	}
	page, err := ask(ctx, s.read, query, args, one[int64])
	if err != nil {
		return nil, fmt.Errorf("list: %w", translate(err))
	}
	if len(page) == 0 { // mostly: the names alone of all columns cost more than to find that out
		return nil, nil
	}
	found, err := read(ctx, s.read, "SELECT "+memoryColumns+
		` FROM json_each(?) page CROSS JOIN memory m ON m.number = page.value
		LEFT JOIN session s ON s.number = m.session ORDER BY page.key`, []any{array(page)}, scanMemory)
	if err != nil {
		return nil, fmt.Errorf("list: %w", translate(err))
	}
	return found, nil
}

// listQuery picks the numbers of the page; whole rows are read last. Where
// nothing narrower than a project is asked for, its memories and those of user
// scope, of each kind, are walks of their own along an index, each no longer
// than the page, merged: with an OR it would be a walk through everybody's. With
// a branch they are walks along what was learned on it, of whatever kind.
func listQuery(q mem.Query) (string, []any) {
	order, columns := "created DESC, number DESC", "m.number AS number, m.created AS created"
	switch q.Order {
	case mem.Oldest:
		order = "created, number"
	case mem.ByImportance:
		order = "pinned DESC, importance DESC, " + order
		columns += ", m.pinned AS pinned, m.importance AS importance"
	case mem.ByUpdate:
		order = "updated DESC, " + order
		columns += ", m.updated AS updated"
	}
	by := ""
	switch {
	case q.LinksOutdated:
		by = " INDEXED BY memory_unwoven"
	case !byProject(q):
	case q.Branch != "":
		by = " INDEXED BY memory_of_branch" // the planner would as soon walk through all of the project
	case len(q.Kinds) > 0:
		by = " INDEXED BY memory_kind" // the planner would walk in the order asked for, past all other kinds
	}
	var walks []string
	var args []any
	last := limitOr(q.Limit) + max(q.Offset, 0)
	for _, f := range listFilters(q) {
		walks = append(walks, "SELECT * FROM (SELECT "+columns+" FROM memory m"+by+" WHERE "+f.where()+" ORDER BY "+order+
			" LIMIT ?+0)")
		args = append(append(args, f.args...), last)
	}
	query := "WITH page AS (" + strings.Join(walks, " UNION ALL ") + " ORDER BY " + order +
		" LIMIT ?+0 OFFSET ?+0) SELECT number FROM page ORDER BY " + order
	return query, append(args, limitOr(q.Limit), max(q.Offset, 0))
}

// listFilters returns the filters whose results, added, are what q asks for.
func listFilters(q mem.Query) []*filter {
	if !byProject(q) {
		return []*filter{memoryFilter(q)}
	}
	if len(q.Kinds) == 0 || q.Branch != "" {
		return scopeFilters(q)
	}
	var filters []*filter
	for _, k := range slices.Compact(slices.Sorted(slices.Values(q.Kinds))) {
		q.Kinds = []mem.Kind{k}
		filters = append(filters, scopeFilters(q)...)
	}
	return filters
}

// scopeFilters are those of the project's memories and of the user's.
func scopeFilters(q mem.Query) []*filter {
	key := q.Project
	q.Project = ""
	var filters []*filter
	if len(q.Scopes) != 1 || q.Scopes[0] != mem.ScopeUser {
		filters = append(filters, memoryFilter(q).and("m.project = "+knownKey, key, key))
	}
	if len(q.Scopes) == 0 || slices.Contains(q.Scopes, mem.ScopeUser) {
		filters = append(filters, memoryFilter(q).and("m.project = '' AND m.scope = 'user'"))
	}
	return filters
}

// byProject reports whether a project is the narrowest thing that q asks for.
func byProject(q mem.Query) bool {
	return q.Project != "" && !isNarrow(q) && len(q.Tags) == 0 && !q.InVault && !q.LinksOutdated
}

// isNarrow reports whether q asks for something that few memories have.
func isNarrow(q mem.Query) bool { return q.Session != "" || q.Command != "" || isPath(q.File) }

// byID returns exactly the memories that q names.
func (s *memoryStore) byID(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	numbers, err := resolveIDs(ctx, s.read, q)
	if err != nil {
		return nil, fmt.Errorf("memory %w", err)
	}
	found, err := rows(ctx, s.read, "SELECT "+memoryColumns+` FROM memory m LEFT JOIN session s ON s.number = m.session
		WHERE m.number IN (SELECT value FROM json_each(?))`, []any{array(numbers)}, scanRaw)
	if err != nil {
		return nil, fmt.Errorf("list: %w", translate(err))
	}
	byID := make(map[string]mem.Memory, len(found))
	for _, r := range found {
		if err := r.unpack(); err != nil { // it was asked for by name: to leave it out would be to deny it
			return nil, err
		}
		r.Index = ""
		byID[r.ID] = r.Memory
	}
	out := make([]mem.Memory, 0, len(numbers))
	for _, n := range numbers {
		m, ok := byID[chars.ShortID("m_", n)]
		if !ok && q.ExactIDs {
			continue
		}
		if !ok {
			return nil, fmt.Errorf("memory %s: %w", chars.ShortID("m_", n), mem.ErrNotFound)
		}
		out = append(out, m)
	}
	return out, nil
}

// resolveIDs resolves the ids of q: whole ones together, what is left one by one.
func resolveIDs(ctx context.Context, db *reader, q mem.Query) ([]int64, error) {
	visible := &filter{}
	statusFilter(visible, q)
	whole := map[string]int64{}
	if len(q.IDs) > 1 || q.ExactIDs {
		found, err := rows(ctx, db,
			"SELECT m.number FROM json_each(?) asked CROSS JOIN memory m ON m.id = asked.value WHERE "+visible.where(),
			append([]any{array(q.IDs)}, visible.args...), one[int64])
		if err != nil {
			return nil, translate(err)
		}
		for _, n := range found {
			whole[chars.ShortID("m_", n)] = n
		}
	}
	out := make([]int64, 0, len(q.IDs))
	for _, id := range q.IDs {
		n, known := whole[id]
		if !known && q.ExactIDs {
			continue
		}
		if !known {
			var err error
			if n, err = resolveID(ctx, db, "memory", id, visible); err != nil {
				return nil, err
			}
		}
		out = append(out, n)
	}
	return out, nil
}

// memoryFilter turns all that q asks for, but terms and ids, into conditions.
func memoryFilter(q mem.Query) *filter {
	f := &filter{}
	statusFilter(f, q)
	placeFilter(f, q)
	kindFilter(f, q)
	if q.File != "" {
		fileFilter(f, q.File)
	}
	switch {
	case len(q.Tags) > 0 && isNarrow(q):
		f.and("EXISTS (SELECT 1 FROM memory_tag t WHERE t.memory = m.number AND t.tag IN (SELECT value FROM json_each(?)))",
			array(q.Tags))
	case len(q.Tags) > 0:
		f.and("m.number IN (SELECT memory FROM memory_tag WHERE tag IN (SELECT value FROM json_each(?)))", array(q.Tags))
	}
	if q.InVault {
		f.and("m.number IN (SELECT number FROM memory WHERE note <> '')")
	}
	if q.Proposed {
		f.and(hasProposals)
	}
	if q.LinksOutdated {
		f.and("m.woven = 0")
	}
	if !q.After.IsZero() {
		f.and("m.created >= ?", stamp(q.After))
	}
	if !q.Before.IsZero() {
		f.and("m.created < ?", stamp(q.Before))
	}
	if !q.HiddenBefore.IsZero() {
		f.and("m.status = 'forgotten' AND m.hidden < ?", stamp(q.HiddenBefore))
	}
	return f
}

// statusFilter narrows by where memories stand in their life.
func statusFilter(f *filter, q mem.Query) {
	switch {
	case len(q.Statuses) > 0:
		marks, args := "?", []any{string(q.Statuses[0])} // a row's own test: a list of rows would be made anew for each query
		for _, s := range q.Statuses[1:] {
			marks, args = marks+",?", append(args, string(s))
		}
		f.and("m.status IN ("+marks+")", args...)
	case !q.Hidden:
		f.and("m.status = 'active'")
	}
}

// placeFilter narrows by project and session. The memories of a session's own
// scope are seen only by those who name that session.
func placeFilter(f *filter, q mem.Query) {
	if q.Project != "" {
		// The + keeps the planner from going by project: what comes with it is narrower.
		f.and("(+m.project = "+knownKey+" OR m.scope = 'user')", q.Project, q.Project)
	}
	switch {
	case q.Session != "":
		f.and("m.session = (SELECT number FROM session WHERE id=?)", q.Session)
	case q.Within == "":
		f.and("m.scope <> 'session'")
	case q.Within != "*":
		f.and("(m.scope <> 'session' OR m.session = (SELECT number FROM session WHERE id=?))", q.Within)
	}
	if q.Command != "" {
		f.and("m.number IN (SELECT number FROM memory WHERE command = ? AND command <> '')", q.Command)
	}
	for _, c := range [...]struct{ condition, value string }{
		{"m.prompt_id = ?", q.PromptID}, {"m.agent = ?", q.Agent}, {"m.branch = ?", q.Branch},
	} {
		if c.value != "" {
			f.and(c.condition, c.value)
		}
	}
}

// kindFilter narrows by what a memory is and how good it is.
func kindFilter(f *filter, q mem.Query) {
	if len(q.Scopes) > 0 {
		f.and("m.scope IN (SELECT value FROM json_each(?))", array(q.Scopes))
	}
	switch len(q.Kinds) {
	case 0:
		f.and("m.kind <> 'utterance'")
	case 1:
		// Not a bare parameter: with it the planner looks whether the index of what
		// was said would do, and does so anew for every other value.
		f.and("m.kind = ?||''", string(q.Kinds[0]))
	default:
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

// isPath reports whether a file is asked for by its name.
func isPath(file string) bool {
	return file != "" && !strings.HasSuffix(file, "/") && !isExtension(file)
}

func isExtension(file string) bool {
	return strings.HasPrefix(file, ".") && !strings.ContainsAny(file, "/")
}

// fileFilter narrows to a file, what lies directly in a directory, or an
// extension. A file is looked up; the others are had by so many memories that
// it is better to look at the files of those that pass the rest.
func fileFilter(f *filter, file string) {
	const has = "EXISTS (SELECT 1 FROM memory_file f WHERE f.memory = m.number AND "
	switch {
	case isPath(file):
		f.and("m.number IN (SELECT memory FROM memory_file WHERE path=?)", file)
	case isExtension(file):
		f.and(has+"(+f.ext=? OR +f.path=?))", file, file)
	default:
		f.and(has+"+f.dir=?)", file)
	}
}
