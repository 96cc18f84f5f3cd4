package sqlite

import (
	"context"
	"fmt"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// PutLinks replaces the links of a memory and its mentions of entities.
func (e *entry) PutLinks(ctx context.Context, l mem.MemoryLinks) error {
	var number, seen int64
	var project string
	found, err := e.find(ctx, stmt("SELECT number, project, updated FROM memory WHERE id=?", l.Memory), &number, &project,
		&seen)
	if err != nil || !found {
		return err
	}
	mentioned := make([]int64, 0, len(l.Entities))
	for _, n := range l.Entities {
		id, err := e.putEntity(ctx, project, n, seen)
		if err != nil {
			return fmt.Errorf("entity %q: %w", n.Name, err)
		}
		mentioned = append(mentioned, id)
		if _, err := e.exec(ctx, "INSERT INTO mention (entity, memory) VALUES (?,?) ON CONFLICT DO NOTHING", id,
			number); err != nil {
			return err
		}
	}
	if _, err := e.exec(ctx, "DELETE FROM mention WHERE memory=? AND entity NOT IN "+listed, number,
		array(mentioned)); err != nil {
		return err
	}
	if _, err := e.exec(ctx, "DELETE FROM relation WHERE from_memory=?", number); err != nil {
		return err
	}
	for _, to := range l.Links {
		_, err := e.exec(ctx, `INSERT INTO relation (from_memory, to_memory, kind, confidence, made)
			SELECT ?, number, ?, ?, ? FROM memory WHERE id=? AND number<>?
			ON CONFLICT DO UPDATE SET confidence=max(confidence, excluded.confidence)`,
			number, string(to.Kind), to.Confidence, stored.Stamp(stored.FirstOf(to.Made, e.Now)), to.To, number)
		if err != nil {
			return fmt.Errorf("link to %s: %w", to.To, err)
		}
	}
	_, err = e.exec(ctx, "UPDATE memory SET woven=1 WHERE number=? AND updated=?", number, stored.Stamp(l.Updated))
	return err
}

// putEntity returns the number of an entity. It is new if the project has none of
// its kind and name.
func (e *entry) putEntity(ctx context.Context, project string, n mem.NamedEntity, seen int64) (int64, error) {
	var number int64
	found, err := e.find(ctx, stmt("SELECT number FROM entity WHERE project=? AND kind=? AND name=?", project,
		string(n.Kind), n.Name), &number)
	if err != nil {
		return 0, err
	}
	if found {
		_, err := e.exec(ctx, "UPDATE entity SET confidence=max(confidence, ?), last_seen=max(last_seen, ?) WHERE number=?",
			n.Confidence, seen, number)
		return number, err
	}
	if number, err = e.Next(ctx, "entity"); err != nil {
		return 0, err
	}
	_, err = e.exec(ctx, "INSERT INTO entity (number, id, project, kind, name, confidence, first_seen, last_seen) "+
		"VALUES (?,?,?,?,?,?,?,?)",
		number, chars.ShortID("n_", number), project, string(n.Kind), n.Name, n.Confidence, seen, seen)
	return number, err
}

const selectLinks = `SELECT a.id, b.id, r.kind, r.confidence, r.made FROM relation r
	JOIN memory a ON a.number = r.from_memory JOIN memory b ON b.number = r.to_memory`

func linkFields(l *mem.Link) []any {
	return []any{&l.From, &l.To, &l.Kind, &l.Confidence, timeAt(&l.Made)}
}

// Links implements mem.Store.
func (s *linkStore) Links(ctx context.Context, memories ...string) ([]mem.Link, error) {
	links, err := rows(ctx, s.read, stmt("WITH these AS (SELECT number FROM memory WHERE id IN "+listed+") "+selectLinks+`
		WHERE r.from_memory IN these OR r.to_memory IN these ORDER BY r.confidence DESC, r.made DESC, r.from_memory DESC,
		r.to_memory DESC, r.kind`, array(memories)).limit(stored.MaxLinks), into(linkFields))
	return links, wrap("links", err)
}

// LinksOf implements mem.Store.
func (s *linkStore) LinksOf(ctx context.Context, kind mem.LinkKind, project string, limit int) ([]mem.Link, error) {
	f := (&filter{}).equal("r.kind", string(kind)).
		equal("a.status", string(mem.Active)).equal("b.status", string(mem.Active))
	if project != "" {
		const own = ".project = " + canonicalKey + " OR "
		f.and("(a"+own+"a.scope = 'user')", project, project).and("(b"+own+"b.scope = 'user')", project, project)
	}
	links, err := rows(ctx, s.read, stmt(selectLinks).where(f).
		orderBy("r.made DESC, r.from_memory DESC, r.to_memory DESC").limit(stored.LimitOr(limit)), into(linkFields))
	return links, wrap("links", err)
}

// Entities implements mem.Store.
func (s *linkStore) Entities(ctx context.Context, q mem.EntityQuery) ([]mem.Entity, error) {
	f := &filter{}
	if len(q.IDs) > 0 {
		f.in("e.id", array(q.IDs))
		q = mem.EntityQuery{Limit: len(q.IDs)}
	}
	if q.Project != "" {
		f.and("(e.project = "+canonicalKey+" OR e.project = '')", q.Project, q.Project)
	}
	if len(q.Memories) > 0 {
		f.and("e.number IN (SELECT n.entity FROM mention n JOIN memory m ON m.number = n.memory WHERE m.id IN "+listed+")",
			array(q.Memories))
	}
	if q.Name != "" {
		f.and("e.name = ? COLLATE NOCASE", q.Name)
	}
	found, err := rows(ctx, s.read, stmt(`SELECT e.id, e.project, e.kind, e.name, e.confidence, e.first_seen, e.last_seen,
		(SELECT count(*) FROM mention n WHERE n.entity = e.number) AS mentions FROM entity e`).where(f).
		orderBy("mentions DESC, e.last_seen DESC, e.number DESC").limit(stored.LimitOr(q.Limit)),
		into(func(v *mem.Entity) []any {
			return []any{
				&v.ID, &v.Project, &v.Kind, &v.Name, &v.Confidence, timeAt(&v.FirstSeen), timeAt(&v.LastSeen), &v.Mentions,
			}
		}))
	return found, wrap("entities", err)
}

// Mentions implements mem.Store.
func (s *linkStore) Mentions(ctx context.Context, limit int, entities ...string) ([]mem.Mention, error) {
	found, err := rows(ctx, s.read, stmt(`SELECT entity, memory FROM (
		SELECT e.number AS number, e.id AS entity, m.id AS memory, m.number AS row,
		row_number() OVER (PARTITION BY e.number ORDER BY m.number DESC) AS nth
		FROM entity e JOIN mention n ON n.entity = e.number JOIN memory m ON m.number = n.memory
		WHERE e.id IN `+listed+` AND m.status <> ?) WHERE nth <= ? ORDER BY number, row DESC`,
		array(entities), string(mem.Forgotten), stored.LimitOr(limit)),
		into(func(v *mem.Mention) []any { return []any{&v.Entity, &v.Memory} }))
	return found, wrap("mentions", err)
}

// Join implements mem.Store.
func (s *linkStore) Join(ctx context.Context, from, into string) error {
	return wrap("join entities", s.change(ctx, func(w *writer) error {
		var a, b int64
		for id, n := range map[string]*int64{from: &a, into: &b} {
			if found, err := w.find(ctx, stmt("SELECT number FROM entity WHERE id=?", id), n); err != nil {
				return err
			} else if !found {
				return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
			}
		}
		if a == b {
			return nil
		}
		for _, step := range []statement{
			stmt("INSERT INTO mention (entity, memory) SELECT ?, memory FROM mention WHERE entity=? ON CONFLICT DO NOTHING",
				b, a),
			stmt(`UPDATE entity SET confidence=max(confidence, (SELECT confidence FROM entity WHERE number=?1)),
				first_seen=min(first_seen, (SELECT first_seen FROM entity WHERE number=?1)),
				last_seen=max(last_seen, (SELECT last_seen FROM entity WHERE number=?1)) WHERE number=?2`, a, b),
			stmt("DELETE FROM entity WHERE number=?", a),
		} {
			if _, err := w.exec(ctx, step.text, step.args...); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Prune implements mem.Store.
func (s *linkStore) Prune(ctx context.Context, before time.Time) (p mem.Pruned, err error) {
	err = s.change(ctx, func(w *writer) (err error) {
		p.Entities, err = w.changed(ctx, "DELETE FROM entity WHERE confidence < ? AND last_seen < ? AND "+
			"(SELECT count(*) FROM mention n WHERE n.entity = entity.number) < ?",
			mem.MinLinkConfidence, stored.Stamp(before), mem.MinMentions)
		if err != nil {
			return err
		}
		p.Links, err = w.changed(ctx, "DELETE FROM relation WHERE confidence < ? AND made < ? AND kind IN (?,?)",
			mem.MinLinkConfidence, stored.Stamp(before), string(mem.LinkSimilarTo), string(mem.LinkRelatedTo))
		return err
	})
	if err != nil {
		return mem.Pruned{}, wrap("prune", err)
	}
	return p, nil
}
