package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// List implements mem.Store.
func (s *memoryStore) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	if len(q.IDs) > 0 {
		return s.byID(ctx, q)
	}
	find, read := rows[int64], rows[mem.Memory]
	if isNarrow(q) {
		find, read = lookUp[int64], lookUp[mem.Memory]
	}
	page, err := find(ctx, s.read, listQuery(q), one[int64])
	if err != nil {
		return nil, wrap("list", err)
	}
	if len(page) == 0 { // as a rule: the names of all columns alone cost more than the query for the numbers
		return nil, nil
	}
	found, err := read(ctx, s.read, inListedOrder(page), scanMemory)
	return found, wrap("list", err)
}

// listQuery selects the numbers of the page; whole rows are read last. If nothing
// is narrower than a project, each kind of the project's memories, and of those of
// user scope, is read along an index of its own, no further than the page, and the
// results are merged. With an OR SQLite would read the memories of all projects.
// With a branch the index of its memories is read instead, for all kinds.
func listQuery(q mem.Query) statement {
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
	part := "SELECT " + columns + " FROM memory m" + listIndex(q)
	last := stored.LimitOr(q.Limit) + max(q.Offset, 0)
	list := stmt("WITH page AS (")
	for i, f := range listFilters(q) {
		if i > 0 {
			list = list.add(" UNION ALL ")
		}
		list = list.add("SELECT * FROM (" + part).where(f).orderBy(order).limit(last).add(")")
	}
	return list.orderBy(order).page(q.Limit, q.Offset).add(") SELECT number FROM page").orderBy(order)
}

// listIndex names the index for a list where the planner would choose another.
func listIndex(q mem.Query) string {
	switch {
	case q.LinksOutdated:
		return " INDEXED BY memory_unwoven"
	case q.Proposed && !isNarrow(q):
		return " INDEXED BY memory_proposed" // the planner may choose to read every memory of the kinds
	case q.Used && !isNarrow(q):
		return " INDEXED BY memory_used"
	case !byProject(q):
		return ""
	case q.Branch != "":
		return " INDEXED BY memory_of_branch" // the planner may choose to read the whole project
	case len(q.Kinds) > 0:
		return " INDEXED BY memory_kind" // the planner would read all kinds in the order of the list
	case q.MinTrust == mem.TrustUser:
		return " INDEXED BY memory_person"
	}
	return ""
}

// listFilters returns filters whose results together are what q selects.
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

// scopeFilters are the filters of the project's memories and of those of user scope.
func scopeFilters(q mem.Query) []*filter {
	key := q.Project
	q.Project = ""
	var filters []*filter
	if len(q.Scopes) != 1 || q.Scopes[0] != mem.ScopeUser {
		filters = append(filters, memoryFilter(q).project("m.project", key))
	}
	if len(q.Scopes) == 0 || slices.Contains(q.Scopes, mem.ScopeUser) {
		filters = append(filters, memoryFilter(q).and("m.project = '' AND m.scope = 'user'"))
	}
	return filters
}

// byProject reports whether the project is the narrowest condition of q.
func byProject(q mem.Query) bool {
	return q.Project != "" && !isNarrow(q) && len(q.Tags)+len(q.Notes) == 0 && !q.InVault && !q.LinksOutdated &&
		!q.Proposed && !q.Used
}

// hasUses is the condition of memories with uses, as hasProposals is that of memories with proposals.
const hasUses = `instr(m.standing, '"session_ids":[') > 0`

// isNarrow reports whether q has a condition that few memories meet.
func isNarrow(q mem.Query) bool { return q.Session != "" || q.Command != "" || isPath(q.File) }

// byID returns exactly the memories that q names.
func (s *memoryStore) byID(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	numbers, err := resolveIDs(ctx, s.read, q)
	if err != nil {
		return nil, fmt.Errorf("memory %w", err)
	}
	found, err := rows(ctx, s.read, stmt(selectMemories+" WHERE m.number IN "+listed, array(numbers)), scanStored)
	if err != nil {
		return nil, wrap("list", err)
	}
	byNumber := make(map[int64]mem.Memory, len(found))
	for _, r := range found {
		if err := r.unpack(); err != nil { // leaving it out would mean that it does not exist
			return nil, err
		}
		byNumber[r.Number] = r.Memory
	}
	return stored.InOrder(q, numbers, byNumber)
}

// resolveIDs resolves the ids of q: exact ones in one query, prefixes one by one.
func resolveIDs(ctx context.Context, db *reader, q mem.Query) ([]int64, error) {
	visible := &filter{}
	statusFilter(visible, q)
	var whole []int64
	if len(q.IDs) > 1 || q.ExactIDs {
		var err error
		if whole, err = rows(ctx, db, stmt(
			"SELECT m.number FROM json_each(?) list CROSS JOIN memory m ON m.id = list.value", array(q.IDs)).where(visible),
			one[int64]); err != nil {
			return nil, translate(err)
		}
	}
	return stored.Numbers(q, whole, func(id string) (int64, error) { return resolveID(ctx, db, "memory", id, visible) })
}

// memoryFilter returns the conditions of q other than terms and ids.
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
		f.and("EXISTS (SELECT 1 FROM memory_tag t WHERE t.memory = m.number AND t.tag IN "+listed+")", array(q.Tags))
	case len(q.Tags) > 0:
		f.and("m.number IN (SELECT memory FROM memory_tag WHERE tag IN "+listed+")", array(q.Tags))
	}
	if q.InVault {
		f.and("m.number IN (SELECT number FROM memory WHERE note <> '')")
	}
	if len(q.Notes) > 0 {
		f.and("m.number IN (SELECT number FROM memory WHERE note <> '' AND note IN "+listed+")", array(q.Notes))
	}
	if q.Proposed {
		f.and(hasProposals)
	}
	if q.Used {
		f.and(hasUses)
	}
	if q.LinksOutdated {
		f.and("m.woven = 0")
	}
	if !q.After.IsZero() {
		f.and("m.created >= ?", stored.Stamp(q.After))
	}
	if !q.Before.IsZero() {
		f.and("m.created < ?", stored.Stamp(q.Before))
	}
	if !q.HiddenBefore.IsZero() {
		f.and("m.status = 'forgotten' AND m.hidden < ?", stored.Stamp(q.HiddenBefore))
	}
	return f
}

// statusFilter narrows by status.
func statusFilter(f *filter, q mem.Query) {
	switch {
	case len(q.Statuses) > 0:
		// A list of parameters is tested for each row; a table of values would be built for each query.
		args := make([]any, len(q.Statuses))
		for i, s := range q.Statuses {
			args[i] = string(s)
		}
		f.and("m.status IN (?"+strings.Repeat(",?", len(args)-1)+")", args...)
	case !q.Hidden:
		f.and("m.status = 'active'")
	}
}

// placeFilter narrows by project and session. Memories of session scope are
// returned only if q names their session.
func placeFilter(f *filter, q mem.Query) {
	if q.Project != "" {
		// The + keeps the planner from using an index of the project: the other conditions are narrower.
		f.and("(+m.project = "+canonicalKey+" OR m.scope = 'user')", q.Project, q.Project)
	}
	switch {
	case q.Session != "":
		f.session("m.session", q.Session)
	case q.Within == "":
		f.and("m.scope <> 'session'")
	case q.Within != "*":
		f.and("(m.scope <> 'session' OR m.session = (SELECT number FROM session WHERE id=?))", q.Within)
	}
	if q.Command != "" {
		f.and("m.number IN (SELECT number FROM memory WHERE command = ? AND command <> '')", q.Command)
	}
	f.equal("m.prompt_id", q.PromptID).equal("m.agent", q.Agent).equal("m.branch", q.Branch)
}

// kindFilter narrows by kind, scope and quality.
func kindFilter(f *filter, q mem.Query) {
	if len(q.Scopes) > 0 {
		f.in("m.scope", array(q.Scopes))
	}
	switch len(q.Kinds) {
	case 0:
		f.and("m.kind <> 'utterance'")
	case 1:
		// With a bare parameter the planner would check for each new value whether the index of utterances fits.
		f.and("m.kind = ?||''", string(q.Kinds[0]))
	default:
		f.in("m.kind", array(q.Kinds))
	}
	if len(q.NotKinds) > 0 {
		f.and("m.kind NOT IN "+listed, array(q.NotKinds))
	}
	if q.MinImportance > 0 {
		f.and("m.importance >= ?", q.MinImportance)
	}
	if q.MinTrust > 0 { // no parameter, with which it would not fit the index of what the person said
		f.and("m.trust >= " + strconv.Itoa(int(q.MinTrust)))
	}
	if q.Open {
		f.and("m.resolved = 0")
	}
}

// isPath reports whether a file filter is the path of a file.
func isPath(file string) bool {
	return file != "" && !strings.HasSuffix(file, "/") && !isExtension(file)
}

func isExtension(file string) bool {
	return strings.HasPrefix(file, ".") && !strings.ContainsAny(file, "/")
}

// fileFilter narrows to a file, to the files directly in a directory, or to an
// extension. A path is looked up along an index. Directories and extensions have
// so many memories that the files of each row are checked instead.
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

// SupersededBy implements mem.Store.
func (s *memoryStore) SupersededBy(ctx context.Context, id string) (string, error) {
	by, _, err := first(ctx, s.read, stmt(`SELECT m.id FROM memory o
		JOIN memory m ON m.project = o.project AND m.created >= o.created AND m.supersedes = o.id
		WHERE o.id = ? ORDER BY m.number DESC LIMIT 1`, id), one[string])
	return by, wrap("successor of "+id, err)
}
