//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// PutProject writes a project if something of it is new; its last activity is taken from its sessions. A project that
// is stored under another key keeps that one: with a new key for a new remote it would lose its memories.
func (e *entry) PutProject(ctx context.Context, p mem.Project) error {
	if p.Key == "" {
		return errors.New("project without a key")
	}
	key, err := e.settleKey(ctx, p)
	if err != nil {
		return err
	}
	var old mem.Project
	found, err := e.find(ctx, query("SELECT p.key, p.name, p.root, p.common, p.origin, p.branch, p.head, p.last_event "+
		"FROM project p WHERE p.key = ?", key), projectFields(&old)...)
	if err != nil {
		return err
	}
	p.Key = key
	now, changed := e.ChangedProject(old, found, p)
	if !changed {
		return nil
	}
	if err := e.exec(ctx, query(`INSERT INTO project (key, name, root, common, origin, branch, head, last_event)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET name = excluded.name, root = excluded.root,
		common = excluded.common, origin = excluded.origin, branch = excluded.branch, head = excluded.head,
		last_event = excluded.last_event`, key, now.Name, now.Root, now.Common, now.Origin, now.Branch, now.Commit,
		stored.Stamp(now.LastEvent))); err != nil || p.Root == "" {
		return err
	}
	return e.exec(ctx, query("INSERT INTO project_root (root, key) VALUES (?, ?) ON CONFLICT DO NOTHING", p.Root, key))
}

// settleKey decides under which key a project is stored, and stores that decision.
func (e *entry) settleKey(ctx context.Context, p mem.Project) (string, error) {
	key, err := e.CanonicalProject(ctx, p.Key)
	if err != nil || p.Common == "" {
		return key, err
	}
	same, args := sameText("common", p.Common)
	found, err := e.find(ctx, query("SELECT key FROM project_common WHERE "+same, args...), &key)
	if err != nil {
		return key, err
	}
	e.SetCanonicalProject(p.Key, key)
	if !found {
		return key, e.exec(ctx, query("INSERT INTO project_common (common, key) VALUES (?, ?)", p.Common, key))
	}
	if key == p.Key {
		return key, nil
	}
	// A key under which another project is stored does not become an alias.
	return key, e.exec(ctx, query(`INSERT INTO project_alias (key, known) SELECT ?::text, ?::text
		WHERE NOT EXISTS (SELECT 1 FROM project WHERE key = ?) ON CONFLICT DO NOTHING`, p.Key, key, p.Key))
}

// FindAlias returns the key under which a project with another key is stored, "" if there is none.
func (e *entry) FindAlias(ctx context.Context, key string) (known string, err error) {
	_, err = e.find(ctx, query("SELECT known FROM project_alias WHERE key = ?", key), &known)
	return known, err
}

// Projects implements mem.Store.
func (s *Store) Projects(ctx context.Context, ref string) ([]mem.Project, error) {
	found, err := s.findProjects(ctx, ref)
	return found, wrap("projects \""+ref+"\"", err)
}

// findProjects tries the ways to name a project, exact ones first.
func (s *database) findProjects(ctx context.Context, ref string) ([]mem.Project, error) {
	if ref == "" {
		return s.projects(ctx, "true")
	}
	named, err := s.projects(ctx, "p.key IN (SELECT "+canonicalKey+` UNION SELECT key FROM project WHERE name = ?
		UNION SELECT key FROM project_root WHERE root = ? UNION SELECT key FROM project_common WHERE common = ?)
		AND (p.key = `+canonicalKey+" OR NOT EXISTS (SELECT 1 FROM project WHERE key = "+canonicalKey+"))",
		ref, ref, ref, ref, ref, ref, ref, ref, ref)
	if len(named) > 0 || err != nil || len(ref) <= len(mem.KeyMark) {
		return named, err
	}
	prefixed, err := s.projects(ctx, "p.key > ? AND p.key < ?", ref, stored.Above(ref))
	if len(prefixed) > 1 {
		return nil, mem.ErrAmbiguous
	}
	return prefixed, err
}

func (s *database) projects(ctx context.Context, condition string, args ...any) ([]mem.Project, error) {
	return rows(ctx, s.pool, query(`SELECT p.key, p.name, p.root, p.common, p.origin, p.branch, p.head,
		greatest(p.last_event, coalesce((SELECT max(last_event) FROM session WHERE project = p.key), 0)) AS active
		FROM project p WHERE `+condition, args...).add(" ORDER BY active DESC, p.key"), into(projectFields))
}

func projectFields(p *mem.Project) []any {
	return []any{&p.Key, &p.Name, &p.Root, &p.Common, &p.Origin, &p.Branch, &p.Commit, timeAt(&p.LastEvent)}
}

// PutPause sets or lifts a pause. The period of a pause stays known after its end; a new pause of a target ends the one
// before.
func (e *entry) PutPause(ctx context.Context, p mem.Pause) error {
	now, until := stored.Stamp(e.At), stored.Stamp(p.Until)
	if err := e.exec(ctx, query("UPDATE paused_period SET ended = ? WHERE target = ? "+
		"AND (ended = 0 OR ended > ?)", now, p.Target, now)); err != nil {
		return err
	}
	if p.Lift {
		return e.exec(ctx, query("DELETE FROM pause WHERE target = ?", p.Target))
	}
	if !p.InjectOnly {
		if err := e.exec(ctx, query("INSERT INTO paused_period (target, begun, ended) VALUES (?, ?, ?)", p.Target,
			now, until)); err != nil {
			return err
		}
	}
	return e.exec(ctx, query(`INSERT INTO pause (target, until, inject_only) VALUES (?, ?, ?)
		ON CONFLICT (target) DO UPDATE SET until = excluded.until, inject_only = excluded.inject_only`, p.Target, until,
		p.InjectOnly))
}

// Paused implements mem.Store.
func (s *Store) Paused(ctx context.Context, now time.Time) ([]mem.Pause, error) {
	pauses, err := rows(ctx, s.pool, query("SELECT target, until, inject_only FROM pause WHERE until = 0 OR until > ? "+
		"ORDER BY target", stored.Stamp(now)),
		into(func(p *mem.Pause) []any { return []any{&p.Target, timeAt(&p.Until), &p.InjectOnly} }))
	return pauses, wrap("pauses", err)
}

// PausedPeriods implements mem.Store.
func (s *Store) PausedPeriods(ctx context.Context, targets ...string) ([]mem.PausedPeriod, error) {
	periods, err := rows(ctx, s.pool, query("SELECT begun, ended FROM paused_period WHERE target = ANY(?) "+
		"ORDER BY begun", targets), into(func(p *mem.PausedPeriod) []any {
		return []any{timeAt(&p.Begun), timeAt(&p.Ended)}
	}))
	return periods, wrap("paused periods", err)
}
