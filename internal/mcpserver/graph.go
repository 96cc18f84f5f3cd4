package mcpserver

import (
	"cmp"
	"context"
	"slices"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// node is a memory, or an entity that memories mention.
type node struct {
	ID       string `json:"id"`
	Type     string `json:"type"` // memory, file, symbol, package, person, service
	Name     string `json:"name"`
	Mentions int    `json:"mentions,omitempty"` // memories that name it
}

// edge is a link between two nodes.
type edge struct {
	From       string  `json:"from"`
	To         string  `json:"to"`
	Kind       string  `json:"kind"`
	Confidence float64 `json:"confidence"`
}

type graph struct {
	Project string `json:"project"`
	Center  string `json:"center,omitempty"`
	Nodes   []node `json:"nodes"`
	Edges   []edge `json:"edges"`
	Warning string `json:"warning,omitempty"`
}

// graph returns the entities that the project's memories mention most, with those memories.
func (s *Server) graph(ctx context.Context) (any, error) {
	return s.related(ctx, graphArgs{})
}

type graphArgs struct {
	Entity       string `json:"entity"`
	Relationship string `json:"relationship_type"`
	Direction    string `json:"direction"`
	Depth        int    `json:"depth"`
	Memories     bool   `json:"include_memories"`
	Limit        int    `json:"limit"`
}

// graphAnswer is the answer about an entity or a memory: the nodes around it.
type graphAnswer struct {
	graph
	Memories []row `json:"memories,omitempty"`
}

// reserved is the number of bytes for the fields around the memories.
const reserved = 100

// mostDepth is the greatest depth of a request.
const mostDepth = 3

func (s *Server) graphAround(ctx context.Context, a graphArgs) (any, error) {
	switch {
	case a.Entity == "":
		return nil, bad("entity is missing")
	case a.Depth < 0 || a.Depth > mostDepth:
		return nil, bad("depth is 1 to %d", mostDepth)
	case !slices.Contains([]string{"", "both", "in", "out", "incoming", "outgoing"}, a.Direction):
		return nil, bad("no direction %q", a.Direction).fixedBy("both, in or out")
	}
	g, err := s.related(ctx, a)
	if err != nil {
		return nil, err
	}
	out := graphAnswer{graph: g}
	if a.Memories {
		found, err := s.search(ctx, searchArgs{Query: &a.Entity, Limit: 5})
		if err != nil {
			return nil, err
		}
		list := found.(searchAnswer).Results
		out.Memories = list[:fitting(list, MaxAnswer-size(out)-reserved)]
		if len(out.Memories) < len(list) {
			out.Warning = "cut to what fits; search has the rest"
		}
	}
	return out, nil
}

// related is the part of the graph that an agent may read: without memories from outside, and without what
// only they lead to.
func (s *Server) related(ctx context.Context, a graphArgs) (graph, error) {
	got, err := s.Memory.Related(ctx, recall.RelatedRequest{
		ProjectRef: s.Place, ID: a.Entity, Depth: min(a.Depth, 2),
		Limit: cmp.Or(a.Limit, 40),
	})
	if err != nil {
		return graph{}, err
	}
	out := graph{Project: got.Project.Name, Center: got.Center, Nodes: []node{}, Edges: []edge{}}
	outside := map[string]bool{}
	for _, n := range got.Nodes {
		outside[n.ID] = n.Type == recall.NodeMemory && n.Trust == mem.TrustNone.String()
	}
	led := map[string]bool{got.Center: got.Center != ""}
	for _, x := range got.Edges {
		if outside[x.From] || outside[x.To] {
			continue
		}
		led[x.From], led[x.To] = true, true
		if (a.Relationship == "" || x.Kind == a.Relationship) && directed(a.Direction, got.Center, x) {
			out.Edges = append(out.Edges, edge{x.From, x.To, x.Kind, float64(int(x.Confidence*100+0.5)) / 100})
		}
	}
	for _, n := range got.Nodes {
		if outside[n.ID] || !led[n.ID] {
			continue
		}
		kind := n.Kind
		if n.Type == recall.NodeMemory {
			kind = n.Type
		}
		out.Nodes = append(out.Nodes, node{n.ID, kind, chars.Clip(s.Plain(n.Name), 160), n.Mentions})
	}
	all := len(out.Nodes) + len(out.Edges)
	out.Nodes = out.Nodes[:fitting(out.Nodes, room/2)]
	out.Edges = out.Edges[:fitting(out.Edges, room-room/2)]
	if got.Cut || len(out.Nodes)+len(out.Edges) < all {
		out.Warning = "there is more; ask for one of the nodes"
	}
	return out, nil
}

// directed reports whether an edge of the center has the requested direction.
func directed(direction, center string, x recall.GraphEdge) bool {
	switch direction {
	case "in", "incoming":
		return x.From != center
	case "out", "outgoing":
		return x.To != center
	}
	return true
}

type consolidateArgs struct {
	Strategy string `json:"strategy"` // accepted and ignored: the rules are the same
	DryRun   bool   `json:"dry_run"`
}

// consolidation is what a run of consolidation changed, or would change.
type consolidation struct {
	DryRun  bool     `json:"dry_run"`
	Runs    []string `json:"runs,omitempty"`
	Changes []change `json:"changes"`
	Undo    string   `json:"undo,omitempty"`
	Warning string   `json:"warning,omitempty"`
}

type change struct {
	Memory string `json:"memory"`
	Rule   string `json:"rule"`
	Other  string `json:"other,omitempty"`
	Reason string `json:"reason"`
}

func (s *Server) consolidate(ctx context.Context, a consolidateArgs) (any, error) {
	if !a.DryRun {
		if _, err := s.writing(ctx); err != nil {
			return nil, err
		}
	}
	got, err := s.Memory.Consolidate(ctx, curate.ConsolidateRequest{ProjectRef: s.Place, DryRun: a.DryRun})
	if err != nil {
		return nil, err
	}
	out := consolidation{DryRun: got.DryRun, Changes: []change{}}
	for _, r := range got.Runs {
		if r.ID != "" && len(r.Changes) > 0 {
			out.Runs, out.Undo = append(out.Runs, r.ID), "remanence consolidate --undo "+r.ID
		}
		for _, c := range r.Changes {
			out.Changes = append(out.Changes, change{c.Memory, c.Rule, c.Other, s.Plain(c.Reason)})
		}
	}
	if n := fitting(out.Changes, room); n < len(out.Changes) {
		out.Warning = "cut to what fits; remanence consolidate --dry-run shows all"
		out.Changes = out.Changes[:n]
	}
	return out, nil
}
