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

// LifeOf is what consolidation may change about m.
func LifeOf(m Memory) Life {
	return Life{
		Status: m.Status, Scope: m.Scope, Trust: m.Trust, Importance: m.Importance, Confidence: m.Confidence, Uses: m.Uses, LastUsed: m.LastUsed,
		Files: len(m.Files), Tags: len(m.Tags), MergedInto: m.MergedInto, Promoted: m.PromotedFrom,
	}
}

// ConsolidateAsk has the memories of a place consolidated, or a round taken back.
type ConsolidateAsk struct {
	Place
	DryRun bool   `json:"dry_run,omitempty"` // only says what would be changed
	Undo   string `json:"undo,omitempty"`    // id of a round: it is taken back, and nothing else is done
	Agent  string `json:"agent,omitempty"`   // as in AddAsk: what a person decided is not taken back at its word
}

// RoundsAsk asks for the rounds of a place.
type RoundsAsk struct {
	Place
	Limit int `json:"limit,omitempty"` // 0 means DefaultLimit
}

// Consolidation is what became of a ConsolidateAsk.
type Consolidation struct {
	Project  Project  `json:"project"`
	DryRun   bool     `json:"dry_run"`
	Undo     bool     `json:"undo"`
	Rounds   []Run    `json:"rounds"`
	Memories []Memory `json:"memories"` // that the rounds name, as they are now
	// Changed is how many memories were given back what they had, of Undo; what
	// somebody changed since stays.
	Changed int `json:"changed"`
}

// MergeAsk has a memory go into another one that says the same.
type MergeAsk struct {
	Keep  string `json:"keep"`            // id
	Drop  string `json:"drop"`            // id; hidden from then on
	Agent string `json:"agent,omitempty"` // as in AddAsk: one that is worth more than Keep is not dropped at its word
}

// Merged is the memory that stands for both, and the round that can be taken back.
type Merged struct {
	Round    string   `json:"round"`
	Memories []Memory `json:"memories"` // the one that is kept, the one that is not
}

// ReviewAsk asks what of a place needs a person's judgement.
type ReviewAsk struct {
	Place
	Among
	Rules []string `json:"rules,omitempty"` // only these; empty means all
	Limit int      `json:"limit,omitempty"` // findings of a rule; 0 means 50
}

// Among narrows a review to findings about some memories. The zero value narrows nothing.
type Among struct {
	Kinds  []Kind    `json:"kinds,omitempty"`
	Tags   []string  `json:"tags,omitempty"` // any of
	File   string    `json:"file,omitempty"` // as in Query
	After  time.Time `json:"after,omitzero"` // created at or after
	Before time.Time `json:"before,omitzero"`
}

// None reports whether nothing is narrowed.
func (a Among) None() bool {
	return len(a.Kinds)+len(a.Tags) == 0 && a.File == "" && a.After.IsZero() && a.Before.IsZero()
}

// Inbox lists it.
type Inbox struct {
	Project Project        `json:"project"`
	Looked  int            `json:"looked"` // at so many memories
	Counts  map[string]int `json:"counts"` // findings by rule, those beyond the limit too
	Items   []InboxItem    `json:"items"`
}

// Undecided is how much waits in an inbox.
type Undecided struct {
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts"` // as Inbox.Counts
	At     time.Time      `json:"at"`     // when it was looked for
}

// InboxItem is one finding. Accept, reject and merge are what Resolve does.
type InboxItem struct {
	Rule     string   `json:"rule"`
	Text     string   `json:"text"`     // what was found, in a sentence
	Memories []Memory `json:"memories"` // the newer, or the one to keep, first
	Actions  []string `json:"actions"`
	Accept   string   `json:"accept"` // what accepting does, in a few words
	// Proposal is the change that waits, of a finding about one.
	Proposal *Proposal `json:"proposal,omitempty"`
}

// What can be done about a finding.
const (
	AcceptFinding = "accept" // see InboxItem.Accept
	RejectFinding = "reject" // nothing is done, and it is not shown again
	MergeFinding  = "merge"  // the second memory goes into the first
)

// ResolveAsk does something about a finding, or with Every about all of a rule.
// Only a person may.
type ResolveAsk struct {
	Rule   string   `json:"rule"`
	IDs    []string `json:"ids,omitempty"` // of the finding's memories, in its order, then of its proposal; none with Every
	Action string   `json:"action"`
	Agent  string   `json:"agent,omitempty"` // as in AddAsk; anything but "" is refused
	Every  bool     `json:"every,omitempty"` // all that Review finds by the rule, of the place and among these

	// Of Every.
	Place
	Among
	DryRun bool `json:"dry_run,omitempty"` // only says what would be decided
}

// Resolved is what became of it.
type Resolved struct {
	Rule     string   `json:"rule"`
	Action   string   `json:"action"`
	Round    string   `json:"round,omitempty"` // that takes it back, see ConsolidateAsk.Undo; "" where nothing was changed
	Memories []Memory `json:"memories"`        // with Every the first of them

	// Of Every.
	DryRun  bool `json:"dry_run,omitempty"`
	Decided int  `json:"decided,omitempty"` // findings, or those that would be
	Left    int  `json:"left,omitempty"`    // that were left: they need a look of their own, or a memory of theirs was just changed
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
type Chronicle interface {
	// Runs returns rounds with what they changed. ErrNotFound or ErrAmbiguous if
	// q.ID names none or several.
	Runs(ctx context.Context, q RunQuery) ([]Run, error)

	// Dismissals returns all of them.
	Dismissals(ctx context.Context) ([]Dismissal, error)
}
