package mem

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
	Jobs        []Job
	Done        []string // ids of jobs that this batch finishes
	Failed      []Job    // jobs to be tried again or given up: ID, Error, NotBy and Dead are stored
	Pauses      []Pause
}

// Result is what became of a batch.
type Result struct {
	Duplicate bool     // the event was stored before; nothing was written
	Seq       int64    // the event's place in the order of arrival, from 1
	Prompt    int      // number of the turn's prompt, if it is a person's
	IDs       []string // ids of Memories, in order; of one that came again, the id of the first
}

// Edit changes one memory. Nil and empty fields leave it alone.
type Edit struct {
	ID         string // exact
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
	Used       int      // added to Uses; LastUsed becomes now
}
