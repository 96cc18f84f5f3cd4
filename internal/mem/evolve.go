package mem

import (
	"time"
)

// Run is the record of one consolidation run: how many memories it examined and
// which of them it changed.
type Run struct {
	ID       string    `json:"id"` // "k_" + number in base 32; empty on a new one, the store sets it
	Kind     RunKind   `json:"kind"`
	Project  string    `json:"project,omitempty"` // key; empty means only memories of user scope
	Session  string    `json:"session,omitempty"` // of SessionRun: the agent's id
	At       time.Time `json:"at"`
	Examined int       `json:"examined"`          // number of memories examined
	Changes  []Step    `json:"changes,omitempty"` // in the order in which they were made
	Undone   bool      `json:"undone,omitempty"`  // there were changes, and all were undone
}

// RunKind is what a consolidation run covers.
type RunKind string

// The kinds.
const (
	SessionRun   RunKind = "session" // the memories of one session
	FullRun      RunKind = "full"    // all memories of a project
	RequestedRun RunKind = "asked"   // decisions of a person in a review, or a requested merge
)

// Step is one change of one memory in a run.
type Step struct {
	Rule   string    `json:"rule"`
	Memory string    `json:"memory"`          // id
	Other  string    `json:"other,omitempty"` // id of the other memory of a merge
	Reason string    `json:"reason"`          // one sentence without stored text
	Was    Lifecycle `json:"was"`
	Became Lifecycle `json:"became"`
	Undone time.Time `json:"undone,omitzero"`
}

// The rules by which memories change. Stored data uses these names.
const (
	RuleMerge    = "merge"         // another memory with the same scope says the same
	RulePromote  = "promote"       // the memory is useful beyond its session or project
	RuleArchive  = "archive"       // the memory decayed
	RuleContinue = "continue"      // another memory was merged into this one
	RuleOppose   = "contradiction" // another memory contradicts it; changes only what the person decides
)

// Lifecycle holds the fields of a memory that consolidation may change. It has no text.
type Lifecycle struct {
	Status     Status    `json:"status"`
	Scope      Scope     `json:"scope"`
	Trust      Trust     `json:"trust"`
	Importance float64   `json:"importance"`
	Confidence float64   `json:"confidence"`
	Uses       int       `json:"uses"`
	LastUsed   time.Time `json:"last_used,omitzero"`
	Files      int       `json:"files"` // number of files; consolidation only appends to them
	Tags       int       `json:"tags"`
	MergedInto string    `json:"merged_into,omitempty"`
	Promoted   Scope     `json:"promoted_from,omitempty"`
}

// Dismissal stops a rule from being applied to a memory, or to a pair of
// memories, and hides its finding. It is deleted with the first memory.
type Dismissal struct {
	Rule   string    `json:"rule"`
	Memory string    `json:"memory"` // in a Batch, "" means the first of its Memories
	Other  string    `json:"other,omitempty"`
	At     time.Time `json:"at"`
}

// RunQuery asks for consolidation runs, newest first.
type RunQuery struct {
	ID      string // exact or unique prefix; if set, the other fields are ignored
	Project string
	Kind    RunKind
	Brief   bool // without Changes and Undone, which are read one by one
	Limit   int  // 0 means DefaultLimit
	Offset  int
}
