package sqlite

import (
	"context"
	"errors"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// canonicalKey is the right side of a condition: the key under which a project is
// stored. Its argument is the caller's key, twice.
const canonicalKey = "coalesce((SELECT known FROM project_alias WHERE key=?), ?)"

// PutProject writes a project if something of it is new; its last activity is
// taken from its sessions. A project that is stored under another key keeps that
// one: with a new key for a new remote it would lose its memories.
func (e *entry) PutProject(ctx context.Context, p mem.Project) error {
	if p.Key == "" {
		return errors.New("project without a key")
	}
	if same, err := e.sameProject(ctx, p); same || err != nil {
		return err
	}
	key, err := e.settleKey(ctx, p)
	if err != nil {
		return err
	}
	_, err = e.exec(ctx, `INSERT INTO project (key, name, root, common, origin, branch, head, last_event)
		VALUES (?,?,?,?,?,?,?,?) ON CONFLICT (key) DO UPDATE SET
			name = coalesce(nullif(excluded.name,''), name), root = coalesce(nullif(excluded.root,''), root),
			common = coalesce(nullif(excluded.common,''), common), origin = coalesce(nullif(excluded.origin,''), origin),
			branch = coalesce(nullif(excluded.branch,''), branch), head = coalesce(nullif(excluded.head,''), head),
			last_event = max(last_event, excluded.last_event)
		WHERE excluded.name NOT IN ('', name) OR excluded.root NOT IN ('', root) OR excluded.common NOT IN ('', common)
			OR excluded.origin NOT IN ('', origin) OR excluded.branch NOT IN ('', branch) OR excluded.head NOT IN ('', head)
			OR (? AND excluded.last_event > last_event)`,
		key, p.Name, p.Root, p.Common, p.Origin, p.Branch, p.Commit, stored.Stamp(e.At), e.Event.Session == "")
	if err != nil || p.Root == "" {
		return err
	}
	_, err = e.exec(ctx, "INSERT INTO project_root (root, key) VALUES (?,?) ON CONFLICT DO NOTHING", p.Root, key)
	return err
}

// sameProject reports whether nothing of a repository is new. That is so for nearly
// every event, and takes one statement instead of four.
func (e *entry) sameProject(ctx context.Context, p mem.Project) (bool, error) {
	if p.Common == "" || e.Event.Session == "" {
		return false, nil
	}
	var key string
	found, err := e.find(ctx, stmt(`SELECT p.key FROM project_common c JOIN project p ON p.key = c.key
			JOIN project_root r ON r.root = ? AND r.key = p.key
		WHERE c.common = ? AND p.key = ? AND ? IN ('', p.name) AND p.root = r.root AND p.common = c.common
		AND ? IN ('', p.origin) AND ? IN ('', p.branch) AND ? IN ('', p.head)`,
		p.Root, p.Common, p.Key, p.Name, p.Origin, p.Branch, p.Commit), &key)
	if found {
		e.SetCanonicalProject(p.Key, key)
	}
	return found, err
}

// settleKey decides under which key a project is stored, and stores that decision.
func (e *entry) settleKey(ctx context.Context, p mem.Project) (string, error) {
	key, err := e.CanonicalProject(ctx, p.Key)
	if err != nil || p.Common == "" {
		return key, err
	}
	found, err := e.find(ctx, stmt("SELECT key FROM project_common WHERE common=?", p.Common), &key)
	if err != nil {
		return key, err
	}
	e.SetCanonicalProject(p.Key, key)
	if !found {
		_, err := e.exec(ctx, "INSERT INTO project_common (common, key) VALUES (?,?)", p.Common, key)
		return key, err
	}
	if key == p.Key {
		return key, nil
	}
	// A key under which another project is stored does not become an alias.
	_, err = e.exec(ctx, `INSERT INTO project_alias (key, known) SELECT ?, ?
		WHERE NOT EXISTS (SELECT 1 FROM project WHERE key=?) ON CONFLICT DO NOTHING`, p.Key, key, p.Key)
	return key, err
}

// FindAlias returns the key under which a project with another key is stored, "" if there is none.
func (e *entry) FindAlias(ctx context.Context, key string) (known string, err error) {
	_, err = e.find(ctx, stmt("SELECT known FROM project_alias WHERE key=?", key), &known)
	return known, err
}

// Projects implements mem.Store.
func (s *projectStore) Projects(ctx context.Context, ref string) ([]mem.Project, error) {
	found, err := s.findProjects(ctx, ref)
	return found, wrap("projects \""+ref+"\"", err)
}

// findProjects tries the ways to name a project, exact ones first.
func (s *projectStore) findProjects(ctx context.Context, ref string) ([]mem.Project, error) {
	if ref == "" {
		return s.projects(ctx, &filter{})
	}
	f := (&filter{}).and("p.key IN (SELECT "+canonicalKey+` UNION SELECT key FROM project WHERE name=?
		UNION SELECT key FROM project_root WHERE root=? UNION SELECT key FROM project_common WHERE common=?)`,
		ref, ref, ref, ref, ref).
		and("(p.key = "+canonicalKey+" OR NOT EXISTS (SELECT 1 FROM project WHERE key = "+canonicalKey+"))",
			ref, ref, ref, ref)
	named, err := s.projects(ctx, f)
	if len(named) > 0 || err != nil || len(ref) <= len(mem.KeyMark) {
		return named, err
	}
	prefixed, err := s.projects(ctx, (&filter{}).and("p.key > ? AND p.key < ?", ref, stored.Above(ref)))
	if len(prefixed) > 1 {
		return nil, mem.ErrAmbiguous
	}
	return prefixed, err
}

func (s *projectStore) projects(ctx context.Context, f *filter) ([]mem.Project, error) {
	return lookUp(ctx, s.read, stmt(`SELECT p.key, p.name, p.root, p.common, p.origin, p.branch, p.head,
		max(p.last_event, coalesce((SELECT max(last_event) FROM session WHERE project = p.key), 0)) AS active
		FROM project p`).where(f).orderBy("active DESC, p.key"), into(func(p *mem.Project) []any {
		return []any{&p.Key, &p.Name, &p.Root, &p.Common, &p.Origin, &p.Branch, &p.Commit, timeAt(&p.LastEvent)}
	}))
}
