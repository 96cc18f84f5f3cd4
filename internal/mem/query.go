package mem

import (
	"time"
)

// MaxTerms is the number of terms of a query that are used. A full-text search
// with 20,000 terms takes more than a second, and more than thirty hardly help.
const MaxTerms = 64

// Query selects memories. The zero value means active memories of every
// project, newest first, at most [DefaultLimit].
type Query struct {
	Text string `json:"text,omitempty"` // as typed; for people and receipts
	// Terms are words and phrases to match, made by package rank, at most MaxTerms.
	// Match requires them, List ignores them.
	Terms []string `json:"terms,omitempty"`

	IDs      []string `json:"ids,omitempty"` // exact ids or unique prefixes; filters other than Hidden are then ignored
	ExactIDs bool     `json:"-"`             // IDs are exact, and unknown ones are left out
	Scopes   []Scope  `json:"scopes,omitempty"`
	Kinds    []Kind   `json:"kinds,omitempty"` // empty means all but Utterance, which Match accepts only alone
	NotKinds []Kind   `json:"not_kinds,omitempty"`
	Project  string   `json:"project,omitempty"`   // key; memories of user scope match any
	Session  string   `json:"session,omitempty"`   // only memories made in it
	PromptID string   `json:"prompt_id,omitempty"` // only memories made in that turn
	// Within is the session whose session-scope memories are included; those of
	// other sessions are left out. "*" includes all.
	Within string `json:"within,omitempty"`
	// project-relative path; "dir/" matches its direct files, ".go" an extension
	File    string   `json:"file,omitempty"`
	Tags    []string `json:"tags,omitempty"`    // at least one of them
	Command string   `json:"command,omitempty"` // exact normalised command
	Agent   string   `json:"agent,omitempty"`
	Branch  string   `json:"branch,omitempty"`

	After         time.Time `json:"after,omitzero"` // created at or after
	Before        time.Time `json:"before,omitzero"`
	HiddenBefore  time.Time `json:"hidden_before,omitzero"` // only memories forgotten before; needs Hidden
	MinImportance float64   `json:"min_importance,omitempty"`
	MinTrust      Trust     `json:"min_trust,omitempty"`
	Open          bool      `json:"open,omitempty"`     // only unresolved
	Hidden        bool      `json:"hidden,omitempty"`   // include memories that are not active
	Statuses      []Status  `json:"statuses,omitempty"` // only these; overrides Hidden

	InVault bool     `json:"in_vault,omitempty"` // only memories with a file in the vault
	Notes   []string `json:"-"`                  // only memories with one of these files, as Note.File has it

	Proposed      bool `json:"proposed,omitempty"` // only memories with Proposals
	LinksOutdated bool `json:"-"`                  // only with links older than the text; see Kind.HasEntities
	Used          bool `json:"-"`                  // only memories with UsedIn

	Order  Order `json:"order,omitempty"` // of List; Match orders by score
	Limit  int   `json:"limit,omitempty"` // 0 means DefaultLimit
	Offset int   `json:"offset,omitempty"`
}

// DefaultLimit is the number of rows that a query without a limit returns.
const DefaultLimit = 10

// Order is the sort order of List.
type Order string

// The orders. Ties break by newest; with Oldest, by oldest.
const (
	Newest       Order = ""
	Oldest       Order = "oldest"
	ByImportance Order = "importance" // pinned ones first
	ByUpdate     Order = "updated"
)

// Hit is one match of a search. Memory is complete except for Index.
type Hit struct {
	Memory
	Score    float64            `json:"score"` // higher is better; comparable only within one result
	Parts    map[string]float64 `json:"parts,omitempty"`
	Replaced *Memory            `json:"-"` // the memory that Memory replaces, if that is shown
}

// Corpus holds the document frequencies of a query's terms, as BM25 needs them.
type Corpus struct {
	Size    int   // records in the index
	DocFreq []int // records that contain each term; counting stops at some thousands
}

// EventQuery asks for stored events, newest first.
type EventQuery struct {
	Session  string
	PromptID string
	Kinds    []EventKind
	Tool     string    // exact, or a glob if it contains *
	Project  string    // key
	After    time.Time // at or after; excludes events without a session
	Before   time.Time // earlier
	AgentID  *string   // exact; "" selects the main conversation
	Around   string    // id of an event: Limit events before it and after it, oldest first
	Limit    int       // 0 means 100
}

// SessionQuery asks for sessions, last active first.
type SessionQuery struct {
	Project          string    // key
	Agent            string    // exact
	Branch           string    // a memory was made on it
	AutoCompactModel string    // model: only its sessions that were compacted automatically
	Since            time.Time // last active at or after
	Until            time.Time // last active before
	Limit            int       // 0 means DefaultLimit
	Offset           int
}

// ReceiptQuery asks for receipts, newest first.
type ReceiptQuery struct {
	ID      string // exact or unique prefix; if set, the other fields are ignored
	Session string
	Project string
	Memory  string           // only receipts that contain it
	Trigger string           // exact
	Outcome InjectionOutcome // exact
	Limit   int              // 0 means DefaultLimit
	Offset  int
	Brief   bool // leave out Terms, Dropped, Text, and Parts of the items
}

// CheckpointQuery asks for checkpoints, newest first.
type CheckpointQuery struct {
	ID      string // exact or unique prefix; if set, the other fields are ignored
	Session string
	Project string
	Trigger string // exact
	Limit   int    // 0 means DefaultLimit
	Offset  int
}

// Stats counts stored rows.
type Stats struct {
	Schema   int          `json:"schema"`
	Memories int          `json:"memories"`        // active, without utterances
	Hidden   int          `json:"hidden"`          // not active, of any kind
	Kinds    map[Kind]int `json:"kinds,omitempty"` // active, by kind
	Today    int          `json:"today"`           // memories since the given time
	Sessions int          `json:"sessions"`
	Events   int          `json:"events"`
	Turns    int          `json:"turns"`
	Receipts int          `json:"receipts"`
	Waiting
	Bytes          int64                    `json:"bytes"`           // size of the store's files
	InjectedTokens int                      `json:"injected_tokens"` // injected, over all receipts
	ByOutcome      map[InjectionOutcome]int `json:"by_outcome,omitempty"`
	LastEvent      time.Time                `json:"last_event,omitzero"`
	LastSession    string                   `json:"last_session,omitempty"`
}

// Waiting counts jobs by state.
type Waiting struct {
	Jobs      int       `json:"jobs"`                // waiting
	LaterJobs int       `json:"later_jobs"`          // waiting, never tried, and due in more than a minute
	DeadJobs  int       `json:"dead_jobs"`           // given up
	OldestJob time.Time `json:"oldest_job,omitzero"` // when the first of the other jobs was made or became due
}

// Purged counts what a purge erased.
type Purged struct {
	Memories    int `json:"memories"`
	Events      int `json:"events"` // payloads; the row stays, so that the event is not stored again
	Turns       int `json:"turns"`
	Receipts    int `json:"receipts"`
	Checkpoints int `json:"checkpoints"`
}
