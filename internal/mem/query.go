package mem

import (
	"context"
	"time"
)

// MaxTerms is how many terms of a query count. Twenty thousand cost a full-text
// search more than a second; past thirty the gain is a tenth of a point.
const MaxTerms = 64

// Query asks for memories. The zero value means every active memory of every
// project, newest first, DefaultLimit of them.
type Query struct {
	Text  string   `json:"text,omitempty"`  // as typed; for people and receipts
	Terms []string `json:"terms,omitempty"` // words and phrases to match, from package rank, MaxTerms of them; Match needs them, List ignores them

	IDs      []string `json:"ids,omitempty"` // exact ids or unique prefixes; every other filter but Hidden is then ignored
	Whole    bool     `json:"-"`             // of IDs: no prefix counts, and what is not there is left out
	Scopes   []Scope  `json:"scopes,omitempty"`
	Kinds    []Kind   `json:"kinds,omitempty"` // empty means every kind but Utterance, which Match takes only alone
	NotKinds []Kind   `json:"not_kinds,omitempty"`
	Project  string   `json:"project,omitempty"`   // key; memories of user scope match any
	Session  string   `json:"session,omitempty"`   // only memories learned in it
	PromptID string   `json:"prompt_id,omitempty"` // only memories learned in that turn
	Within   string   `json:"within,omitempty"`    // session whose session-scope memories may be seen; all others' are left out. "*" sees all
	File     string   `json:"file,omitempty"`      // exact, project-relative; "dir/" matches what lies directly in it, ".go" an extension
	Tags     []string `json:"tags,omitempty"`      // any of
	Command  string   `json:"command,omitempty"`   // exact normalised command
	Agent    string   `json:"agent,omitempty"`
	Branch   string   `json:"branch,omitempty"`

	After         time.Time `json:"after,omitzero"` // created at or after
	Before        time.Time `json:"before,omitzero"`
	HiddenBefore  time.Time `json:"hidden_before,omitzero"` // only memories that somebody had forgotten before; needs Hidden
	MinImportance float64   `json:"min_importance,omitempty"`
	MinTrust      Trust     `json:"min_trust,omitempty"`
	Open          bool      `json:"open,omitempty"`     // only unresolved
	Hidden        bool      `json:"hidden,omitempty"`   // all but the active ones too
	Statuses      []Status  `json:"statuses,omitempty"` // only these, whatever Hidden says

	Noted bool `json:"noted,omitempty"` // only memories that have a file in the vault
	// Proposed selects only memories with Proposals.
	Proposed bool `json:"proposed,omitempty"`
	Unwoven  bool `json:"-"` // only memories of Named kinds that were written since a Woven last told of them

	Order  Order `json:"order,omitempty"` // of List; Match orders by score
	Limit  int   `json:"limit,omitempty"` // 0 means DefaultLimit
	Offset int   `json:"offset,omitempty"`
}

// DefaultLimit is how many rows a query without a limit returns.
const DefaultLimit = 10

// Order is how List sorts.
type Order string

// The orders. Ties break by newest, of Oldest by oldest.
const (
	Newest       Order = ""
	Oldest       Order = "oldest"
	ByImportance Order = "importance" // pinned ones first
	ByUpdate     Order = "updated"
)

// Hit is one match. Memory is complete but for its Index.
type Hit struct {
	Memory Memory             `json:"memory"`
	Score  float64            `json:"score"` // higher is better; comparable only within one answer
	Parts  map[string]float64 `json:"parts,omitempty"`
	Was    *Memory            `json:"-"` // what Memory took the place of, where that is told
}

// Corpus says how common the terms of a query are in the index that answers it.
type Corpus struct {
	Size    int   // records in the index
	Holding []int // by term, how many of them hold it; counted no further than some thousands of a large index
}

// Counter is the ability of a store to tell how common terms are.
type Counter interface {
	// Count returns the corpus of the memories, or with Kinds the utterances,
	// that q asks for; q's other filters are ignored. It has one count for
	// each of q.Terms, 0 where none is a word.
	Count(ctx context.Context, q Query) (Corpus, error)
}

// EventQuery asks for stored events, newest first.
type EventQuery struct {
	Session  string
	PromptID string
	Kinds    []EventKind
	Tool     string    // exact; one with a * is a glob
	Project  string    // key
	After    time.Time // dated then or later; those of no session are left out
	AgentID  *string   // exact; "" asks for those of the main thread
	Around   string    // id of an event: Limit before it and Limit after it, oldest first
	Limit    int       // 0 means 100
}

// SessionQuery asks for sessions, last active first.
type SessionQuery struct {
	Project string
	Cliff   string // only sessions of this model with a Cliff
	Limit   int    // 0 means DefaultLimit
}

// ReceiptQuery asks for receipts, newest first.
type ReceiptQuery struct {
	ID      string // exact or unique prefix; the rest is then ignored
	Session string
	Project string
	Memory  string // only receipts that told it
	Trigger string // exact
	Outcome string // exact
	Limit   int    // 0 means DefaultLimit
	Offset  int
	Brief   bool // without Terms, Dropped and Text, and without Parts of the items: for those who count
}

// CheckpointQuery asks for checkpoints, newest first.
type CheckpointQuery struct {
	ID      string // exact or unique prefix; the rest is then ignored
	Session string
	Project string
	Trigger string // exact
	Limit   int    // 0 means DefaultLimit
}

// Stats are counts of what is stored.
type Stats struct {
	Schema   int          `json:"schema"`
	Memories int          `json:"memories"`        // active ones, utterances apart
	Hidden   int          `json:"hidden"`          // of any kind
	Kinds    map[Kind]int `json:"kinds,omitempty"` // active ones
	Today    int          `json:"today"`           // memories since the given time
	Sessions int          `json:"sessions"`
	Events   int          `json:"events"`
	Turns    int          `json:"turns"`
	Receipts int          `json:"receipts"`
	Waiting
	Bytes       int64          `json:"bytes"`       // of the files
	ToldTokens  int            `json:"told_tokens"` // all receipts
	ByOutcome   map[string]int `json:"by_outcome,omitempty"`
	LastEvent   time.Time      `json:"last_event,omitzero"`
	LastSession string         `json:"last_session,omitempty"`
}

// Waiting counts jobs.
type Waiting struct {
	Jobs      int       `json:"jobs"`       // waiting
	LaterJobs int       `json:"later_jobs"` // those of them that were never tried and are not due for another minute
	DeadJobs  int       `json:"dead_jobs"`
	OldestJob time.Time `json:"oldest_job,omitzero"` // when the first of the others was made, or became due
}

// Waiter is the ability of a store to count its jobs alone, which stays quick
// however much is remembered.
type Waiter interface {
	// Waiting returns the same as Stats of all projects.
	Waiting(ctx context.Context) (Waiting, error)
}

// Purged says what erasing removed.
type Purged struct {
	Memories    int `json:"memories"`
	Events      int `json:"events"` // payloads blanked; the rows stay, so that the event is not taken again
	Turns       int `json:"turns"`
	Receipts    int `json:"receipts"`
	Checkpoints int `json:"checkpoints"`
}
