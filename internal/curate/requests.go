package curate

import (
	"slices"
	"time"

	"remanence/internal/mem"
)

// AddRequest adds a statement of the person, or of an agent that uses the command line or MCP.
type AddRequest struct {
	mem.ProjectRef
	Text  string    `json:"text"`
	Kind  mem.Kind  `json:"kind,omitempty"`  // "" means fact
	Scope mem.Scope `json:"scope,omitempty"` // "" means project
	Files []string  `json:"files,omitempty"`
	Tags  []string  `json:"tags,omitempty"`
	// Aliases are other words that a later question may use. They become concepts.
	Aliases []string `json:"aliases,omitempty"`
	Agent   string   `json:"agent,omitempty"` // session of the requesting agent, or UnknownAgent; "" means the person

	Title      string     `json:"title,omitempty"`      // "" means the text's first line
	Importance *float64   `json:"importance,omitempty"` // 0…1; nil means the default of the kind
	Related    []Relation `json:"related,omitempty"`
	Supersedes string     `json:"supersedes,omitempty"` // ID of the memory to replace
	Origin     mem.Origin `json:"origin,omitempty"`     // of an agent's statement; "" means FromAssistant
	// IfNew stores nothing if a memory of the same scope is equal or contains it with more detail.
	// That memory is returned instead.
	IfNew bool `json:"if_new,omitempty"`
	// KeepBoth records that the statement and similar memories are both valid. Consolidation never
	// merges them.
	KeepBoth bool `json:"keep_both,omitempty"`
}

// Relation describes how a memory relates to a named entity.
type Relation struct {
	Name         string `json:"name"`
	Type         string `json:"type,omitempty"`         // type of the entity: file, library, person …
	Relationship string `json:"relationship,omitempty"` // of the memory to the entity: uses, replaces …
}

// AddResponse is the result of an AddRequest.
type AddResponse struct {
	mem.Memory          // the stored memory; zero if nothing was stored
	Similar    *mem.Hit `json:"similar,omitempty"` // the most similar memory, Score 0…1; only with IfNew
	// Relation is how Similar relates to the statement. With same and adds nothing was stored. With
	// differs and opposite both memories exist.
	Relation string `json:"relation,omitempty"`
	// Difference is what distinguishes them: order, number, negation, name …
	Difference string `json:"difference,omitempty"`
	// Proposal is set if nothing was stored, because the memory to replace has more trust than the
	// author. The change awaits the person's decision.
	Proposal *mem.Proposal `json:"proposal,omitempty"`
}

// ImportRequest imports memories from another program. Used are kind, title, body, facts, concepts,
// tags, files, modified, command, summary, creation time, and the project by key, name or root.
type ImportRequest struct {
	Project  string            `json:"project,omitempty"`  // of memories without one; "" means all projects
	Memories []mem.Memory      `json:"memories"`           // up to 1000 together with Sessions
	Sessions []ImportedSession `json:"sessions,omitempty"` // those that memories name come with them or before
	DryRun   bool              `json:"dry_run,omitempty"`  // only count
	Tag      string            `json:"tag,omitempty"`      // of the response to an earlier part of the same import
	// Assistant says that the person counts the text as the assistant's words, so that it may be injected. What reads
	// like an instruction to a model may not, as without it.
	Assistant bool   `json:"assistant,omitempty"`
	Agent     string `json:"agent,omitempty"` // session of the agent that asks; an agent may not set Assistant
}

// ImportedSession is a session that another memory tool kept. The project of it and of a memory is a key, a name or a
// directory. What no project here has is kept under that name, and joins the project in which a session of that name
// starts.
type ImportedSession struct {
	ID      string           `json:"id"` // the agent's
	Project string           `json:"project,omitempty"`
	Agent   string           `json:"agent,omitempty"`
	Began   time.Time        `json:"began"`
	Ended   time.Time        `json:"ended,omitzero"`
	Prompts []ImportedPrompt `json:"prompts,omitempty"` // in their order
}

// ImportedPrompt is a prompt of an imported session.
type ImportedPrompt struct {
	Text string    `json:"text"`
	At   time.Time `json:"at,omitzero"`
}

// ImportResponse is the result of an ImportRequest.
type ImportResponse struct {
	Tag         string   `json:"tag"`                    // on all imported memories; import --undo TAG hides them
	IDs         []string `json:"ids"`                    // in the order of the request; "" for a skipped memory
	Imported    int      `json:"imported"`               // new memories
	Known       int      `json:"known"`                  // skipped: already stored with the same words
	Empty       int      `json:"empty"`                  // skipped: empty after redaction
	Quarantined int      `json:"quarantined,omitempty"`  // of Imported: read like an instruction to a model
	Sessions    int      `json:"sessions,omitempty"`     // new sessions
	Prompts     int      `json:"prompts,omitempty"`      // of these
	OldSessions int      `json:"old_sessions,omitempty"` // skipped: already stored, or erased
}

// EditRequest changes one memory. A person's edit sets TrustUser. An agent's edit leaves the trust
// unchanged; it is only proposed if the memory has more trust.
type EditRequest struct {
	ID    string     `json:"id"`
	Text  *string    `json:"text,omitempty"`
	Kind  *mem.Kind  `json:"kind,omitempty"`
	Scope *mem.Scope `json:"scope,omitempty"`
	Agent string     `json:"agent,omitempty"` // as in AddRequest

	Importance *float64 `json:"importance,omitempty"` // 0…1
	Resolved   *bool    `json:"resolved,omitempty"`
	AddTags    []string `json:"add_tags,omitempty"`
	DropTags   []string `json:"drop_tags,omitempty"`
	Wider      bool     `json:"wider,omitempty"`  // refuse to narrow Scope
	Reason     string   `json:"reason,omitempty"` // one sentence
}

// onlyResolves reports whether the edit only sets Resolved.
func (a EditRequest) onlyResolves() bool {
	return a.Resolved != nil && a.Text == nil && a.Kind == nil && a.Scope == nil && a.Importance == nil &&
		len(a.AddTags)+len(a.DropTags) == 0
}

// EditResponse is the result of an EditRequest.
type EditResponse struct {
	mem.Memory // current state
	// Proposal is set if nothing was changed and the change awaits the person's decision.
	Proposal *mem.Proposal `json:"proposal,omitempty"`
}

// MaxFound bounds the memories that a MarkRequest with a query changes, maxTagged those of one import.
const (
	MaxFound  = 1000
	maxTagged = 100_000
)

// MarkRequest forgets, restores, pins or unpins memories named by ID or found by a query.
type MarkRequest struct {
	mem.ProjectRef
	Verb  string     `json:"verb"` // forget, restore, pin, unpin
	IDs   []string   `json:"ids,omitempty"`
	Query *mem.Query `json:"query,omitempty"`
	// SkipUnknown says that IDs are exact, and leaves out those of no memory.
	SkipUnknown bool   `json:"skip_unknown,omitempty"`
	DryRun      bool   `json:"dry_run,omitempty"`
	Reason      string `json:"reason,omitempty"` // one sentence
	Agent       string `json:"agent,omitempty"`  // as in AddRequest
}

// FeedbackRequest gives a verdict about memories.
type FeedbackRequest struct {
	IDs     []string `json:"ids"`
	Verdict string   `json:"verdict"`         // Useful, Wrong, Stale, PreventedThat
	Note    string   `json:"note,omitempty"`  // what happened; required for PreventedThat: the prevented mistake
	Agent   string   `json:"agent,omitempty"` // as in AddRequest
}

// MarkResponse lists the memories that a MarkRequest changed, or would change with DryRun.
type MarkResponse struct {
	Verb     string       `json:"verb"`
	DryRun   bool         `json:"dry_run"`
	Memories []mem.Memory `json:"memories"`
	// Proposed lists changes that await the person's decision. Their memories are unchanged.
	Proposed []mem.Proposal `json:"proposed,omitempty"`
	// NoEffect lists ids of memories on which the agent may not report, or no more: the verdict is stored, nothing else.
	NoEffect []string `json:"no_effect,omitempty"`
}

// IDs returns the ids of the memories with a status.
func (r MarkResponse) IDs(status mem.Status) (out []string) {
	for _, m := range r.Memories {
		if m.Status == status {
			out = append(out, m.ID)
		}
	}
	return out
}

// ConsolidateRequest consolidates the memories of a place, or undoes a run.
type ConsolidateRequest struct {
	mem.ProjectRef
	DryRun bool   `json:"dry_run,omitempty"` // only preview
	Undo   string `json:"undo,omitempty"`    // ID of a run to undo; nothing else is done
	Agent  string `json:"agent,omitempty"`   // as in AddRequest; an agent may not undo a person's decisions
}

// RunsRequest lists the consolidation runs of a place.
type RunsRequest struct {
	mem.ProjectRef
	Limit  int `json:"limit,omitempty"` // 0 means DefaultLimit
	Offset int `json:"offset,omitempty"`
}

// ConsolidateResponse is the response to ConsolidateRequest and RoundsRequest.
type ConsolidateResponse struct {
	Project  mem.Project  `json:"project"`
	DryRun   bool         `json:"dry_run"`
	Undo     bool         `json:"undo"`
	Runs     []mem.Run    `json:"runs"`
	Memories []mem.Memory `json:"memories"` // changed by the runs, in their current state
	// Changed counts the memories that Undo restored. Later changes are kept.
	Changed int  `json:"changed"`
	More    bool `json:"more,omitempty"` // older runs were left out: they exceed a read
}

// Rows returns the number of runs.
func (r ConsolidateResponse) Rows() int { return len(r.Runs) }

// Head returns the first n runs with the memories that they changed.
func (r ConsolidateResponse) Head(n int) any {
	r.Runs, r.More = r.Runs[:n], true
	changed := map[string]bool{}
	for _, run := range r.Runs {
		for _, c := range run.Changes {
			changed[c.Memory] = true
		}
	}
	r.Memories = slices.DeleteFunc(slices.Clone(r.Memories), func(m mem.Memory) bool { return !changed[m.ID] })
	return r
}

// MergeRequest merges a memory into an equal one.
type MergeRequest struct {
	Keep  string `json:"keep"`            // ID
	Drop  string `json:"drop"`            // ID; hidden afterwards
	Agent string `json:"agent,omitempty"` // as in AddRequest; an agent may not drop a memory of more trust than Keep
}

// MergeResponse holds the ID of the run, which can be undone, and both memories.
type MergeResponse struct {
	Run      string       `json:"run"`
	Memories []mem.Memory `json:"memories"` // kept one first
}

// ReviewRequest lists what in a place needs a person's decision.
type ReviewRequest struct {
	mem.ProjectRef
	MemoryFilter
	Rules []string `json:"rules,omitempty"` // only these rules; empty means all
	Limit int      `json:"limit,omitempty"` // findings per rule; 0 means 50
	// Offset is the number of findings of each rule to leave out, as they are ordered.
	Offset int `json:"offset,omitempty"`
}

// MemoryFilter limits a review to findings about some memories. The zero value means all.
type MemoryFilter struct {
	Kinds  []mem.Kind `json:"kinds,omitempty"`
	Tags   []string   `json:"tags,omitempty"` // any of
	File   string     `json:"file,omitempty"` // as in Query
	After  time.Time  `json:"after,omitzero"` // created at or after
	Before time.Time  `json:"before,omitzero"`
}

// isZero reports whether all memories are included.
func (a MemoryFilter) isZero() bool {
	return len(a.Kinds)+len(a.Tags) == 0 && a.File == "" && a.After.IsZero() && a.Before.IsZero()
}

// ReviewResponse is the review queue of a place.
type ReviewResponse struct {
	Project  mem.Project    `json:"project"`
	Examined int            `json:"examined"` // memories
	Counts   map[string]int `json:"counts"`   // findings by rule, including those beyond the limit
	Items    []ReviewItem   `json:"items"`
}

// Rows returns the number of findings.
func (r ReviewResponse) Rows() int { return len(r.Items) }

// Head returns the first n findings, and all counts. Those after them are read rule by rule, with an offset.
func (r ReviewResponse) Head(n int) any {
	r.Items = r.Items[:n]
	return r
}

// ReviewCounts is the size of a review queue.
type ReviewCounts struct {
	Total  int            `json:"total"`
	Counts map[string]int `json:"counts"` // by rule, as ReviewResponse.Counts
	At     time.Time      `json:"at"`     // when it was counted
}

// ReviewItem is one finding. ResolveRequest applies one of its Actions.
type ReviewItem struct {
	Rule     string       `json:"rule"`
	Text     string       `json:"text"`     // one sentence
	Memories []mem.Memory `json:"memories"` // the newer one, or the one to keep, first
	Actions  []string     `json:"actions"`
	Accept   string       `json:"accept"` // what accepting does, in a few words
	// Proposal is the proposed change, of a finding of ReviewProposal.
	Proposal *mem.Proposal `json:"proposal,omitempty"`
}

// Actions of a ResolveRequest.
const (
	AcceptFinding = "accept" // see ReviewItem.Accept
	RejectFinding = "reject" // changes nothing; the finding is not shown again
	MergeFinding  = "merge"  // merges the second memory into the first
)

// ResolveRequest applies an action to a finding, or with Every to all findings of a rule. Only a
// person may.
type ResolveRequest struct {
	Rule   string   `json:"rule"`
	IDs    []string `json:"ids,omitempty"` // the finding's memories in order, then its proposal; empty with Every
	Action string   `json:"action"`
	Agent  string   `json:"agent,omitempty"` // as in AddRequest; must be ""
	Every  bool     `json:"every,omitempty"` // all findings of the rule in Place and Among

	// With Every.
	mem.ProjectRef
	MemoryFilter
	DryRun bool `json:"dry_run,omitempty"` // only preview
}

// ResolveResponse is the result of a ResolveRequest.
type ResolveResponse struct {
	Rule     string       `json:"rule"`
	Action   string       `json:"action"`
	Run      string       `json:"run,omitempty"` // run to undo, see ConsolidateRequest.Undo; "" without changes
	Memories []mem.Memory `json:"memories"`      // with Every the first ones

	Proposal *mem.Proposal `json:"proposal,omitempty"` // that was accepted or rejected

	// With Every.
	DryRun  bool `json:"dry_run,omitempty"`
	Decided int  `json:"decided,omitempty"` // findings, or with DryRun those that would be decided
	Left    int  `json:"left,omitempty"`    // findings skipped: to be decided one by one, or just changed
}
