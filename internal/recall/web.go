package recall

import (
	"time"

	"remanence/internal/mem"
)

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
