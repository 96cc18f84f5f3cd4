//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/surreal/form"
)

// inOrder reads the memories with the given numbers, in this order.
func inOrder(ctx context.Context, db querier, numbers []int64) ([]mem.Memory, error) {
	found, err := inTurn(ctx, db, form.MemoryFields, "memory", "number", numbers)
	if err != nil {
		return nil, err
	}
	return scanned(found, form.MemoryOf)
}

// before is the order of a list.
func before(order mem.Order) func(a, b row) int {
	last := func(a, b row) int {
		return cmp.Or(descending(a.Number("created"), b.Number("created")),
			descending(a.Number("number"), b.Number("number")))
	}
	switch order {
	case mem.Oldest:
		return func(a, b row) int { return last(b, a) }
	case mem.ByUpdate:
		return func(a, b row) int { return cmp.Or(descending(a.Number("updated"), b.Number("updated")), last(a, b)) }
	case mem.ByImportance:
		return func(a, b row) int {
			if a.Flag("pinned") != b.Flag("pinned") {
				return map[bool]int{true: -1, false: 1}[a.Flag("pinned")]
			}
			return cmp.Or(cmp.Compare(b.Float("importance"), a.Float("importance")), last(a, b))
		}
	default:
		return last
	}
}

// List implements mem.Store.
func (s *Store) List(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	if len(q.IDs) > 0 {
		return s.byID(ctx, q)
	}
	where, err := s.memoriesWhere(ctx, q)
	if err != nil {
		return nil, wrap("list", err)
	}
	all, err := s.passing(ctx, q, where)
	if err != nil {
		return nil, wrap("list", err)
	}
	slices.SortFunc(all, before(q.Order))
	found, err := inOrder(ctx, s, numbersOf(stored.Page(all, q.Limit, q.Offset)))
	return found, wrap("list", err)
}

// firstSpan is how far back the newest memories are looked for first: the server reads all of a span.
const firstSpan = time.Hour

// passing returns what a list is ordered by, of the memories that meet a condition: of all, or of enough of the newest.
func (s *database) passing(ctx context.Context, q mem.Query, where *statement) ([]row, error) {
	const fields = "SELECT number, created, updated, pinned, importance FROM memory WHERE "
	want := max(q.Offset, 0) + stored.LimitOr(q.Limit)
	ordered := q.Order == mem.Oldest || q.Order == mem.ByImportance
	now, at := s.now(), "created"
	if q.Order == mem.ByUpdate {
		at = "updated"
	}
	for span := firstSpan; !ordered && span < 10*365*24*time.Hour; span *= 8 {
		since := now.Add(-span)
		if since.Before(q.After) {
			break
		}
		all, err := s.run(ctx, query(fields+at+" >= ? AND ", stored.Stamp(since)).Append(where))
		if err != nil || len(all) >= want {
			return all, err
		}
	}
	return s.run(ctx, query(fields).Append(where))
}

// byID returns exactly the memories that q names.
func (s *database) byID(ctx context.Context, q mem.Query) ([]mem.Memory, error) {
	numbers, err := s.resolveIDs(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("memory %w", translate(err))
	}
	if len(numbers) == 0 {
		return nil, nil
	}
	found, err := rows(ctx, s, selectRecords(form.MemoryFields, "memory", numbers), form.StoredMemory)
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
	var all []int64
	if len(q.IDs) > 1 || q.ExactIDs {
		found, err := among(ctx, s, texts(q.IDs), func(part []string) *statement {
			return withStatus(query("SELECT number FROM memory WHERE ref IN ?", part), q)
		})
		if err != nil {
			return nil, err
		}
		all = numbersOf(found)
	}
	return stored.Numbers(q, all, func(id string) (int64, error) {
		return resolveID(ctx, s, "memory", id, func(w *statement) *statement { return withStatus(w, q) })
	})
}

// withStatus narrows by status.
func withStatus(w *statement, q mem.Query) *statement {
	switch {
	case len(q.Statuses) > 0:
		w.And("status IN ?", texts(q.Statuses))
	case !q.Hidden:
		w.And("status = 'active'")
	}
	return w
}

// memoriesWhere returns the conditions of q other than terms and ids.
func (s *database) memoriesWhere(ctx context.Context, q mem.Query) (*statement, error) {
	w := withStatus(query("true"), q)
	if err := s.withPlace(ctx, w, q); err != nil {
		return w, err
	}
	withKind(w, q)
	switch {
	case q.File == "":
	case strings.HasSuffix(q.File, "/"):
		w.And("dirs CONTAINS ?", q.File)
	case strings.HasPrefix(q.File, ".") && !strings.ContainsAny(q.File, "/"):
		w.And("(exts CONTAINS ? OR files CONTAINS ?)", q.File, q.File)
	default:
		w.And("files CONTAINS ?", q.File)
	}
	if len(q.Tags) > 0 {
		w.And("tags CONTAINSANY ?", texts(q.Tags))
	}
	if len(q.Notes) > 0 {
		w.And("note IN ?", texts(q.Notes))
	}
	for condition, asked := range map[string]bool{
		"note != ''": q.InVault, "proposed = true": q.Proposed, "used = true": q.Used, "outdated = true": q.LinksOutdated,
	} {
		if asked {
			w.And(condition)
		}
	}
	if !q.After.IsZero() {
		w.And("created >= ?", stored.Stamp(q.After))
	}
	if !q.Before.IsZero() {
		w.And("created < ?", stored.Stamp(q.Before))
	}
	if !q.HiddenBefore.IsZero() {
		w.And("status = 'forgotten' AND hidden < ?", stored.Stamp(q.HiddenBefore))
	}
	return w, nil
}

// withPlace narrows by project and session. Memories of session scope are returned only if q names their session.
func (s *database) withPlace(ctx context.Context, w *statement, q mem.Query) error {
	project, err := canonical(ctx, s, q.Project)
	if err != nil {
		return err
	}
	if project != "" {
		w.And("(project = ? OR project = '' AND scope = 'user')", project)
	}
	of := q.Session
	if of == "" && q.Within != "*" {
		of = q.Within
	}
	var session int64
	if of != "" {
		if session, err = sessionNumber(ctx, s, of); err != nil {
			return err
		}
	}
	switch {
	case q.Session != "":
		w.And("session = ?", session)
	case q.Within == "":
		w.And("scope != 'session'")
	case q.Within != "*":
		w.And("(scope != 'session' OR session = ?)", session)
	}
	w.Equal("command", q.Command).Equal("prompt_id", q.PromptID).Equal("agent", q.Agent).Equal("branch", q.Branch)
	return nil
}

// withKind narrows by kind, scope and quality.
func withKind(w *statement, q mem.Query) {
	if len(q.Scopes) > 0 {
		w.And("scope IN ?", texts(q.Scopes))
	}
	if len(q.Kinds) == 0 {
		w.And("kind != 'utterance'")
	} else {
		w.And("kind IN ?", texts(q.Kinds))
	}
	if len(q.NotKinds) > 0 {
		w.And("kind NOT IN ?", texts(q.NotKinds))
	}
	if q.MinImportance > 0 {
		w.And("importance >= ?", q.MinImportance)
	}
	if q.MinTrust > 0 {
		w.And("trust >= ?", int(q.MinTrust))
	}
	if q.Open {
		w.And("resolved = false")
	}
}

// SupersededBy implements mem.Store.
func (s *Store) SupersededBy(ctx context.Context, id string) (string, error) {
	old, found, err := first(ctx, s, query("SELECT project, created FROM memory WHERE ref = ?", id), whole)
	if err != nil || !found || id == "" {
		return "", wrap("successor of "+id, err)
	}
	by, _, err := first(ctx, s, query("SELECT number, ref FROM memory WHERE supersedes = ? AND project = ? "+
		"AND created >= ? ORDER BY number DESC", id, old.Text("project"), old.Number("created")), text("ref"))
	return by, wrap("successor of "+id, err)
}

// FileCounts implements mem.Store. Injections are counted only for the files that are returned.
func (s *Store) FileCounts(ctx context.Context, project, under string, limit int) ([]mem.FileRow, int, error) {
	project, err := canonical(ctx, s, project)
	if err != nil {
		return nil, 0, wrap("files", err)
	}
	if under = strings.TrimSuffix(under, "/"); under != "" {
		under += "/"
	}
	byPath := map[string]*mem.FileRow{}
	about := map[string][]string{} // ids of memories
	found, err := s.run(ctx, query("SELECT ref, files, kind, status, repeats, created FROM memory "+
		"WHERE kind != 'utterance' AND files != []").Equal("project", project))
	if err != nil {
		return nil, 0, wrap("files", err)
	}
	for _, r := range found {
		for _, f := range r.Texts("files") {
			if !strings.HasPrefix(f, under) {
				continue
			}
			about[f] = append(about[f], r.Text("ref"))
			if r.Text("status") == string(mem.Active) {
				addFile(byPath, f, r)
			}
		}
	}
	var out []mem.FileRow
	for _, f := range byPath {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b mem.FileRow) int {
		return cmp.Or(cmp.Compare(b.Memories, a.Memories), cmp.Compare(b.Changes, a.Changes), cmp.Compare(a.Path, b.Path))
	})
	out = out[:min(len(out), stored.LimitOr(limit))]
	return out, len(byPath), wrap("files", s.countRecalls(ctx, out, about))
}

// addFile counts a memory for a file.
func addFile(byPath map[string]*mem.FileRow, path string, r row) {
	f := byPath[path]
	if f == nil {
		f = &mem.FileRow{Path: path}
		byPath[path] = f
	}
	if r.Text("kind") == string(mem.Change) {
		f.Changes += 1 + r.Count("repeats")
	} else {
		f.Memories++
	}
	if at := r.Time("created"); at.After(f.Last) {
		f.Last = at
	}
}

// countRecalls counts the injections of the memories about files.
func (s *database) countRecalls(ctx context.Context, files []mem.FileRow, about map[string][]string) error {
	var ids []string
	for _, f := range files {
		ids = append(ids, about[f.Path]...)
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	found, err := s.run(ctx, query("SELECT injected FROM receipt WHERE injected CONTAINSANY ?", slices.Compact(ids)))
	if err != nil {
		return err
	}
	times := map[string]int{}
	for _, r := range found {
		for _, id := range r.Texts("injected") {
			times[id]++
		}
	}
	for i := range files {
		for _, id := range about[files[i].Path] {
			files[i].Recalls += times[id]
		}
	}
	return nil
}
