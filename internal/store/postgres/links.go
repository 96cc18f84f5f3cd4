//go:build postgres || backends

package postgres

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
	found, err := e.find(ctx, query("SELECT number, project, updated FROM memory WHERE id = ?", l.Memory), &number,
		&project, &seen)
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
	}
	if err := e.exec(ctx, query("INSERT INTO mention (entity, memory) SELECT unnest(?::bigint[]), ?::bigint "+
		"ON CONFLICT DO NOTHING", mentioned, number)); err != nil {
		return err
	}
	if err := e.exec(ctx, query("DELETE FROM mention WHERE memory = ? AND entity <> ALL(?)", number,
		mentioned)); err != nil {
		return err
	}
	if err := e.exec(ctx, query("DELETE FROM relation WHERE from_memory = ?", number)); err != nil {
		return err
	}
	for _, to := range l.Links {
		if err := e.exec(ctx, query(`INSERT INTO relation AS r (from_memory, to_memory, kind, confidence, made)
			SELECT ?::bigint, number, ?::text, ?::float8, ?::bigint FROM memory WHERE id = ? AND number <> ?
			ON CONFLICT (from_memory, to_memory, kind) DO UPDATE SET
				confidence = greatest(r.confidence, excluded.confidence)`,
			number, to.Kind, to.Confidence, stored.Stamp(stored.FirstOf(to.Made, e.Now)), to.To, number)); err != nil {
			return fmt.Errorf("link to %s: %w", to.To, err)
		}
	}
	return e.exec(ctx, query("UPDATE memory SET outdated = false WHERE number = ? AND updated = ?", number,
		stored.Stamp(l.Updated)))
}

// putEntity returns the number of an entity. It is new if the project has none of its kind and name.
func (e *entry) putEntity(ctx context.Context, project string, n mem.NamedEntity, seen int64) (number int64,
	err error,
) {
	same, args := sameText("name", n.Name)
	found, err := e.find(ctx, query("UPDATE entity SET confidence = greatest(confidence, ?), "+
		"last_seen = greatest(last_seen, ?) WHERE project = ? AND kind = ?", n.Confidence, seen, project, n.Kind).
		and(same, args...).add(" RETURNING number"), &number)
	if err != nil || found {
		return number, err
	}
	if number, err = e.Next(ctx, "entity"); err != nil {
		return 0, err
	}
	return number, e.exec(ctx, query("INSERT INTO entity (number, id, project, kind, name, confidence, first_seen, "+
		"last_seen) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", number, chars.ShortID("n_", number), project, n.Kind, n.Name,
		n.Confidence, seen, seen))
}

const selectLinks = `SELECT a.id, b.id, r.kind, r.confidence, r.made FROM relation r
	JOIN memory a ON a.number = r.from_memory JOIN memory b ON b.number = r.to_memory WHERE `

func linkFields(l *mem.Link) []any {
	return []any{&l.From, &l.To, &l.Kind, &l.Confidence, timeAt(&l.Made)}
}

// Links implements mem.Store.
func (s *Store) Links(ctx context.Context, memories ...string) ([]mem.Link, error) {
	const these = "(SELECT number FROM memory WHERE id = ANY(?))"
	links, err := rows(ctx, s.pool, query(selectLinks+"(r.from_memory IN "+these+" OR r.to_memory IN "+these+`)
		ORDER BY r.confidence DESC, r.made DESC, r.from_memory DESC, r.to_memory DESC, r.kind LIMIT ?`, memories, memories,
		stored.MaxLinks), into(linkFields))
	return links, wrap("links", err)
}

// LinksOf implements mem.Store.
func (s *Store) LinksOf(ctx context.Context, kind mem.LinkKind, project string, limit int) ([]mem.Link, error) {
	q := query(selectLinks+"r.kind = ? AND a.status = 'active' AND b.status = 'active'", kind)
	if project != "" {
		const own = ".project = " + canonicalKey + " OR "
		q.and("(a"+own+"a.scope = 'user')", project, project).and("(b"+own+"b.scope = 'user')", project, project)
	}
	links, err := rows(ctx, s.pool, q.add(" ORDER BY r.made DESC, r.from_memory DESC, r.to_memory DESC LIMIT ?",
		stored.LimitOr(limit)), into(linkFields))
	return links, wrap("links", err)
}

// Entities implements mem.Store.
func (s *Store) Entities(ctx context.Context, q mem.EntityQuery) ([]mem.Entity, error) {
	sel := query(`SELECT e.id, e.project, e.kind, e.name, e.confidence, e.first_seen, e.last_seen,
		(SELECT count(*) FROM mention n WHERE n.entity = e.number) AS mentions FROM entity e WHERE true`)
	if len(q.IDs) > 0 {
		sel.and("e.id = ANY(?)", q.IDs)
		q = mem.EntityQuery{Limit: len(q.IDs)}
	}
	if q.Project != "" {
		sel.and("(e.project = "+canonicalKey+" OR e.project = '')", q.Project, q.Project)
	}
	if len(q.Memories) > 0 {
		sel.and("e.number IN (SELECT n.entity FROM mention n JOIN memory m ON m.number = n.memory WHERE m.id = ANY(?))",
			q.Memories)
	}
	if q.Name != "" {
		sel.and("lower(e.name) = lower(?)", q.Name)
	}
	found, err := rows(ctx, s.pool, sel.add(" ORDER BY mentions DESC, e.last_seen DESC, e.number DESC LIMIT ?",
		stored.LimitOr(q.Limit)), into(func(v *mem.Entity) []any {
		return []any{
			&v.ID, &v.Project, &v.Kind, &v.Name, &v.Confidence, timeAt(&v.FirstSeen), timeAt(&v.LastSeen), &v.Mentions,
		}
	}))
	return found, wrap("entities", err)
}

// Mentions implements mem.Store.
func (s *Store) Mentions(ctx context.Context, limit int, entities ...string) ([]mem.Mention, error) {
	found, err := rows(ctx, s.pool, query(`SELECT entity, memory FROM (
		SELECT e.number, e.id AS entity, m.id AS memory, m.number AS row,
		row_number() OVER (PARTITION BY e.number ORDER BY m.number DESC) AS nth
		FROM entity e JOIN mention n ON n.entity = e.number JOIN memory m ON m.number = n.memory
		WHERE e.id = ANY(?) AND m.status <> 'forgotten') named WHERE nth <= ? ORDER BY number, row DESC`, entities,
		stored.LimitOr(limit)), into(func(v *mem.Mention) []any { return []any{&v.Entity, &v.Memory} }))
	return found, wrap("mentions", err)
}

// Join implements mem.Store.
func (s *Store) Join(ctx context.Context, from, into string) error {
	return wrap("join entities", s.transact(ctx, func(tx *transaction) error {
		var a, b int64
		for id, n := range map[string]*int64{from: &a, into: &b} {
			if found, err := tx.find(ctx, query("SELECT number FROM entity WHERE id = ?", id), n); err != nil {
				return err
			} else if !found {
				return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
			}
		}
		if a == b {
			return nil
		}
		return stored.Each(ctx, "step", []*statement{
			query("INSERT INTO mention (entity, memory) SELECT ?::bigint, memory FROM mention WHERE entity = ? "+
				"ON CONFLICT DO NOTHING", b, a),
			query(`UPDATE entity b SET confidence = greatest(b.confidence, a.confidence),
				first_seen = least(b.first_seen, a.first_seen), last_seen = greatest(b.last_seen, a.last_seen)
				FROM entity a WHERE a.number = ? AND b.number = ?`, a, b),
			query("DELETE FROM entity WHERE number = ?", a),
		}, tx.exec)
	}))
}

// Prune implements mem.Store.
func (s *Store) Prune(ctx context.Context, before time.Time) (p mem.Pruned, err error) {
	err = s.transact(ctx, func(tx *transaction) (err error) {
		p.Entities, err = tx.changed(ctx, query(`DELETE FROM entity e WHERE e.confidence < ? AND e.last_seen < ?
			AND (SELECT count(*) FROM mention n WHERE n.entity = e.number) < ?`, mem.MinLinkConfidence, stored.Stamp(before),
			mem.MinMentions))
		if err != nil {
			return err
		}
		p.Links, err = tx.changed(ctx, query("DELETE FROM relation WHERE confidence < ? AND made < ? AND kind = ANY(?)",
			mem.MinLinkConfidence, stored.Stamp(before), texts([]mem.LinkKind{mem.LinkSimilarTo, mem.LinkRelatedTo})))
		return err
	})
	if err != nil {
		return mem.Pruned{}, wrap("prune", err)
	}
	return p, nil
}
