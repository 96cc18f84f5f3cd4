package curate

import "remanence/internal/mem"

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
