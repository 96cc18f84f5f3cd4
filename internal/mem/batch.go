package mem

import "time"

// Batch is everything that one event or one edit writes. [Store.Apply] writes all
// of it or nothing. If Event is already stored, the batch is a duplicate and
// nothing is written.
type Batch struct {
	Event       *Event // nil for an edit that no event caused
	Project     *Project
	Session     *SessionChange // of Event's session
	Turn        *TurnChange    // of Event's prompt id
	Memories    []Memory
	Edits       []Edit
	Checkpoints []Checkpoint
	Receipts    []Receipt
	// Undelivered are ids of receipts whose text did not reach the client. They are
	// deleted, and their items may be injected again. Unknown ids are ignored.
	Undelivered         []string
	Jobs                []Job
	FinishedJobs        []string // ids of jobs that this batch finishes
	FailedJobs          []Job    // jobs to retry or to give up; ID, Error, NotBy and Dead are stored
	Pauses              []Pause
	TranscriptPositions []TranscriptPosition // unknown sessions are ignored
	// ContextUsage holds readings of context usage. A reading from before its session's
	// last compaction, or of an unknown session, is not written.
	ContextUsage []ContextUsage
	IdleSessions []string      // sessions to mark as not Processing; unknown ones are ignored
	Spent        *Spending     // added to the counts of its day
	Links        []MemoryLinks // replaces links and entities of these memories
	Run          *Run          // a new consolidation run, or further changes of one
	UndoneRuns   []string      // ids of runs whose changes Edits take back
	Dismissed    []Dismissal
	// SyncedLater promises that the caller still has Event elsewhere until it has synced the store itself. So the store
	// need not sync this batch, and a power cut may lose it, but never one before it alone.
	SyncedLater bool
}

// Result is the outcome of one batch.
type Result struct {
	Duplicate bool     // the event was stored before; nothing was written
	Seq       int64    // position of the event in order of arrival, from 1
	Prompt    int      // number of the turn's prompt if a person typed it, else 0
	Run       string   // id of the batch's consolidation run
	IDs       []string // ids of Memories, in order; for a repeated memory, the id of the stored one
}

// Edit changes one memory. Nil and zero fields leave the stored value as it is.
type Edit struct {
	ID         string // exact
	From       Status // if set, the edit applies only while the memory has this status
	Title      *string
	Body       *string
	Index      *string // see Memory.Index; required with every change of text
	Kind       *Kind
	Scope      *Scope
	Project    *string
	Importance *float64
	Trust      *Trust
	Status     *Status // from Active to Archived does not change Memory.Updated
	Resolved   *bool
	Pinned     *bool
	Files      []string // replaces, if not nil
	Anchors    []Anchor // replaces, if not nil; does not change Memory.Updated
	Tags       []string // replaces, if not nil
	MergedInto *string
	Promoted   *Scope
	Used       int // added to Uses; sets LastUsed, and an Archived memory to Active
	UsedIn     Use // of Used; if Memory.UsedIn contains its turn, Used is not added again. At is now if zero
	Confidence *float64
	Concepts   []string // replaces, if not nil
	Invariant  *string
	Projects   []string // replaces, if not nil
	HalfLife   *float64
	Evergreen  *bool
	Note       *Note     // does not change Memory.Updated
	Prevented  int       // added
	Feedback   *Feedback // added to Feedback
	Facts      []string  // replaces, if not nil
	Proposed   *Proposal // added to Proposals unless its id is there; does not change Memory.Updated
	Settled    []string  // ids of Proposals to remove; does not change Memory.Updated
	Counted    *Counted  // replaces the counters; does not change Memory.Updated
}

// Counted holds the usage counters of a memory as a file of the vault has them.
type Counted struct {
	Uses, Prevented int
	LastUsed        time.Time
}
