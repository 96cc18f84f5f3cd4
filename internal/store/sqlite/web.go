package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"remanence/internal/chars"
	"remanence/internal/mem"
)

// maxLinks is how many links one question gets.
const maxLinks = 1000

// weave writes how a memory stands to names and to others, in place of what was
// written before.
func (e *entry) weave(ctx context.Context, v mem.MemoryLinks) error {
	var number, seen int64
	var project string
	found, err := e.find(ctx, "SELECT number, project, updated FROM memory WHERE id=?", []any{v.Memory}, &number, &project,
		&seen)
	if err != nil || !found {
		return err
	}
	named := make([]int64, 0, len(v.Entities))
	for _, n := range v.Entities {
		id, err := e.putEntity(ctx, project, n, seen)
		if err != nil {
			return fmt.Errorf("name %q: %w", n.Name, err)
		}
		named = append(named, id)
		if _, err := e.exec(ctx, "INSERT INTO mention (entity, memory) VALUES (?,?) ON CONFLICT DO NOTHING", id,
			number); err != nil {
			return err
		}
	}
	if _, err := e.exec(ctx, "DELETE FROM mention WHERE memory=? AND entity NOT IN (SELECT value FROM json_each(?))",
		number, array(named)); err != nil {
		return err
	}
	if _, err := e.exec(ctx, "DELETE FROM relation WHERE from_memory=?", number); err != nil {
		return err
	}
	for _, l := range v.Links {
		_, err := e.exec(ctx, `INSERT INTO relation (from_memory, to_memory, kind, confidence, made)
			SELECT ?, number, ?, ?, ? FROM memory WHERE id=? AND number<>?
			ON CONFLICT DO UPDATE SET confidence=max(confidence, excluded.confidence)`,
			number, string(l.Kind), l.Confidence, stamp(firstOf(l.Made, e.now)), l.To, number)
		if err != nil {
			return fmt.Errorf("link to %s: %w", l.To, err)
		}
	}
	_, err = e.exec(ctx, "UPDATE memory SET woven=1 WHERE number=? AND updated=?", number, stamp(v.Updated))
	return err
}

// putEntity returns the number of an entity, which is new if it has no name like that.
func (e *entry) putEntity(ctx context.Context, project string, n mem.NamedEntity, seen int64) (int64, error) {
	var number int64
	found, err := e.find(ctx, "SELECT number FROM entity WHERE project=? AND kind=? AND name=?",
		[]any{project, string(n.Kind), n.Name}, &number)
	if err != nil {
		return 0, err
	}
	if found {
		_, err := e.exec(ctx, "UPDATE entity SET confidence=max(confidence, ?), last_seen=max(last_seen, ?) WHERE number=?",
			n.Confidence, seen, number)
		return number, err
	}
	if number, err = e.next(ctx, "entity"); err != nil {
		return 0, err
	}
	_, err = e.exec(ctx, "INSERT INTO entity (number, id, project, kind, name, confidence, first_seen, last_seen) "+
		"VALUES (?,?,?,?,?,?,?,?)",
		number, chars.ShortID("n_", number), project, string(n.Kind), n.Name, n.Confidence, seen, seen)
	return number, err
}

const linkColumns = `SELECT a.id, b.id, r.kind, r.confidence, r.made FROM relation r
	JOIN memory a ON a.number = r.from_memory JOIN memory b ON b.number = r.to_memory`

func scanLink(r *sql.Rows) (l mem.Link, err error) {
	var made int64
	err = r.Scan(&l.From, &l.To, &l.Kind, &l.Confidence, &made)
	l.Made = moment(made)
	return l, err
}

// Links implements mem.Web.
func (s *linkStore) Links(ctx context.Context, memories ...string) ([]mem.Link, error) {
	links, err := rows(ctx, s.read,
		"WITH these AS (SELECT number FROM memory WHERE id IN (SELECT value FROM json_each(?))) "+linkColumns+`
		WHERE r.from_memory IN these OR r.to_memory IN these ORDER BY r.confidence DESC, r.made DESC, r.from_memory DESC,
		r.to_memory DESC, r.kind LIMIT ?+0`,
		[]any{array(memories), maxLinks}, scanLink)
	if err != nil {
		return nil, fmt.Errorf("links: %w", translate(err))
	}
	return links, nil
}

// LinksOf implements mem.Web.
func (s *linkStore) LinksOf(ctx context.Context, kind mem.LinkKind, project string, limit int) ([]mem.Link, error) {
	f := (&filter{}).and("r.kind = ?", string(kind)).and("a.status = ? AND b.status = ?", string(mem.Active),
		string(mem.Active))
	if project != "" {
		f.and("(a.project = "+knownKey+" OR a.scope = 'user')", project, project).and("(b.project = "+knownKey+
			" OR b.scope = 'user')", project, project)
	}
	links, err := rows(ctx, s.read, linkColumns+" WHERE "+f.where()+
		" ORDER BY r.made DESC, r.from_memory DESC, r.to_memory DESC LIMIT ?+0", append(f.args, limitOr(limit)), scanLink)
	if err != nil {
		return nil, fmt.Errorf("links: %w", translate(err))
	}
	return links, nil
}

// Entities implements mem.Web.
func (s *linkStore) Entities(ctx context.Context, q mem.EntityQuery) ([]mem.Entity, error) {
	f := &filter{}
	if len(q.IDs) > 0 {
		f.and("e.id IN (SELECT value FROM json_each(?))", array(q.IDs))
		q = mem.EntityQuery{Limit: len(q.IDs)}
	}
	if q.Project != "" {
		f.and("(e.project = "+knownKey+" OR e.project = '')", q.Project, q.Project)
	}
	if len(q.Memories) > 0 {
		f.and(`e.number IN (SELECT n.entity FROM mention n JOIN memory m ON m.number = n.memory WHERE m.id IN (SELECT `+
			`value FROM json_each(?)))`, array(q.Memories))
	}
	if q.Name != "" {
		f.and("e.name = ? COLLATE NOCASE", q.Name)
	}
	found, err := rows(ctx, s.read, `SELECT e.id, e.project, e.kind, e.name, e.confidence, e.first_seen, e.last_seen,
		(SELECT count(*) FROM mention n WHERE n.entity = e.number) AS mentions
		FROM entity e WHERE `+f.where()+" ORDER BY mentions DESC, e.last_seen DESC, e.number DESC LIMIT ?+0",
		append(f.args, limitOr(q.Limit)),
		func(r *sql.Rows) (v mem.Entity, err error) {
			var first, last int64
			err = r.Scan(&v.ID, &v.Project, &v.Kind, &v.Name, &v.Confidence, &first, &last, &v.Mentions)
			v.FirstSeen, v.LastSeen = moment(first), moment(last)
			return v, err
		})
	if err != nil {
		return nil, fmt.Errorf("entities: %w", translate(err))
	}
	return found, nil
}

// Mentions implements mem.Web.
func (s *linkStore) Mentions(ctx context.Context, limit int, entities ...string) ([]mem.Mention, error) {
	found, err := rows(ctx, s.read, `SELECT entity, memory FROM (
		SELECT e.number AS number, e.id AS entity, m.id AS memory, m.number AS row,
		row_number() OVER (PARTITION BY e.number ORDER BY m.number DESC) AS nth
		FROM entity e JOIN mention n ON n.entity = e.number JOIN memory m ON m.number = n.memory
		WHERE e.id IN (SELECT value FROM json_each(?)) AND m.status <> ?) WHERE nth <= ? ORDER BY number, row DESC`,
		[]any{array(entities), string(mem.Forgotten), limitOr(limit)}, func(r *sql.Rows) (v mem.Mention, err error) {
			return v, r.Scan(&v.Entity, &v.Memory)
		})
	if err != nil {
		return nil, fmt.Errorf("mentions: %w", translate(err))
	}
	return found, nil
}

// Join implements mem.Web.
func (s *linkStore) Join(ctx context.Context, from, into string) error {
	err := s.change(ctx, func(w *writer) error {
		var a, b int64
		for id, n := range map[string]*int64{from: &a, into: &b} {
			if found, err := w.find(ctx, "SELECT number FROM entity WHERE id=?", []any{id}, n); err != nil {
				return err
			} else if !found {
				return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
			}
		}
		if a == b {
			return nil
		}
		for _, step := range []struct {
			query string
			args  []any
		}{
			{
				"INSERT INTO mention (entity, memory) SELECT ?, memory FROM mention WHERE entity=? ON CONFLICT DO NOTHING",
				[]any{b, a},
			},
			{`UPDATE entity SET confidence=max(confidence, (SELECT confidence FROM entity WHERE number=?1)),
				first_seen=min(first_seen, (SELECT first_seen FROM entity WHERE number=?1)),
				last_seen=max(last_seen, (SELECT last_seen FROM entity WHERE number=?1)) WHERE number=?2`, []any{a, b}},
			{"DELETE FROM entity WHERE number=?", []any{a}},
		} {
			if _, err := w.exec(ctx, step.query, step.args...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("join entities: %w", translate(err))
	}
	return nil
}

// Prune implements mem.Web.
func (s *linkStore) Prune(ctx context.Context, before time.Time) (p mem.Pruned, err error) {
	err = s.change(ctx, func(w *writer) error {
		for _, step := range []struct {
			count *int
			query string
			args  []any
		}{
			{&p.Entities, "DELETE FROM entity WHERE confidence < ? AND last_seen < ? AND (SELECT count(*) FROM mention n " +
				"WHERE n.entity = entity.number) < ?", []any{mem.MinLinkConfidence, stamp(before), mem.MinMentions}},
			{
				&p.Links, "DELETE FROM relation WHERE confidence < ? AND made < ? AND kind IN (?,?)",
				[]any{mem.MinLinkConfidence, stamp(before), string(mem.LinkSimilarTo), string(mem.LinkRelatedTo)},
			},
		} {
			done, err := w.exec(ctx, step.query, step.args...)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			*step.count = int(n)
		}
		return nil
	})
	if err != nil {
		return mem.Pruned{}, fmt.Errorf("prune: %w", translate(err))
	}
	return p, nil
}

// change runs f in a transaction of its own.
func (db *database) change(ctx context.Context, f func(*writer) error) error {
	unlock, err := db.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return db.transact(context.WithoutCancel(ctx), f)
}
