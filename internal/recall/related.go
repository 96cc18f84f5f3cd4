package recall

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"remanence/internal/entity"
	"remanence/internal/mem"
)

// Bounds of a look at the web.
const (
	graphNodes   = 60 // if the request does not say
	mostNodes    = 200
	mostDepth    = 2
	graphNames   = 20 // most named, if the request names none
	besideOfOne  = 12 // others that a memory is shown with
	mentionsEach = 20 // of one name
)

// ErrDepth refuses more steps than are gone.
var ErrDepth = errors.New("depth is 1 or 2")

// Histories adds to the hits which memories they supersede: because they name them, or because the person decided so
// between two that contradict each other.
func (e *Service) Histories(ctx context.Context, hits []mem.Hit) error {
	if len(hits) == 0 {
		return nil
	}
	ms := make([]mem.Memory, 0, len(hits))
	for _, h := range hits {
		ms = append(ms, h.Memory)
	}
	links, err := e.linksAt(ctx, ms)
	if err != nil {
		return err
	}
	links = slices.DeleteFunc(links, func(l mem.Link) bool {
		return l.Kind != mem.LinkSupersedes && l.Kind != mem.LinkContradicts
	})
	ends, err := e.AtEnds(ctx, links)
	if err != nil {
		return err
	}
	for i, h := range hits {
		for _, l := range links {
			if was, ok := ends[l.To]; ok && l.From == h.Memory.ID && was.Status == mem.Superseded && hits[i].Replaced == nil {
				hits[i].Replaced = &was
				break
			}
		}
	}
	return nil
}

// Beside is how memories stand to others.
func (e *Service) Beside(ctx context.Context, ms []mem.Memory) (map[string][]LinkedMemory, error) {
	links, err := e.linksAt(ctx, ms)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	others, err := e.AtEnds(ctx, links)
	if err != nil {
		return nil, err
	}
	out := map[string][]LinkedMemory{}
	for _, m := range ms {
		var list []LinkedMemory
		for _, l := range links {
			from := l.To == m.ID
			id := l.To
			if from {
				id = l.From
			}
			o, known := others[id]
			if !known || l.From != m.ID && l.To != m.ID || o.Status == mem.Forgotten {
				continue
			}
			if old := others[l.To]; l.Kind == mem.LinkContradicts && old.Status == mem.Superseded {
				l.Kind = mem.LinkSupersedes // so the person judged
			}
			b := LinkedMemory{
				ID: id, Kind: l.Kind, From: from, Title: o.Title, Trust: o.Trust, Confidence: l.Confidence,
				Since: l.Made,
			}
			if l.Kind == mem.LinkSupersedes {
				b.Since = others[l.From].Created
			}
			list = append(list, b)
		}
		slices.SortStableFunc(list, func(a, b LinkedMemory) int {
			return cmp.Compare(slices.Index(LinkKinds(), a.Kind), slices.Index(LinkKinds(), b.Kind))
		})
		if len(list) > 0 {
			out[m.ID] = list[:min(len(list), besideOfOne)]
		}
	}
	return out, nil
}

// linksAt returns the links of memories, including those of a supersedes field whose link is not stored yet.
func (e *Service) linksAt(ctx context.Context, ms []mem.Memory) ([]mem.Link, error) {
	ids := make([]string, 0, len(ms))
	for _, m := range ms {
		ids = append(ids, m.ID)
	}
	links, err := e.Store.Links(ctx, ids...)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	add := func(from, to string) {
		known := func(l mem.Link) bool { return l.From == from && l.To == to && l.Kind == mem.LinkSupersedes }
		if from != "" && to != "" && !slices.ContainsFunc(links, known) {
			links = append(links, mem.Link{From: from, To: to, Kind: mem.LinkSupersedes, Confidence: 1})
		}
	}
	for _, m := range ms {
		add(m.ID, m.Supersedes)
		if m.Status != mem.Superseded {
			continue
		}
		by, err := e.Store.SupersededBy(ctx, m.ID)
		if err != nil {
			return nil, fmt.Errorf("successor of %s: %w", m.ID, err)
		}
		add(by, m.ID)
	}
	return links, nil
}

// AtEnds are the memories at both ends of links, by id. Erased ones are left out.
func (e *Service) AtEnds(ctx context.Context, links []mem.Link) (map[string]mem.Memory, error) {
	var ids []string
	for _, l := range links {
		ids = append(ids, l.From, l.To)
	}
	slices.Sort(ids)
	return e.ByID(ctx, slices.Compact(ids))
}

// ByID are the memories of whole ids, by id. Erased ones are left out.
func (e *Service) ByID(ctx context.Context, ids []string) (map[string]mem.Memory, error) {
	out := make(map[string]mem.Memory, len(ids))
	if len(ids) == 0 {
		return out, nil
	}
	ms, err := e.Store.List(ctx, mem.Query{IDs: ids, ExactIDs: true, Hidden: true, Within: "*"})
	if err != nil {
		return nil, fmt.Errorf("memories: %w", err)
	}
	for _, m := range ms {
		out[m.ID] = m
	}
	return out, nil
}

// Related returns what lies around a memory or a name: the nearest first, within
// bounds. Without one it is what a project names most, and who names it.
func (e *Service) Related(ctx context.Context, ask RelatedRequest) (RelatedResponse, error) {
	if ask.Depth < 0 || ask.Depth > mostDepth {
		return RelatedResponse{}, fmt.Errorf("%d: %w", ask.Depth, ErrDepth)
	}
	p, err := e.Event.Place(ctx, ask.ProjectRef)
	if err != nil {
		return RelatedResponse{}, err
	}
	g := &walk{e: e, limit: min(cmp.Or(max(ask.Limit, 0), graphNodes), mostNodes), at: map[string]int{}}
	g.out = RelatedResponse{Project: p, Nodes: []GraphNode{}, Edges: []GraphEdge{}}
	if ask.ID == "" {
		names, err := e.Store.Entities(ctx, mem.EntityQuery{Project: p.Key, Limit: graphNames})
		if err != nil {
			return g.out, fmt.Errorf("names: %w", err)
		}
		for _, n := range names {
			g.name(n)
		}
		ask.Depth = 1
	} else if err := g.begin(ctx, p, ask.ID); err != nil {
		return g.out, err
	}
	done := 0
	for range max(1, ask.Depth) {
		edge := g.out.Nodes[done:]
		done = len(g.out.Nodes)
		if err := g.step(ctx, edge); err != nil {
			return g.out, err
		}
	}
	g.out.Edges = slices.DeleteFunc(g.out.Edges, func(x GraphEdge) bool { return g.at[x.From] == 0 || g.at[x.To] == 0 })
	return g.out, nil
}

// walk is a Graph on its way.
type walk struct {
	e     *Service
	out   RelatedResponse
	at    map[string]int // by id, the place of its node from 1
	seen  map[GraphEdge]bool
	limit int
}

// begin finds the node that is asked about.
func (g *walk) begin(ctx context.Context, p mem.Project, id string) error {
	ms, err := g.e.Store.List(ctx, mem.Query{IDs: []string{id}, Hidden: true, Within: "*"})
	switch {
	case err == nil:
		g.memory(ms[0])
		g.out.Center = ms[0].ID
		return nil
	case !errors.Is(err, mem.ErrNotFound):
		return fmt.Errorf("%s: %w", id, err)
	}
	for _, q := range []mem.EntityQuery{{IDs: []string{id}}, {Project: p.Key, Name: id, Limit: 1}} {
		found, err := g.e.Store.Entities(ctx, q)
		if err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		if len(found) > 0 {
			g.name(found[0])
			g.out.Center = found[0].ID
			return nil
		}
	}
	return fmt.Errorf("%s: %w", id, mem.ErrNotFound)
}

// room reports whether a node may be there: it is, or there is place for it.
func (g *walk) room(id string) bool {
	if g.at[id] > 0 {
		return false
	}
	if len(g.out.Nodes) >= g.limit {
		g.out.Cut = true
		return false
	}
	return true
}

func (g *walk) memory(m mem.Memory) {
	if g.room(m.ID) {
		g.out.Nodes = append(g.out.Nodes, GraphNode{
			ID: m.ID, Type: NodeMemory, Kind: string(m.Kind), Name: m.Title, Weight: m.Importance, Status: m.Status,
			Trust: m.Trust.String(), At: m.Created,
		})
		g.at[m.ID] = len(g.out.Nodes)
	}
}

func (g *walk) name(n mem.Entity) {
	if g.room(n.ID) {
		g.out.Nodes = append(g.out.Nodes, GraphNode{
			ID: n.ID, Type: NodeEntity, Kind: string(n.Kind), Name: n.Name, Weight: n.Confidence, At: n.LastSeen,
			Mentions: n.Mentions,
		})
		g.at[n.ID] = len(g.out.Nodes)
	}
}

func (g *walk) edge(x GraphEdge) {
	if g.seen == nil {
		g.seen = map[GraphEdge]bool{}
	}
	if !g.seen[x] {
		g.seen[x] = true
		g.out.Edges = append(g.out.Edges, x)
	}
}

// step goes one step further from some nodes.
func (g *walk) step(ctx context.Context, nodes []GraphNode) error {
	var memories, names []string
	for _, n := range nodes {
		if n.Type == NodeMemory {
			memories = append(memories, n.ID)
		} else {
			names = append(names, n.ID)
		}
	}
	if len(memories) > 0 {
		if err := g.fromMemories(ctx, memories); err != nil {
			return err
		}
	}
	if len(names) > 0 {
		return g.fromNames(ctx, names)
	}
	return nil
}

func (g *walk) fromMemories(ctx context.Context, ids []string) error {
	links, err := g.e.Store.Links(ctx, ids...)
	if err != nil {
		return fmt.Errorf("links: %w", err)
	}
	ends, err := g.e.AtEnds(ctx, links)
	if err != nil {
		return err
	}
	for _, l := range links {
		for _, id := range []string{l.From, l.To} {
			if m, ok := ends[id]; ok && m.Status != mem.Forgotten {
				g.memory(m)
			}
		}
		g.edge(GraphEdge{From: l.From, To: l.To, Kind: string(l.Kind), Confidence: l.Confidence})
	}
	for _, id := range ids {
		names, err := g.e.Store.Entities(ctx, mem.EntityQuery{Memories: []string{id}, Limit: entity.Most})
		if err != nil {
			return fmt.Errorf("names: %w", err)
		}
		for _, n := range names {
			g.name(n)
			g.edge(GraphEdge{From: id, To: n.ID, Kind: EdgeMentions, Confidence: n.Confidence})
		}
	}
	return nil
}

func (g *walk) fromNames(ctx context.Context, ids []string) error {
	mentions, err := g.e.Store.Mentions(ctx, mentionsEach, ids...)
	if err != nil {
		return fmt.Errorf("mentions: %w", err)
	}
	var memories []string
	for _, n := range mentions {
		memories = append(memories, n.Memory)
	}
	known, err := g.e.ByID(ctx, memories)
	if err != nil {
		return err
	}
	for _, n := range mentions {
		if m, ok := known[n.Memory]; ok {
			g.memory(m)
			g.edge(GraphEdge{From: n.Memory, To: n.Entity, Kind: EdgeMentions, Confidence: 1})
		}
	}
	return nil
}

// Young is how long a memory counts as new: six sessions on one day do not show that it is not needed.
const Young = 7 * 24 * time.Hour
