package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"remanence/internal/mem"
)

// knownKey is a condition's right side: the key that a project is known under.
// It takes the key that the caller has, twice.
const knownKey = "coalesce((SELECT known FROM project_alias WHERE key=?), ?)"

// putProject writes a project if there is something new of it: when it was
// active last is told by its sessions. One that is known under another key keeps that:
// its memories would be lost to it if a new remote gave it a new one.
func (e *entry) putProject(ctx context.Context, p mem.Project) error {
	if p.Key == "" {
		return errors.New("project without a key")
	}
	if same, err := e.sameProject(ctx, p); same || err != nil {
		return err
	}
	known, err := e.settleKey(ctx, p)
	if err != nil {
		return err
	}
	_,
		err = e.exec(ctx,
		`INSERT INTO project (key, name, root, common, origin, branch, head, last_event) VALUES (?,?,?,?,?,?,?,?)
		ON CONFLICT (key) DO UPDATE SET
			name = coalesce(nullif(excluded.name,''), name), root = coalesce(nullif(excluded.root,''), root),
			common = coalesce(nullif(excluded.common,''), common), origin = coalesce(nullif(excluded.origin,''), origin),
			branch = coalesce(nullif(excluded.branch,''), branch), head = coalesce(nullif(excluded.head,''), head),
			last_event = max(last_event, excluded.last_event)
		WHERE excluded.name NOT IN ('', name) OR excluded.root NOT IN ('', root) OR excluded.common NOT IN ('', common)
			OR excluded.origin NOT IN ('', origin) OR excluded.branch NOT IN ('', branch) OR excluded.head NOT IN ('', head)
			OR (? AND excluded.last_event > last_event)`,
		known, p.Name, p.Root, p.Common, p.Origin, p.Branch, p.Commit, stamp(e.at), e.event.Session == "")
	if err != nil || p.Root == "" {
		return err
	}
	_, err = e.exec(ctx, "INSERT INTO project_root (root, key) VALUES (?,?) ON CONFLICT DO NOTHING", p.Root, known)
	return err
}

// sameProject reports whether nothing of a repository is new, which nearly every
// event finds: one question instead of four.
func (e *entry) sameProject(ctx context.Context, p mem.Project) (bool, error) {
	if p.Common == "" || e.event.Session == "" {
		return false, nil
	}
	var known string
	found, err := e.find(ctx,
		`SELECT p.key FROM project_common c JOIN project p ON p.key = c.key JOIN project_root r ON r.root = ?
			AND r.key = p.key
		WHERE c.common = ? AND p.key = ? AND ? IN ('', p.name) AND p.root = r.root AND p.common = c.common
		AND ? IN ('', p.origin) AND ? IN ('', p.branch) AND ? IN ('', p.head)`,
		[]any{p.Root, p.Common, p.Key, p.Name, p.Origin, p.Branch, p.Commit}, &known)
	if found {
		e.projects[p.Key] = known
	}
	return found, err
}

// settleKey decides under which key a project is known, and remembers it.
func (e *entry) settleKey(ctx context.Context, p mem.Project) (string, error) {
	known, err := e.knownProject(ctx, p.Key)
	if err != nil || p.Common == "" {
		return known, err
	}
	found, err := e.find(ctx, "SELECT key FROM project_common WHERE common=?", []any{p.Common}, &known)
	if err != nil {
		return known, err
	}
	e.projects[p.Key] = known
	if !found {
		_, err := e.exec(ctx, "INSERT INTO project_common (common, key) VALUES (?,?)", p.Common, known)
		return known, err
	}
	if known == p.Key {
		return known, nil
	}
	// A key that is a project of its own stays one.
	_, err = e.exec(ctx, `INSERT INTO project_alias (key, known) SELECT ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM project WHERE key=?) ON CONFLICT DO NOTHING`, p.Key, known, p.Key)
	return known, err
}

// knownProject translates a key into the one that its project is known under.
func (e *entry) knownProject(ctx context.Context, key string) (string, error) {
	if key == "" {
		return "", nil
	}
	if known, ok := e.projects[key]; ok {
		return known, nil
	}
	known := key
	if _, err := e.find(ctx, "SELECT known FROM project_alias WHERE key=?", []any{key}, &known); err != nil {
		return "", err
	}
	e.projects[key] = known
	return known, nil
}

// Projects implements mem.Store.
func (s *projectStore) Projects(ctx context.Context, ref string) ([]mem.Project, error) {
	found, err := s.findProjects(ctx, ref)
	if err != nil {
		return nil, fmt.Errorf("projects %q: %w", ref, translate(err))
	}
	return found, nil
}

// findProjects tries the ways to name a project, the surest first.
func (s *projectStore) findProjects(ctx context.Context, ref string) ([]mem.Project, error) {
	if ref == "" {
		return s.projects(ctx, &filter{})
	}
	named, err := s.projects(ctx, (&filter{}).and("p.key IN (SELECT "+knownKey+` UNION SELECT key FROM project WHERE name=?
		UNION SELECT key FROM project_root WHERE root=? UNION SELECT key FROM project_common WHERE common=?)`, ref, ref, ref,
		ref, ref).
		and("(p.key = "+knownKey+" OR NOT EXISTS (SELECT 1 FROM project WHERE key = "+knownKey+"))", ref, ref, ref, ref))
	if len(named) > 0 || err != nil || len(ref) <= len(mem.KeyMark) {
		return named, err
	}
	prefixed, err := s.projects(ctx, (&filter{}).and("p.key > ? AND p.key < ?", ref, above(ref)))
	if len(prefixed) > 1 {
		return nil, mem.ErrAmbiguous
	}
	return prefixed, err
}

func (s *projectStore) projects(ctx context.Context, f *filter) ([]mem.Project, error) {
	query := `SELECT p.key, p.name, p.root, p.common, p.origin, p.branch, p.head,
		max(p.last_event, coalesce((SELECT max(last_event) FROM session WHERE project = p.key), 0)) AS active
		FROM project p WHERE ` + f.where() + " ORDER BY active DESC, p.key"
	return lookUp(ctx, s.read, query, f.args, func(r *sql.Rows) (mem.Project, error) {
		var p mem.Project
		var last int64
		err := r.Scan(&p.Key, &p.Name, &p.Root, &p.Common, &p.Origin, &p.Branch, &p.Commit, &last)
		p.LastEvent = moment(last)
		return p, err
	})
}
