package mem

import (
	"context"
	"time"
)

// Run is a round of consolidation: what was looked at, and what was changed
// without anybody asking for it.
type Run struct {
	ID      string    `json:"id"` // "k_" + number in base 32; empty on a new one, the store sets it
	Kind    RunKind   `json:"kind"`
	Project string    `json:"project,omitempty"` // key; empty means the memories of user scope alone
	Session string    `json:"session,omitempty"` // of SessionRun: the agent's id
	At      time.Time `json:"at"`
	Looked  int       `json:"looked"`            // at so many memories
	Changes []Step    `json:"changes,omitempty"` // in the order in which they were made
	Undone  bool      `json:"undone,omitempty"`  // there were changes, and all were taken back
}

// RunKind says what a round covers.
type RunKind string

// The kinds.
const (
	SessionRun RunKind = "session" // one session's memories
	FullRun    RunKind = "full"    // all of a project
	AskedRun   RunKind = "asked"   // what a person decided in a review, or had merged
)

// Step is one memory as a round changed it.
type Step struct {
	Rule   string    `json:"rule"`
	Memory string    `json:"memory"`          // id
	Other  string    `json:"other,omitempty"` // id of the other memory of a merging
	Reason string    `json:"reason"`          // in a sentence, without any text of the person's
	Was    Life      `json:"was"`
	Became Life      `json:"became"`
	Undone time.Time `json:"undone,omitzero"`
}

// The rules by which memories change. Their names are kept.
const (
	RuleMerge    = "merge"    // says the same as another one of its reach
	RulePromote  = "promote"  // is worth more than the session or project that it came from
	RuleArchive  = "archive"  // faded
	RuleContinue = "continue" // the one that another was merged into
)

// Life is what consolidation may change about a memory. It holds no text.
type Life struct {
	Status     Status    `json:"status"`
	Scope      Scope     `json:"scope"`
	Trust      Trust     `json:"trust"`
	Importance float64   `json:"importance"`
	Confidence float64   `json:"confidence"`
	Uses       int       `json:"uses"`
	LastUsed   time.Time `json:"last_used,omitzero"`
	Files      int       `json:"files"` // how many; others are added behind them
	Tags       int       `json:"tags"`
	MergedInto string    `json:"merged_into,omitempty"`
	Promoted   Scope     `json:"promoted_from,omitempty"`
}

// Dismissal says that a rule is not to be applied to a memory, or to two of
// them, and that its finding is not to be shown again. It goes with the first.
type Dismissal struct {
	Rule   string    `json:"rule"`
	Memory string    `json:"memory"` // in a Batch "" means the first of its Memories
	Other  string    `json:"other,omitempty"`
	At     time.Time `json:"at"`
}

// RunQuery asks for rounds of consolidation, newest first.
type RunQuery struct {
	ID      string // exact or unique prefix; the rest is then ignored
	Project string
	Kind    RunKind
	Limit   int // 0 means DefaultLimit
}

// Chronicle is a Store that keeps what consolidation changed. A Batch adds to it.
type RunLog interface {
	// Runs returns rounds with what they changed. ErrNotFound or ErrAmbiguous if
	// q.ID names none or several.
	Runs(ctx context.Context, q RunQuery) ([]Run, error)

	// Dismissals returns all of them.
	Dismissals(ctx context.Context) ([]Dismissal, error)
}
