package mem

import (
	"context"
	"time"
)

// LinkKind says how one memory stands to another.
type LinkKind string

// The kinds, the weightiest first.
const (
	LinkSupersedes  LinkKind = "supersedes"   // takes the other's place
	LinkContradicts LinkKind = "contradicts"  // both cannot hold
	LinkCausedBy    LinkKind = "caused_by"    // a fix by what failed
	LinkSupports    LinkKind = "supports"     // gives the reason for the other
	LinkDerivedFrom LinkKind = "derived_from" // was made of the other
	LinkPartOf      LinkKind = "part_of"      // is told within the other, a summary
	LinkSimilarTo   LinkKind = "similar_to"   // says nearly the same
	LinkRelatedTo   LinkKind = "related_to"   // names the same things
)

// Link says how a memory stands to another, by rule.
type Link struct {
	From       string    `json:"from"` // id of a memory
	To         string    `json:"to"`   // likewise
	Kind       LinkKind  `json:"kind"`
	Confidence float64   `json:"confidence"` // 0…1
	Made       time.Time `json:"made"`
}

// EntityKind says what a name is the name of.
type EntityKind string

// The kinds.
const (
	EntityFile    EntityKind = "file"
	EntitySymbol  EntityKind = "symbol"
	EntityPackage EntityKind = "package"
	EntityPerson  EntityKind = "person"
	EntityService EntityKind = "service"
)

// Entity is something with a name that memories are about.
type Entity struct {
	ID         string     `json:"id"` // "n_" + number in base 32
	Project    string     `json:"project,omitempty"`
	Kind       EntityKind `json:"kind"`
	Name       string     `json:"name"`
	Confidence float64    `json:"confidence"` // 0…1, that it is one: the best of its mentions
	Mentions   int        `json:"mentions"`   // memories that name it
	FirstSeen  time.Time  `json:"first_seen"`
	LastSeen   time.Time  `json:"last_seen"`
}

// Named is a name that a memory holds.
type Named struct {
	Kind       EntityKind
	Name       string
	Confidence float64 // 0…1
}

// Woven is how one memory stands to names and to others. It takes the place of
// the names it held before, and of the links that went out from it.
type MemoryLinks struct {
	Memory  string    // id; one that is gone is passed over
	Updated time.Time // of the memory as it was read: one that was changed since stays Unwoven
	Names   []Named
	Links   []Link // From is Memory; one to a memory that is gone, or to itself, is passed over
}

// Mention says that a memory names an entity.
type Mention struct {
	Entity string `json:"entity"`
	Memory string `json:"memory"`
}

// EntityQuery asks for entities, those with the most mentions first.
type EntityQuery struct {
	Project  string   // key, with those of user scope; "" means all
	IDs      []string // exact; every other filter is then ignored
	Memories []string // only those that one of them names
	Name     string   // exact but for the case of Latin letters
	Limit    int      // 0 means DefaultLimit
}

// Pruned counts what was taken out of the web.
type Pruned struct {
	Entities int `json:"entities"`
	Links    int `json:"links"`
}

// Least confidence and mentions that keep a name, or a link of likeness, that
// was not seen for WebMemory.
const (
	LeastConfidence = 0.3
	LeastMentions   = 2
	LinkedMemory    = 30 * 24 * time.Hour
)

// Web is a Store that keeps how memories stand to each other and to names.
// Batch.Woven adds to it; an erased memory takes its part out of it.
type LinkStore interface {
	// Links returns the links that begin or end at any of the memories, the most
	// confident first, then the newest; at most 1000.
	Links(ctx context.Context, memories ...string) ([]Link, error)

	// LinksOf returns the links of a kind between active memories of a project
	// and those of user scope, of all with an empty key; newest first, at most limit.
	LinksOf(ctx context.Context, kind LinkKind, project string, limit int) ([]Link, error)

	// Entities returns the entities that pass q.
	Entities(ctx context.Context, q EntityQuery) ([]Entity, error)

	// Mentions returns which memories name the entities, the newest memory
	// first, at most limit of each entity. Forgotten memories are left out.
	Mentions(ctx context.Context, limit int, entities ...string) ([]Mention, error)

	// Join makes two entities one: what names the first names the second.
	Join(ctx context.Context, from, into string) error

	// Prune drops entities with less than LeastConfidence and LeastMentions that
	// were not seen since, and links of likeness with less than LeastConfidence made before.
	Prune(ctx context.Context, before time.Time) (Pruned, error)
}
