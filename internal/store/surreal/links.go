//go:build surreal || backends

package surreal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// entityID is the id of the entity with a number.
func entityID(n int64) string { return chars.ShortID("n_", n) }

// PutLinks replaces the links of a memory and its mentions of entities.
func (e *entry) PutLinks(ctx context.Context, l mem.MemoryLinks) error {
	m, found, err := first(ctx, e, query("SELECT number, project, updated FROM memory WHERE ref = ?", l.Memory), whole)
	if err != nil || !found {
		return err
	}
	n := m.Number("number")
	before, err := rows(ctx, e, query("SELECT entity FROM mention WHERE memory = ?", n), number("entity"))
	if err != nil {
		return err
	}
	if err := e.exec(ctx, query("DELETE mention WHERE memory = ? RETURN NONE", n)); err != nil {
		return err
	}
	for _, named := range l.Entities {
		id, err := e.putEntity(ctx, m.Text("project"), named, m.Number("updated"))
		if err == nil {
			err = e.exec(ctx, mentionRow(id, n))
		}
		if err != nil {
			return fmt.Errorf("entity %q: %w", named.Name, err)
		}
	}
	if err := e.dropUnmentioned(ctx, before); err != nil {
		return err
	}
	if err := e.exec(ctx, query("DELETE relation WHERE from_memory = ? RETURN NONE", n)); err != nil {
		return err
	}
	if err := e.putRelations(ctx, n, l.Links); err != nil {
		return err
	}
	return e.exec(ctx, query("UPDATE type::record('memory', ?) SET outdated = false WHERE updated = ? RETURN NONE", n,
		stored.Stamp(l.Updated)))
}

// putRelations writes the links of a memory. Of two to the same memory of a kind, the more confident stays.
func (e *entry) putRelations(ctx context.Context, n int64, links []mem.Link) error {
	best := map[string]float64{}
	for _, l := range links {
		to, found, err := e.memoryNumber(ctx, l.To)
		if err != nil {
			return fmt.Errorf("link to %s: %w", l.To, err)
		}
		key := relationKey(n, to, string(l.Kind))
		if was, known := best[key]; !found || to == n || known && was >= l.Confidence {
			continue
		}
		best[key] = l.Confidence
		if err := e.exec(ctx, put("relation", key, map[string]any{
			"from_memory": n, "to_memory": to, "kind": l.Kind, "confidence": l.Confidence,
			"made": stored.Stamp(stored.FirstOf(l.Made, e.Now)),
		})); err != nil {
			return err
		}
	}
	return nil
}

func relationKey(from, to int64, kind string) string { return keyOf(fmt.Sprint(from, to), kind) }

func mentionRow(entity, memory int64) *statement {
	return put("mention", keyOf(fmt.Sprint(entity, memory)), map[string]any{"entity": entity, "memory": memory})
}

// putEntity returns the number of an entity. It is new if the project has none of its kind and name.
func (e *entry) putEntity(ctx context.Context, project string, named mem.NamedEntity, seen int64) (int64, error) {
	known := keyOf(project, string(named.Kind), stored.PlainText(named.Name))
	old, found, err := first(ctx, e, query("SELECT * OMIT id FROM entity WHERE known = ?", known), whole)
	if err != nil {
		return 0, err
	}
	if !found {
		n, err := e.Next(ctx, "entity")
		if err != nil {
			return 0, err
		}
		return n, e.exec(ctx, entityRow(row{
			"number": n, "project": project, "kind": string(named.Kind), "name": named.Name, "confidence": named.Confidence,
			"first_seen": seen, "last_seen": seen,
		}))
	}
	n := old.Number("number")
	return n, e.exec(ctx, query("UPDATE type::record('entity', ?) SET confidence = ?, last_seen = ? RETURN NONE", n,
		max(old.Float("confidence"), named.Confidence), max(old.Number("last_seen"), seen)))
}

// entityRow is the statement that writes an entity, with what it is found by.
func entityRow(r row) *statement {
	r["ref"], r["lower"] = entityID(r.Number("number")), strings.ToLower(r.Text("name"))
	r["known"] = keyOf(r.Text("project"), r.Text("kind"), stored.PlainText(r.Text("name")))
	return put("entity", r.Number("number"), r)
}

// dropUnmentioned deletes those of some entities that no memory mentions.
func (tx *transaction) dropUnmentioned(ctx context.Context, entities []int64) error {
	if len(entities) == 0 {
		return nil
	}
	still, err := among(ctx, tx, entities, func(part []int64) *statement {
		return query("SELECT entity FROM mention WHERE entity IN ? GROUP BY entity", part)
	})
	if err != nil {
		return err
	}
	return tx.exec(ctx, query("DELETE entity WHERE number IN ? AND number NOT IN ? RETURN NONE", entities,
		numbersIn(still, "entity")))
}

const linkFields = "from_memory, to_memory, kind, confidence, made"

func linkOf(r row) (mem.Link, error) {
	return mem.Link{
		From: stored.MemoryID(r.Number("from_memory")), To: stored.MemoryID(r.Number("to_memory")),
		Kind: mem.LinkKind(r.Text("kind")), Confidence: r.Float("confidence"), Made: r.Time("made"),
	}, nil
}

// Links implements mem.Store.
func (s *Store) Links(ctx context.Context, memories ...string) ([]mem.Link, error) {
	numbers, err := s.memoryNumbers(ctx, memories)
	if err != nil {
		return nil, wrap("links", err)
	}
	var all []row
	for _, end := range []string{"from_memory", "to_memory"} {
		found, err := among(ctx, s, numbers, func(part []int64) *statement {
			return query("SELECT "+linkFields+" FROM relation WHERE "+end+" IN ?", part)
		})
		if err != nil {
			return nil, wrap("links", err)
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, strongest)
	all = slices.CompactFunc(all, func(a, b row) bool { return strongest(a, b) == 0 }) // both ends were asked for
	links, err := scanned(all, linkOf)
	return links[:min(len(links), stored.MaxLinks)], wrap("links", err)
}

// strongest is the order of links.
func strongest(a, b row) int {
	return cmp.Or(cmp.Compare(b.Float("confidence"), a.Float("confidence")),
		descending(a.Number("made"), b.Number("made")), descending(a.Number("from_memory"), b.Number("from_memory")),
		descending(a.Number("to_memory"), b.Number("to_memory")), cmp.Compare(a.Text("kind"), b.Text("kind")))
}

// memoryNumbers returns the numbers of the memories with some ids.
func (s *database) memoryNumbers(ctx context.Context, ids []string) ([]int64, error) {
	found, err := among(ctx, s, ids, func(part []string) *statement {
		return query("SELECT number FROM memory WHERE ref IN ?", texts(part))
	})
	return numbersOf(found), err
}

// LinksOf implements mem.Store.
func (s *Store) LinksOf(ctx context.Context, kind mem.LinkKind, project string, limit int) ([]mem.Link, error) {
	project, err := canonical(ctx, s, project)
	if err != nil {
		return nil, wrap("links", err)
	}
	q := query("SELECT "+linkFields+" FROM relation WHERE kind = ?", kind)
	for _, end := range []string{"type::record('memory', from_memory)", "type::record('memory', to_memory)"} {
		q.And(end + ".status = 'active'")
		if project != "" {
			q.And("("+end+".project = ? OR "+end+".scope = 'user')", project)
		}
	}
	links, err := rows(ctx, s, q.Add(" ORDER BY made DESC, from_memory DESC, to_memory DESC"), linkOf)
	return stored.Page(links, limit, 0), wrap("links", err)
}

// Entities implements mem.Store.
func (s *Store) Entities(ctx context.Context, q mem.EntityQuery) ([]mem.Entity, error) {
	sel := query("SELECT *, array::len((SELECT VALUE memory FROM mention WHERE entity = $parent.number)) " +
		"AS mentions OMIT id FROM entity WHERE true")
	if len(q.IDs) > 0 {
		sel.And("ref IN ?", texts(q.IDs))
		q = mem.EntityQuery{Limit: len(q.IDs)}
	}
	project, err := canonical(ctx, s, q.Project)
	if err == nil && project != "" {
		sel.And("(project = ? OR project = '')", project)
	}
	if err == nil && len(q.Memories) > 0 {
		var numbers []int64
		var of []row
		if numbers, err = s.memoryNumbers(ctx, q.Memories); err == nil {
			of, err = among(ctx, s, numbers, func(part []int64) *statement {
				return query("SELECT entity FROM mention WHERE memory IN ?", part)
			})
			sel.And("number IN ?", numbersIn(of, "entity"))
		}
	}
	if err != nil {
		return nil, wrap("entities", err)
	}
	if q.Name != "" {
		sel.And("lower = ?", strings.ToLower(stored.PlainText(q.Name)))
	}
	sel.Add(" ORDER BY mentions DESC, last_seen DESC, number DESC")
	found, err := rows(ctx, s, sel, func(r row) (mem.Entity, error) {
		return mem.Entity{
			ID: r.Text("ref"), Project: r.Text("project"), Kind: mem.EntityKind(r.Text("kind")), Name: r.Text("name"),
			Confidence: r.Float("confidence"), FirstSeen: r.Time("first_seen"), LastSeen: r.Time("last_seen"),
			Mentions: r.Count("mentions"),
		}, nil
	})
	return stored.Page(found, q.Limit, 0), wrap("entities", err)
}

// Mentions implements mem.Store.
func (s *Store) Mentions(ctx context.Context, limit int, entities ...string) ([]mem.Mention, error) {
	known, err := among(ctx, s, entities, func(part []string) *statement {
		return query("SELECT number FROM entity WHERE ref IN ?", texts(part))
	})
	if err != nil {
		return nil, wrap("mentions", err)
	}
	found, err := among(ctx, s, numbersOf(known), func(part []int64) *statement {
		return query("SELECT entity, memory FROM mention WHERE entity IN ? "+
			"AND type::record('memory', memory).status != 'forgotten' ORDER BY entity, memory DESC", part)
	})
	var out []mem.Mention
	named := map[int64]int{}
	for _, r := range found {
		n := r.Number("entity")
		if named[n]++; named[n] <= stored.LimitOr(limit) {
			out = append(out, mem.Mention{Entity: entityID(n), Memory: stored.MemoryID(r.Number("memory"))})
		}
	}
	return out, wrap("mentions", err)
}

// Join implements mem.Store.
func (s *Store) Join(ctx context.Context, from, into string) error {
	return wrap("join entities", s.transact(ctx, func(tx *transaction) error {
		var ends [2]row
		for i, id := range []string{from, into} {
			r, found, err := first(ctx, tx, query("SELECT * OMIT id FROM entity WHERE ref = ?", id), whole)
			if err == nil && !found {
				err = fmt.Errorf("%s: %w", id, mem.ErrNotFound)
			}
			if err != nil {
				return err
			}
			ends[i] = r
		}
		a, b := ends[0], ends[1]
		if a.Number("number") == b.Number("number") {
			return nil
		}
		memories, err := rows(ctx, tx, query("SELECT memory FROM mention WHERE entity = ?", a.Number("number")),
			number("memory"))
		if err != nil {
			return err
		}
		for _, m := range memories {
			if err := tx.exec(ctx, mentionRow(b.Number("number"), m)); err != nil {
				return err
			}
		}
		b["confidence"] = max(a.Float("confidence"), b.Float("confidence"))
		b["first_seen"] = min(a.Number("first_seen"), b.Number("first_seen"))
		b["last_seen"] = max(a.Number("last_seen"), b.Number("last_seen"))
		if err := tx.exec(ctx, entityRow(b)); err != nil {
			return err
		}
		return tx.deleteEntities(ctx, []int64{a.Number("number")})
	}))
}

// deleteEntities deletes entities with their mentions.
func (tx *transaction) deleteEntities(ctx context.Context, numbers []int64) error {
	if err := tx.exec(ctx, query("DELETE mention WHERE entity IN ? RETURN NONE", numbers)); err != nil {
		return err
	}
	return tx.exec(ctx, query("DELETE entity WHERE number IN ? RETURN NONE", numbers))
}

// Prune implements mem.Store.
func (s *Store) Prune(ctx context.Context, before time.Time) (p mem.Pruned, err error) {
	err = s.transact(ctx, func(tx *transaction) error {
		weak, err := rows(ctx, tx, query("SELECT number FROM entity WHERE confidence < ? AND last_seen < ? AND "+
			"array::len((SELECT VALUE memory FROM mention WHERE entity = $parent.number)) < ?", mem.MinLinkConfidence,
			stored.Stamp(before), mem.MinMentions), number("number"))
		if err != nil {
			return err
		}
		if p.Entities = len(weak); len(weak) > 0 {
			if err := tx.deleteEntities(ctx, weak); err != nil {
				return err
			}
		}
		p.Links, err = tx.changed(ctx, query("DELETE relation WHERE confidence < ? AND made < ? AND kind IN ? RETURN BEFORE",
			mem.MinLinkConfidence, stored.Stamp(before), texts([]mem.LinkKind{mem.LinkSimilarTo, mem.LinkRelatedTo})))
		return err
	})
	if err != nil {
		return mem.Pruned{}, wrap("prune", err)
	}
	return p, nil
}
