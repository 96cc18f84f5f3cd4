package mem

import (
	"time"
)

// LinkKind is the kind of a directed link between two memories.
type LinkKind string

// The kinds, strongest first. The comments describe From relative to To.
const (
	LinkSupersedes  LinkKind = "supersedes"   // replaces it
	LinkContradicts LinkKind = "contradicts"  // cannot be true together with it
	LinkCausedBy    LinkKind = "caused_by"    // fixes the failure it describes
	LinkSupports    LinkKind = "supports"     // gives a reason for it
	LinkDerivedFrom LinkKind = "derived_from" // was made from it
	LinkPartOf      LinkKind = "part_of"      // is contained in it, a summary
	LinkSimilarTo   LinkKind = "similar_to"   // says nearly the same
	LinkRelatedTo   LinkKind = "related_to"   // mentions the same entities
)

// Link is a directed link between two memories, found without a model.
type Link struct {
	From       string    `json:"from"` // id of a memory
	To         string    `json:"to"`   // id of a memory
	Kind       LinkKind  `json:"kind"`
	Confidence float64   `json:"confidence"` // 0…1
	Made       time.Time `json:"made"`
}

// EntityKind is the kind of an entity.
type EntityKind string

// The kinds.
const (
	EntityFile    EntityKind = "file"
	EntitySymbol  EntityKind = "symbol"
	EntityPackage EntityKind = "package"
	EntityPerson  EntityKind = "person"
	EntityService EntityKind = "service"
)

// Entity is a named thing that memories mention, such as a file or a service.
type Entity struct {
	ID         string     `json:"id"` // "n_" + number in base 32
	Project    string     `json:"project,omitempty"`
	Kind       EntityKind `json:"kind"`
	Name       string     `json:"name"`
	Confidence float64    `json:"confidence"` // 0…1, that it is an entity: the highest of its mentions
	Mentions   int        `json:"mentions"`   // number of memories that mention it
	FirstSeen  time.Time  `json:"first_seen"`
	LastSeen   time.Time  `json:"last_seen"`
}

// NamedEntity is an entity as the text of one memory mentions it.
type NamedEntity struct {
	Kind       EntityKind
	Name       string
	Confidence float64 // 0…1
}

// MemoryLinks holds the entities and outgoing links of one memory. Writing it
// replaces those that the memory had.
type MemoryLinks struct {
	Memory   string    // id; an unknown one is ignored
	Updated  time.Time // Memory.Updated when it was read; if it changed since, its links stay outdated
	Entities []NamedEntity
	Links    []Link // From is Memory; links to unknown memories or to itself are ignored
}

// Mention is one pair of an entity and a memory that mentions it.
type Mention struct {
	Entity string `json:"entity"`
	Memory string `json:"memory"`
}

// EntityQuery asks for entities, most mentioned first.
type EntityQuery struct {
	Project  string   // key, includes those of user scope; "" means all
	IDs      []string // exact; if set, every other filter is ignored
	Memories []string // only entities that one of these mentions
	Name     string   // exact, except for the case of Latin letters
	Limit    int      // 0 means DefaultLimit
}

// Pruned counts deleted entities and links.
type Pruned struct {
	Entities int `json:"entities"`
	Links    int `json:"links"`
}

// Store.Prune deletes what is below these bounds and was not seen lately.
const (
	MinLinkConfidence = 0.3
	MinMentions       = 2
)
