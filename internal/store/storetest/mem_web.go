package storetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"remanence/internal/mem"
)

var _ mem.LinkStore = (*Mem)(nil)

// web is how memories stand to each other and to names.
type web struct {
	entities []*mem.Entity // their Mentions are counted when they are asked for
	mentions []mem.Mention
	links    []mem.Link
}

// sweep takes out what erased memories left.
func (s *Mem) sweep() {
	gone := func(id string) bool { return s.memory(id) == nil }
	s.web.mentions = slices.DeleteFunc(s.web.mentions, func(n mem.Mention) bool { return gone(n.Memory) })
	s.web.links = slices.DeleteFunc(s.web.links, func(l mem.Link) bool { return gone(l.From) || gone(l.To) })
	s.web.entities = slices.DeleteFunc(s.web.entities, func(e *mem.Entity) bool { return s.mentionsOf(e.ID) == 0 })
}

func (s *Mem) mentionsOf(entity string) int {
	n := 0
	for _, m := range s.web.mentions {
		if m.Entity == entity {
			n++
		}
	}
	return n
}

// weave writes how a memory stands to names and to others.
func (d *deed) weave(v mem.MemoryLinks) {
	m := d.memory(v.Memory)
	if m == nil {
		return
	}
	var named []string
	for _, n := range v.Names {
		i := slices.IndexFunc(d.web.entities, func(e *mem.Entity) bool { return e.Project == m.Project && e.Kind == n.Kind && e.Name == n.Name })
		if i < 0 {
			i = len(d.web.entities)
			d.web.entities = append(d.web.entities, &mem.Entity{ID: short("n_", d.next("n_")), Project: m.Project, Kind: n.Kind, Name: n.Name, FirstSeen: m.Updated, LastSeen: m.Updated})
		}
		e := d.web.entities[i]
		e.Confidence = max(e.Confidence, n.Confidence)
		if m.Updated.After(e.LastSeen) {
			e.LastSeen = m.Updated
		}
		named = append(named, e.ID)
	}
	d.web.mentions = slices.DeleteFunc(d.web.mentions, func(n mem.Mention) bool { return n.Memory == m.ID })
	for _, id := range named {
		if n := (mem.Mention{Entity: id, Memory: m.ID}); !slices.Contains(d.web.mentions, n) {
			d.web.mentions = append(d.web.mentions, n)
		}
	}
	d.web.links = slices.DeleteFunc(d.web.links, func(l mem.Link) bool { return l.From == m.ID })
	for _, l := range v.Links {
		if d.memory(l.To) == nil || l.To == m.ID {
			continue
		}
		if l.From = m.ID; l.Made.IsZero() {
			l.Made = d.now()
		}
		l.Made = clean(l.Made)
		if i := slices.IndexFunc(d.web.links, func(o mem.Link) bool { return o.From == l.From && o.To == l.To && o.Kind == l.Kind }); i >= 0 {
			d.web.links[i].Confidence = max(d.web.links[i].Confidence, l.Confidence)
			continue
		}
		d.web.links = append(d.web.links, l)
	}
	m.unwoven = m.unwoven && !m.Updated.Equal(clean(v.Updated))
	d.sweep()
}

// Links implements mem.Web.
func (s *Mem) Links(ctx context.Context, memories ...string) ([]mem.Link, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s.sweep()
	out := slices.DeleteFunc(slices.Clone(s.web.links), func(l mem.Link) bool { return !slices.Contains(memories, l.From) && !slices.Contains(memories, l.To) })
	slices.SortStableFunc(out, func(a, b mem.Link) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), s.laterLink(a, b), cmp.Compare(a.Kind, b.Kind))
	})
	return page(out, 0, 1000, 1000), nil
}

// laterLink orders links by age, the newest first, then by their memories.
func (s *Mem) laterLink(a, b mem.Link) int {
	return cmp.Or(b.Made.Compare(a.Made), cmp.Compare(s.nth(b.From), s.nth(a.From)), cmp.Compare(s.nth(b.To), s.nth(a.To)))
}

// nth is a memory's place in the order of arrival.
func (s *Mem) nth(id string) int {
	return slices.IndexFunc(s.memories, func(m *memory) bool { return m.ID == id })
}

// LinksOf implements mem.Web.
func (s *Mem) LinksOf(ctx context.Context, kind mem.LinkKind, project string, limit int) ([]mem.Link, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s.sweep()
	counts := func(id string) bool {
		m := s.memory(id)
		return m.Status == mem.Active && (project == "" || m.Scope == mem.ScopeUser || m.Project == s.alias(project))
	}
	out := slices.DeleteFunc(slices.Clone(s.web.links), func(l mem.Link) bool { return l.Kind != kind || !counts(l.From) || !counts(l.To) })
	slices.SortStableFunc(out, s.laterLink)
	return page(out, 0, limit, mem.DefaultLimit), nil
}

// Entities implements mem.Web.
func (s *Mem) Entities(ctx context.Context, q mem.EntityQuery) ([]mem.Entity, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s.sweep()
	if len(q.IDs) > 0 {
		q = mem.EntityQuery{IDs: q.IDs, Limit: len(q.IDs)}
	}
	var out []mem.Entity
	for _, e := range slices.Backward(s.web.entities) {
		names := func(memory string) bool {
			return slices.Contains(s.web.mentions, mem.Mention{Entity: e.ID, Memory: memory})
		}
		switch {
		case len(q.IDs) > 0 && !slices.Contains(q.IDs, e.ID),
			q.Project != "" && e.Project != "" && e.Project != s.alias(q.Project),
			len(q.Memories) > 0 && !slices.ContainsFunc(q.Memories, names),
			q.Name != "" && !strings.EqualFold(e.Name, q.Name):
			continue
		}
		v := *e
		v.Mentions = s.mentionsOf(e.ID)
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b mem.Entity) int {
		return cmp.Or(cmp.Compare(b.Mentions, a.Mentions), b.LastSeen.Compare(a.LastSeen))
	})
	return page(out, 0, q.Limit, mem.DefaultLimit), nil
}

// Mentions implements mem.Web.
func (s *Mem) Mentions(ctx context.Context, limit int, entities ...string) ([]mem.Mention, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	s.sweep()
	var out []mem.Mention
	for _, e := range s.web.entities {
		if !slices.Contains(entities, e.ID) {
			continue
		}
		var own []mem.Mention
		for _, m := range slices.Backward(s.memories) {
			if n := (mem.Mention{Entity: e.ID, Memory: m.ID}); m.Status != mem.Forgotten && slices.Contains(s.web.mentions, n) {
				own = append(own, n)
			}
		}
		out = append(out, page(own, 0, limit, mem.DefaultLimit)...)
	}
	return out, nil
}

// Join implements mem.Web.
func (s *Mem) Join(ctx context.Context, from, into string) error {
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	s.sweep()
	at := func(id string) int {
		return slices.IndexFunc(s.web.entities, func(e *mem.Entity) bool { return e.ID == id })
	}
	if at(from) < 0 || at(into) < 0 {
		return fmt.Errorf("join entities: %w", mem.ErrNotFound)
	}
	if from == into {
		return nil
	}
	a, b := s.web.entities[at(from)], s.web.entities[at(into)]
	b.Confidence = max(a.Confidence, b.Confidence)
	if a.FirstSeen.Before(b.FirstSeen) {
		b.FirstSeen = a.FirstSeen
	}
	if a.LastSeen.After(b.LastSeen) {
		b.LastSeen = a.LastSeen
	}
	for _, n := range slices.Clone(s.web.mentions) {
		if moved := (mem.Mention{Entity: into, Memory: n.Memory}); n.Entity == from && !slices.Contains(s.web.mentions, moved) {
			s.web.mentions = append(s.web.mentions, moved)
		}
	}
	s.web.mentions = slices.DeleteFunc(s.web.mentions, func(n mem.Mention) bool { return n.Entity == from })
	s.sweep()
	return nil
}

// Prune implements mem.Web.
func (s *Mem) Prune(ctx context.Context, before time.Time) (mem.Pruned, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return mem.Pruned{}, err
	}
	defer unlock()
	s.sweep()
	entities, links := len(s.web.entities), len(s.web.links)
	for _, e := range s.web.entities {
		if e.Confidence < mem.LeastConfidence && e.LastSeen.Before(before) && s.mentionsOf(e.ID) < mem.LeastMentions {
			s.web.mentions = slices.DeleteFunc(s.web.mentions, func(n mem.Mention) bool { return n.Entity == e.ID })
		}
	}
	s.web.links = slices.DeleteFunc(s.web.links, func(l mem.Link) bool {
		return l.Confidence < mem.LeastConfidence && l.Made.Before(before) && (l.Kind == mem.LinkSimilarTo || l.Kind == mem.LinkRelatedTo)
	})
	s.sweep()
	return mem.Pruned{Entities: entities - len(s.web.entities), Links: links - len(s.web.links)}, nil
}
