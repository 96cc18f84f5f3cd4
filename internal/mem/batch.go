package mem

import "time"

// Batch is everything that one event or one edit writes. It is applied whole or
// not at all. An event that is already stored makes the whole batch a duplicate:
// nothing of it is written.
type Batch struct {
	Event       *Event // nil for an edit that no event caused
	Project     *Project
	Session     *SessionChange // of Event's session
	Turn        *TurnChange    // of Event's prompt id
	Memories    []Memory
	Edits       []Edit
	Checkpoints []Checkpoint
	Receipts    []Receipt
	Unheard     []string // ids of receipts whose text reached nobody: they go, and what they told may be told again; those that are not there are passed over
	Jobs        []Job
	Done        []string // ids of jobs that this batch finishes
	Failed      []Job    // jobs to be tried again or given up: ID, Error, NotBy and Dead are stored
	Pauses      []Pause
	Checked     []Checked     // sessions that are not there are passed over
	Fills       []Fill        // one from before its session's last compaction, or of no known session, is not written
	Idle        []string      // sessions that work on no prompt any more, whatever they reported; those that are not there are passed over
	Spent       *Spending     // added to the counts of its day
	Woven       []MemoryLinks // needs a Web; any other store passes over it
	Run         *Run          // a new round of consolidation, or further changes of one; needs a Chronicle, as the next two
	Undone      []string      // ids of rounds whose changes are taken back by Edits
	Dismissed   []Dismissal
}

// Result is what became of a batch.
type Result struct {
	Duplicate bool     // the event was stored before; nothing was written
	Seq       int64    // the event's place in the order of arrival, from 1
	Prompt    int      // number of the turn's prompt, if it is a person's
	Run       string   // id of the batch's round of consolidation
	IDs       []string // ids of Memories, in order; of one that came again, the id of the first
}

// Edit changes one memory. Nil and empty fields leave it alone.
type Edit struct {
	ID         string // exact
	From       Status // of a memory that is in another state by now nothing is changed
	Title      *string
	Body       *string
	Index      *string // see Memory.Index; given with every change of text
	Kind       *Kind
	Scope      *Scope
	Project    *string
	Importance *float64
	Trust      *Trust
	Status     *Status
	Resolved   *bool
	Pinned     *bool
	Files      []string // replaces, if not nil
	Anchors    []Anchor // replaces, if not nil; not a change of the memory by itself
	Tags       []string // replaces, if not nil
	MergedInto *string
	Promoted   *Scope
	Used       int    // added to Uses; LastUsed becomes now, and Archived becomes Active
	UsedIn     string // the turn of Used: one that is among Memory.UsedIn was counted, and Used is not added again
	Confidence *float64
	Concepts   []string // replaces, if not nil
	Invariant  *string
	Projects   []string // replaces, if not nil
	HalfLife   *float64
	Evergreen  *bool
	Note       *Note     // not a change of the memory by itself
	Prevented  int       // added
	Feedback   *Feedback // added to Feedback
	Facts      []string  // replaces, if not nil
	Proposed   *Proposal // added to Proposals, unless one with its id waits; not a change of the memory by itself
	Settled    []string  // ids of Proposals that wait no longer; likewise
	Counted    *Counted  // replaces the counters; not a change of the memory by itself
}

// Counted are the counters of a memory as something else than the store has them.
type Counted struct {
	Uses, Prevented int
	LastUsed        time.Time
}
