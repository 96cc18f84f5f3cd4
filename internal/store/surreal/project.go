//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

func projectOf(r row) (mem.Project, error) {
	return mem.Project{
		Key: r.Text("key"), Name: r.Text("name"), Root: r.Text("root"), Common: r.Text("common"), Origin: r.Text("origin"),
		Branch: r.Text("branch"), Commit: r.Text("head"), LastEvent: r.Time("last_event"),
	}, nil
}

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
	old, found, err := first(ctx, e, query("SELECT * OMIT id FROM type::record('project', ?)", keyOf(key)), projectOf)
	if err != nil {
		return err
	}
	p.Key = key
	now, changed := e.ChangedProject(old, found, p)
	if !changed {
		return nil
	}
	if err := e.exec(ctx, put("project", keyOf(key), map[string]any{
		"key": key, "name": now.Name, "root": now.Root, "common": now.Common, "origin": now.Origin, "branch": now.Branch,
		"head": now.Commit, "last_event": stored.Stamp(now.LastEvent),
	})); err != nil || p.Root == "" {
		return err
	}
	return e.exec(ctx, put("project_root", keyOf(key, p.Root), map[string]any{"root": p.Root, "key": key}))
}

// settleKey decides under which key a project is stored, and stores that decision.
func (e *entry) settleKey(ctx context.Context, p mem.Project) (string, error) {
	key, err := e.CanonicalProject(ctx, p.Key)
	if err != nil || p.Common == "" {
		return key, err
	}
	known, found, err := first(ctx, e, query("SELECT key FROM type::record('project_common', ?)", keyOf(p.Common)),
		text("key"))
	if err != nil {
		return key, err
	}
	if found {
		key = known
	}
	e.SetCanonicalProject(p.Key, key)
	if !found {
		return key, e.exec(ctx, put("project_common", keyOf(p.Common), map[string]any{"common": p.Common, "key": key}))
	}
	if key == p.Key {
		return key, nil
	}
	// A key under which another project is stored does not become an alias, nor does an alias change.
	_, taken, err := first(ctx, e, query("SELECT key FROM type::record('project', ?)", keyOf(p.Key)), whole)
	if err != nil || taken {
		return key, err
	}
	if was, err := e.FindAlias(ctx, p.Key); err != nil || was != "" {
		return key, err
	}
	return key, e.exec(ctx, put("project_alias", keyOf(p.Key), map[string]any{"key": p.Key, "known": key}))
}

// FindAlias returns the key under which a project with another key is stored, "" if there is none.
func (e *entry) FindAlias(ctx context.Context, key string) (string, error) {
	known, _, err := first(ctx, e, query("SELECT known FROM type::record('project_alias', ?)", keyOf(key)), text("known"))
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
		return s.projects(ctx, query("true"))
	}
	key, err := canonical(ctx, s, ref)
	if err != nil {
		return nil, err
	}
	if found, err := s.projects(ctx, query("key = ?", key)); len(found) > 0 || err != nil {
		return found, err
	}
	roots, err := rows(ctx, s, query("SELECT key FROM project_root WHERE root = ?", ref), text("key"))
	if err != nil {
		return nil, err
	}
	common, err := rows(ctx, s, query("SELECT key FROM type::record('project_common', ?)", keyOf(ref)), text("key"))
	if err != nil {
		return nil, err
	}
	named, err := s.projects(ctx, query("name = ? OR key IN ?", ref, append(texts(roots), common...)))
	if len(named) > 0 || err != nil || len(ref) <= len(mem.KeyMark) {
		return named, err
	}
	prefixed, err := s.projects(ctx, query("key > ? AND key < ?", ref, stored.Above(ref)))
	if len(prefixed) > 1 {
		return nil, mem.ErrAmbiguous
	}
	return prefixed, err
}

// projects reads the projects that meet a condition, last active first.
func (s *database) projects(ctx context.Context, where *statement) ([]mem.Project, error) {
	found, err := rows(ctx, s, query("SELECT * OMIT id FROM project WHERE ").Append(where), projectOf)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	keys := make([]string, len(found))
	for i, p := range found {
		keys[i] = p.Key
	}
	active, err := s.run(ctx, query("SELECT project, last FROM session_total WHERE project IN ?", keys))
	last := map[string]time.Time{}
	for _, r := range active {
		last[r.Text("project")] = r.Time("last")
	}
	for i := range found {
		if at := last[found[i].Key]; at.After(found[i].LastEvent) {
			found[i].LastEvent = at
		}
	}
	slices.SortFunc(found, func(a, b mem.Project) int {
		return cmp.Or(b.LastEvent.Compare(a.LastEvent), strings.Compare(a.Key, b.Key))
	})
	return found, err
}

// PutPause sets or lifts a pause. The period of a pause stays known after its end; a new pause of a target ends the one
// before.
func (e *entry) PutPause(ctx context.Context, p mem.Pause) error {
	now, until := stored.Stamp(e.At), stored.Stamp(p.Until)
	if err := e.exec(ctx, query("UPDATE paused_period SET ended = ? WHERE target = ? AND (ended = 0 OR ended > ?) "+
		"RETURN NONE", now, p.Target, now)); err != nil {
		return err
	}
	if p.Lift {
		return e.exec(ctx, query("DELETE type::record('pause', ?) RETURN NONE", keyOf(p.Target)))
	}
	if !p.InjectOnly {
		n, err := e.Next(ctx, "paused_period")
		if err != nil {
			return err
		}
		if err := e.exec(ctx, put("paused_period", n, map[string]any{
			"number": n, "target": p.Target, "begun": now, "ended": until,
		})); err != nil {
			return err
		}
	}
	return e.exec(ctx, put("pause", keyOf(p.Target), map[string]any{
		"target": p.Target, "until": until, "inject_only": p.InjectOnly,
	}))
}

// Paused implements mem.Store.
func (s *Store) Paused(ctx context.Context, now time.Time) ([]mem.Pause, error) {
	pauses, err := rows(ctx, s, query("SELECT target, until, inject_only FROM pause WHERE until = 0 OR until > ? "+
		"ORDER BY target", stored.Stamp(now)), func(r row) (mem.Pause, error) {
		return mem.Pause{Target: r.Text("target"), Until: r.Time("until"), InjectOnly: r.Flag("inject_only")}, nil
	})
	return pauses, wrap("pauses", err)
}

// PausedPeriods implements mem.Store.
func (s *Store) PausedPeriods(ctx context.Context, targets ...string) ([]mem.PausedPeriod, error) {
	periods, err := rows(ctx, s, query("SELECT begun, ended FROM paused_period WHERE target IN ? ORDER BY begun",
		texts(targets)), func(r row) (mem.PausedPeriod, error) {
		return mem.PausedPeriod{Begun: r.Time("begun"), Ended: r.Time("ended")}, nil
	})
	return periods, wrap("paused periods", err)
}
