package recall

import (
	"strconv"
	"strings"
	"time"

	"remanence/internal/chars"
	"remanence/internal/event"
	"remanence/internal/mem"
)

// SearchRequest asks for memories by words or, without text, by filters alone.
type SearchRequest struct {
	mem.ProjectRef
	Query mem.Query `json:"query"`
	// features of the ranking to leave out, by the names of their parts; for measuring
	Without []string `json:"without,omitempty"`

	Strategy Strategy `json:"strategy,omitempty"` // "" means Auto

	// Facets also counts what was found by kind, project and more, and says where
	// the words stand in it.
	Facets bool `json:"facets,omitempty"`
}

// Strategy is how a search looks for words. Without words it does not count.
type Strategy string

// The strategies. Where there are no vectors, or that of the question is not to be had, all are ByKeyword.
const (
	Auto      Strategy = "auto"    // by words, and by meaning where there are vectors
	ByKeyword Strategy = "keyword" // by words alone
	ByVector  Strategy = "vector"  // by meaning alone
	Hybrid    Strategy = "hybrid"  // by both; as Auto, but says so where there are no vectors
)

// Strategies lists them all.
func Strategies() []Strategy { return []Strategy{Auto, ByKeyword, ByVector, Hybrid} }

// SearchResponse is a page of memories that a search found.
type SearchResponse struct {
	Project mem.Project              `json:"project"`
	Hits    []mem.Hit                `json:"results"`
	Next    string                   `json:"next,omitempty"`  // offset of the next page; "" if this is the last one
	Stale   map[string]mem.Freshness `json:"stale,omitempty"` // of hits that are tied to files, by id; others have none
	// Searched counts the memories that were searched; 0 if counting would take longer.
	Searched int       `json:"searched"`
	TookMS   float64   `json:"took_ms"`
	Terms    []string  `json:"terms"`
	At       time.Time `json:"at"`
	Warning  string    `json:"warning,omitempty"` // what was asked for and could not be done

	// with SearchAsk.Facets: by kind, project, agent, branch, trust, status, dir
	Facets  map[string][]mem.Count `json:"facets,omitempty"`
	Counted int                    `json:"counted,omitempty"` // the best matches, which Facets count
	Marks   map[string]Marks       `json:"marks,omitempty"`   // with SearchAsk.Facets, by id of the hit

	offset int // of the first hit
}

// Rows returns the number of hits.
func (r SearchResponse) Rows() int { return len(r.Hits) }

// Head returns the first n hits, with their marks, and the offset of the hit after them.
func (r SearchResponse) Head(n int) any {
	r.Next = strconv.Itoa(r.offset + n)
	r.Hits = r.Hits[:n]
	stale, marks := map[string]mem.Freshness{}, map[string]Marks{}
	for _, h := range r.Hits {
		if f, ok := r.Stale[h.ID]; ok {
			stale[h.ID] = f
		}
		if m, ok := r.Marks[h.ID]; ok {
			marks[h.ID] = m
		}
	}
	r.Stale, r.Marks = stale, marks
	return r
}

// Marks says where the words of a search stand in a hit: from and to, in UTF-16
// units, ascending.
type Marks struct {
	Title   [][2]int `json:"title,omitempty"`
	Excerpt string   `json:"excerpt,omitempty"` // of the body, around the first word
	In      [][2]int `json:"in,omitempty"`      // the excerpt
}

// LinkKinds lists them all, in that order.
func LinkKinds() []mem.LinkKind {
	return []mem.LinkKind{
		mem.LinkSupersedes, mem.LinkContradicts, mem.LinkCausedBy, mem.LinkSupports, mem.LinkDerivedFrom,
		mem.LinkPartOf, mem.LinkSimilarTo, mem.LinkRelatedTo,
	}
}

// LinkedMemory is how a memory stands to another one, as a person reads it.
type LinkedMemory struct {
	ID         string       `json:"id"` // of the other memory
	Kind       mem.LinkKind `json:"kind"`
	From       bool         `json:"from"` // the link begins at the other memory: that one supersedes this one, and so on
	Title      string       `json:"title"`
	Trust      mem.Trust    `json:"trust"` // of the other memory
	Confidence float64      `json:"confidence"`
	// of LinkSupersedes: when the one took the other's place; else when the rule saw it
	Since time.Time `json:"since"`
}

// RelatedRequest asks for what lies around a memory or a name, or without one for
// what a project names most.
type RelatedRequest struct {
	mem.ProjectRef
	ID    string `json:"id,omitempty"`    // of a memory or an entity, or the name of an entity
	Depth int    `json:"depth,omitempty"` // steps, 1 or 2; 0 means 1
	Limit int    `json:"limit,omitempty"` // nodes, at most 200; 0 means 60
}

// RelatedResponse is a part of the web: memories and names, and how they stand to each other.
type RelatedResponse struct {
	Project mem.Project `json:"project"`
	Center  string      `json:"center,omitempty"` // id of the node that was asked about
	Nodes   []GraphNode `json:"nodes"`            // the nearest to it first
	Edges   []GraphEdge `json:"edges"`            // between nodes that are here
	Cut     bool        `json:"cut"`              // there is more
}

// The types of a GraphNode.
const (
	NodeMemory = "memory"
	NodeEntity = "entity"
)

// GraphNode is a memory or an entity.
type GraphNode struct {
	ID       string     `json:"id"`
	Type     string     `json:"type"`   // NodeMemory or NodeEntity
	Kind     string     `json:"kind"`   // a Kind or an EntityKind
	Name     string     `json:"name"`   // title, or name
	Weight   float64    `json:"weight"` // 0…1: importance, or confidence
	Status   mem.Status `json:"status,omitempty"`
	Trust    string     `json:"trust,omitempty"`
	At       time.Time  `json:"at"`                 // made, or last seen
	Mentions int        `json:"mentions,omitempty"` // of an entity, those that are not here too
}

// EdgeMentions is the kind of an edge from a memory to a name that it holds; the
// others are those of links.
const EdgeMentions = "mentions"

// GraphEdge is one relation.
type GraphEdge struct {
	From       string  `json:"from"`
	To         string  `json:"to"`
	Kind       string  `json:"kind"`
	Confidence float64 `json:"confidence"`
}

// IsQuestion reports whether a prompt is one of a person to the agent.
func IsQuestion(prompt string) bool {
	p := strings.TrimSpace(prompt)
	return p != "" && !strings.HasPrefix(p, event.OwnCommand) && !chars.IsClientText(p)
}

// SourceOf is the source of a session start that is answered with a trigger.
func SourceOf(trigger string) string {
	if trigger == "session_start" {
		return "startup"
	}
	return trigger
}

// PlaceCompaction is the section of what a summary left out.
const PlaceCompaction = "compaction"
