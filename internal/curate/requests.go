package curate

import (
	"time"

	"remanence/internal/mem"
)

// AddAsk keeps a statement of the person, or of an agent that runs our command line.
type AddRequest struct {
	mem.Place
	Text  string    `json:"text"`
	Kind  mem.Kind  `json:"kind,omitempty"`  // "" means fact
	Scope mem.Scope `json:"scope,omitempty"` // "" means project
	Files []string  `json:"files,omitempty"`
	Tags  []string  `json:"tags,omitempty"`
	Agent string    `json:"agent,omitempty"` // session of the agent that asks, UnknownAgent; "" means the person

	Title      string     `json:"title,omitempty"`      // "" means the text's first line
	Importance *float64   `json:"importance,omitempty"` // 0…1; nil means as the kind's
	Related    []Relation `json:"related,omitempty"`
	Supersedes string     `json:"supersedes,omitempty"` // id of the memory that it replaces
	Origin     mem.Origin `json:"origin,omitempty"`     // of an agent's statement; "" means FromAssistant
	// IfNew keeps nothing where a memory of the same scope says the same, or says
	// one of both with more detail; that one is returned then.
	IfNew bool `json:"if_new,omitempty"`
	// KeepBoth records that the statement and the memories like it both hold:
	// consolidation never merges them.
	KeepBoth bool `json:"keep_both,omitempty"`
}

// Relation says how something that has a name stands to a memory.
type Relation struct {
	Name         string `json:"name"`
	Type         string `json:"type,omitempty"`         // what it is: file, library, person …
	Relationship string `json:"relationship,omitempty"` // what the memory says of it: uses, replaces …
}

// Added is what became of an AddAsk.
type AddResponse struct {
	mem.Memory          // that was kept; zero where nothing was
	Similar    *mem.Hit `json:"similar,omitempty"` // the memory most like it, 0…1 as Score; only with IfNew
	// Relation says how Similar relates to the statement. With same and adds nothing
	// was kept; with differs and opposite the statement was kept beside Similar.
	Relation string `json:"relation,omitempty"`
	// Difference says by what they differ: order, number, negation, name …
	Difference string `json:"difference,omitempty"`
	// Proposal is set where nothing was kept, because the memory that was to be
	// replaced has more trust than the author: the change waits for the person.
	Proposal *mem.Proposal `json:"proposal,omitempty"`
}

// ImportAsk brings memories that were kept elsewhere. Of each counts what it
// says and is about (kind, title, body, facts, concepts, tags, files, modified,
// command, summary), its project, by key, name or root, and when it was created.
type ImportRequest struct {
	Project  string       `json:"project,omitempty"` // of those that name none; "" means they are about all projects
	Memories []mem.Memory `json:"memories"`          // 1…1000
	DryRun   bool         `json:"dry_run,omitempty"` // only counts
	Dir      string       `json:"dir,omitempty"`     // whose project may be named though nothing is kept of it yet
}

// Imported is what became of an ImportAsk.
type ImportResponse struct {
	Tag   string   `json:"tag"`   // of all that were kept: remanence forget --tag TAG takes the import back
	IDs   []string `json:"ids"`   // in the order in which they came; "" for one that was not kept
	Kept  int      `json:"kept"`  // how many are new
	Known int      `json:"known"` // were there in the same words
	Empty int      `json:"empty"` // of which the rules on private text left nothing
}

// EditAsk changes one memory. The person's hand makes it TrustUser; an agent's
// leaves the trust as it is, and is only proposed where the memory has more trust.
type EditRequest struct {
	ID    string     `json:"id"`
	Text  *string    `json:"text,omitempty"`
	Kind  *mem.Kind  `json:"kind,omitempty"`
	Scope *mem.Scope `json:"scope,omitempty"`
	Agent string     `json:"agent,omitempty"` // as in AddAsk

	Importance *float64 `json:"importance,omitempty"` // 0…1
	Resolved   *bool    `json:"resolved,omitempty"`
	AddTags    []string `json:"add_tags,omitempty"`
	DropTags   []string `json:"drop_tags,omitempty"`
	Wider      bool     `json:"wider,omitempty"`  // Scope may not become narrower
	Reason     string   `json:"reason,omitempty"` // why, in a sentence
}

// Reports reports whether nothing is asked for but to note that the work is done.
func (a EditRequest) onlyResolves() bool {
	return a.Resolved != nil && a.Text == nil && a.Kind == nil && a.Scope == nil && a.Importance == nil && len(a.AddTags)+len(a.DropTags) == 0
}

// EditResponse is the memory after an EditAsk.
type EditResponse struct {
	mem.Memory // as it is now
	// Proposal is set where nothing was changed and the change waits for the person.
	Proposal *mem.Proposal `json:"proposal,omitempty"`
}

// MaxFound is how many memories a MarkAsk with a query is about at most.
const MaxFound = 1000

// MarkAsk changes the standing of memories, named by id or found by a query.
type MarkRequest struct {
	mem.Place
	Verb   string     `json:"verb"` // forget, restore, pin, unpin
	IDs    []string   `json:"ids,omitempty"`
	Query  *mem.Query `json:"query,omitempty"`
	DryRun bool       `json:"dry_run,omitempty"`
	Reason string     `json:"reason,omitempty"` // why, in a sentence
	Agent  string     `json:"agent,omitempty"`  // as in AddAsk
}

// FeedbackAsk says what memories were worth.
type FeedbackRequest struct {
	IDs     []string `json:"ids"`
	Verdict string   `json:"verdict"`         // Useful, Wrong, Stale, PreventedThat
	Note    string   `json:"note,omitempty"`  // what happened; PreventedThat needs it: which mistake
	Agent   string   `json:"agent,omitempty"` // as in AddAsk
}

// Marked lists the memories a MarkAsk changed, or would.
type MarkResponse struct {
	Verb     string       `json:"verb"`
	DryRun   bool         `json:"dry_run"`
	Memories []mem.Memory `json:"memories"`
	// Proposed are the orders that wait for the person; their memories are as they were.
	Proposed []mem.Proposal `json:"proposed,omitempty"`
}

// ConsolidateAsk has the memories of a place consolidated, or a round taken back.
type ConsolidateRequest struct {
	mem.Place
	DryRun bool   `json:"dry_run,omitempty"` // only says what would be changed
	Undo   string `json:"undo,omitempty"`    // id of a round: it is taken back, and nothing else is done
	Agent  string `json:"agent,omitempty"`   // as in AddAsk: what a person decided is not taken back at its word
}

// RoundsAsk asks for the rounds of a place.
type RoundsRequest struct {
	mem.Place
	Limit int `json:"limit,omitempty"` // 0 means DefaultLimit
}

// Consolidation is what became of a ConsolidateAsk.
type Consolidation struct {
	Project  mem.Project  `json:"project"`
	DryRun   bool         `json:"dry_run"`
	Undo     bool         `json:"undo"`
	Rounds   []mem.Run    `json:"rounds"`
	Memories []mem.Memory `json:"memories"` // that the rounds name, as they are now
	// Changed is how many memories were given back what they had, of Undo; what
	// somebody changed since stays.
	Changed int `json:"changed"`
}

// MergeAsk has a memory go into another one that says the same.
type MergeRequest struct {
	Keep  string `json:"keep"`            // id
	Drop  string `json:"drop"`            // id; hidden from then on
	Agent string `json:"agent,omitempty"` // as in AddAsk: one that is worth more than Keep is not dropped at its word
}

// Merged is the memory that stands for both, and the round that can be taken back.
type MergeResponse struct {
	Round    string       `json:"round"`
	Memories []mem.Memory `json:"memories"` // the one that is kept, the one that is not
}

// ReviewAsk asks what of a place needs a person's judgement.
type ReviewRequest struct {
	mem.Place
	Among
	Rules []string `json:"rules,omitempty"` // only these; empty means all
	Limit int      `json:"limit,omitempty"` // findings of a rule; 0 means 50
}

// Among narrows a review to findings about some memories. The zero value narrows nothing.
type Among struct {
	Kinds  []mem.Kind `json:"kinds,omitempty"`
	Tags   []string   `json:"tags,omitempty"` // any of
	File   string     `json:"file,omitempty"` // as in Query
	After  time.Time  `json:"after,omitzero"` // created at or after
	Before time.Time  `json:"before,omitzero"`
}

// None reports whether nothing is narrowed.
func (a Among) isZero() bool {
	return len(a.Kinds)+len(a.Tags) == 0 && a.File == "" && a.After.IsZero() && a.Before.IsZero()
}

// Inbox lists it.
type ReviewResponse struct {
	Project mem.Project    `json:"project"`
	Looked  int            `json:"looked"` // at so many memories
	Counts  map[string]int `json:"counts"` // findings by rule, those beyond the limit too
	Items   []ReviewItem   `json:"items"`
}

// Undecided is how much waits in an inbox.
type ReviewCounts struct {
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts"` // as Inbox.Counts
	At     time.Time      `json:"at"`     // when it was looked for
}

// InboxItem is one finding. Accept, reject and merge are what Resolve does.
type ReviewItem struct {
	Rule     string       `json:"rule"`
	Text     string       `json:"text"`     // what was found, in a sentence
	Memories []mem.Memory `json:"memories"` // the newer, or the one to keep, first
	Actions  []string     `json:"actions"`
	Accept   string       `json:"accept"` // what accepting does, in a few words
	// Proposal is the change that waits, of a finding about one.
	Proposal *mem.Proposal `json:"proposal,omitempty"`
}

// What can be done about a finding.
const (
	AcceptFinding = "accept" // see InboxItem.Accept
	RejectFinding = "reject" // nothing is done, and it is not shown again
	MergeFinding  = "merge"  // the second memory goes into the first
)

// ResolveAsk does something about a finding, or with Every about all of a rule.
// Only a person may.
type ResolveRequest struct {
	Rule   string   `json:"rule"`
	IDs    []string `json:"ids,omitempty"` // of the finding's memories, in its order, then of its proposal; none with Every
	Action string   `json:"action"`
	Agent  string   `json:"agent,omitempty"` // as in AddAsk; anything but "" is refused
	Every  bool     `json:"every,omitempty"` // all that Review finds by the rule, of the place and among these

	// Of Every.
	mem.Place
	Among
	DryRun bool `json:"dry_run,omitempty"` // only says what would be decided
}

// Resolved is what became of it.
type ResolveResponse struct {
	Rule     string       `json:"rule"`
	Action   string       `json:"action"`
	Round    string       `json:"round,omitempty"` // that takes it back, see ConsolidateAsk.Undo; "" where nothing was changed
	Memories []mem.Memory `json:"memories"`        // with Every the first of them

	// Of Every.
	DryRun  bool `json:"dry_run,omitempty"`
	Decided int  `json:"decided,omitempty"` // findings, or those that would be
	Left    int  `json:"left,omitempty"`    // that were left: they need a look of their own, or a memory of theirs was just changed
}
