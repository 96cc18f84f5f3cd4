package mem

import (
	"context"
	"errors"
	"time"
)

// Errors that callers act on. Back ends translate their own errors into these.
var (
	ErrNotFound  = errors.New("not found")
	ErrAmbiguous = errors.New("more than one match")
	ErrNewer     = errors.New("written by a newer version")
	ErrForeign   = errors.New("not a remanence database")
	ErrCorrupt   = errors.New("database is damaged")
	ErrLocked    = errors.New("locked by another program")
	ErrNoStore   = errors.New("no store")
	ErrFull      = errors.New("no space left") // on the disk, or within a quota
	ErrReadOnly  = errors.New("not writable")  // the file, its directory or its file system
	ErrDisk      = errors.New("disk read or write error")
	ErrAway      = errors.New("the database server cannot be reached")
	ErrUnsafe    = errors.New("file cannot be used") // not a regular file, not owned by the person, or not text
)

// Store is the contract of a storage back end. A back end implements all of it, and only stores and finds: the
// rules of the domain are functions of this package that it calls, as [Memory.Repeated], [Edit.Apply] and
// [Memory.Traces]. Package storetest tests each promise that can be seen through it; what stays on disk is tested
// by the back end itself.
//
// All methods are safe for concurrent use. Times are stored to the microsecond at least, in UTC. A project
// is given by its key; an empty one means all projects. A session is given by the agent's id. Errors wrap the sentinels
// of this package where one of them applies: [ErrNotFound], [ErrAmbiguous], [ErrFull] and so on. A query that
// finds nothing is no error unless its method says so. Rows that cannot be read are left out of lists.
//
// Everything is written through Apply, except vectors and what the methods for jobs, links and erasing change.
type Store interface {
	// Apply writes batches, each atomically, in order, and returns one result
	// each. When it returns without error everything is durable: it survives
	// the end of the process and a power cut. Only batches of recovered events
	// may be lost by a power cut until the next other batch is durable: their
	// transcript still has them. A batch whose event is already stored is a
	// duplicate and writes nothing. An event with a Key is a
	// duplicate also if the newest event of its session has the same Key and
	// was at most DuplicateWindow away. On an error, nothing of the failing batch is
	// written, but the batches before it are. The fields of [Batch] say what each part writes.
	Apply(ctx context.Context, batches ...Batch) ([]Result, error)

	MemoryStore
	SessionStore
	EventStore
	ProjectStore
	ReceiptStore
	JobStore
	LinkStore
	RunStore
	VectorStore
	Eraser
	Statistics

	// Close releases the store. Later calls fail.
	Close() error
}

// MemoryStore finds memories.
type MemoryStore interface {
	// Match returns the best lexical matches of q.Terms, best first; ties
	// break by newest. A memory matches if it contains any of the terms,
	// compared by word stem; a term of several words is a phrase. Any text is
	// a legal term. Without terms nothing matches.
	Match(ctx context.Context, q Query) ([]Hit, error)

	// Count returns the document frequencies of q.Terms among the memories, or among the
	// utterances if q.Kinds asks for those; q's other filters are ignored. A term
	// without words has frequency 0.
	Count(ctx context.Context, q Query) (Corpus, error)

	// List returns the memories that pass q's filters, in q.Order. With IDs it
	// returns exactly those, in that order. It returns ErrNotFound if an id does
	// not exist, and ErrAmbiguous if a prefix has several matches.
	List(ctx context.Context, q Query) ([]Memory, error)

	// SupersededBy returns the id of the newest memory that supersedes one; "" if none does.
	SupersededBy(ctx context.Context, id string) (string, error)

	// FileCounts returns the files of a project that active memories are about, and the number
	// of all of them. Those with most memories come first. Only files below the directory under are
	// counted, unless it is empty.
	FileCounts(ctx context.Context, project, under string, limit int) ([]FileRow, int, error)
}

// SessionStore finds sessions and their turns.
type SessionStore interface {
	// Session returns a session by the agent's id, its short id or a unique
	// prefix of either. ErrNotFound if there is none.
	Session(ctx context.Context, id string) (Session, error)

	// Sessions lists sessions, last active first. Their Injected is nil.
	Sessions(ctx context.Context, q SessionQuery) ([]Session, error)

	// SessionPage lists sessions as Sessions does, with counts of what belongs to each, and counts
	// all sessions that pass q.
	SessionPage(ctx context.Context, q SessionQuery) (SessionPage, error)

	// Turns returns the newest turns of a session, newest first. A turn that was found in the
	// transcript later stands where it took place.
	Turns(ctx context.Context, session string, limit int) ([]Turn, error)

	// TranscriptPosition returns how far a session's transcript was compared with the stored
	// events, as Batch.TranscriptPositions stored it. To is 0 if it never was.
	TranscriptPosition(ctx context.Context, session string) (TranscriptPosition, error)
}

// EventStore finds events.
type EventStore interface {
	// Events returns stored events. Erased ones are left out.
	Events(ctx context.Context, q EventQuery) ([]Event, error)

	// EventHeaders lists the events of a session in order of arrival: those of the main
	// conversation, and the tool calls of subagents. Erased ones are left out.
	EventHeaders(ctx context.Context, session string) ([]EventHeader, error)

	// CountEvents counts the stored events of a session. Erased ones are left out.
	CountEvents(ctx context.Context, session string) (int, error)
}

// ProjectStore finds projects and pauses.
type ProjectStore interface {
	// Projects returns the projects that match ref, last active first: a key, a
	// unique prefix of a key longer than KeyMark, a name, a root or a git common
	// directory. An empty ref matches all.
	Projects(ctx context.Context, ref string) ([]Project, error)

	// Paused returns the pauses in force or set for later, without ended ones.
	Paused(ctx context.Context, now time.Time) ([]Pause, error)

	// PausedPeriods returns the periods in which capture was or is paused for one of the targets,
	// oldest first. Pauses of injection alone are left out.
	PausedPeriods(ctx context.Context, targets ...string) ([]PausedPeriod, error)
}

// ReceiptStore finds checkpoints and receipts.
type ReceiptStore interface {
	// Checkpoints returns checkpoints, newest first.
	Checkpoints(ctx context.Context, q CheckpointQuery) ([]Checkpoint, error)

	// Receipts returns receipts, newest first.
	Receipts(ctx context.Context, q ReceiptQuery) ([]Receipt, error)
}

// JobStore is a durable queue of jobs. Batch adds, finishes and fails them.
type JobStore interface {
	// Lease takes up to n waiting jobs of the given kinds that are due at now, oldest first, and
	// hides them from other callers until the lease ends. A job that is neither
	// finished nor failed by then is due again. While a job of a session waits
	// for a retry, no other job of that session and kind is due. A retry is due
	// after the jobs of other sessions, later with every attempt.
	Lease(ctx context.Context, kinds JobKinds, now time.Time, lease time.Duration, n int) ([]Job, error)

	// EndLeases ends all leases. Only the single process that leases jobs calls it, when it starts:
	// the leases are then left from a process that was killed.
	EndLeases(ctx context.Context) error

	// Jobs returns the first jobs of a kind in the order in which they were added, dead ones included.
	Jobs(ctx context.Context, kind string, limit int) ([]Job, error)

	// Waiting counts the jobs of all projects, as Stats does.
	Waiting(ctx context.Context) (Waiting, error)

	// RetryDeadJobs makes every dead job wait for its first attempt again, and returns how many.
	RetryDeadJobs(ctx context.Context) (int, error)

	// DropJobs deletes at most n dead jobs and returns how many. Jobs that were made, or were due
	// again, at before or later stay.
	DropJobs(ctx context.Context, before time.Time, n int) (int, error)
}

// LinkStore stores links between memories and the entities that they mention.
// Batch.Links adds to it. What belongs to an erased memory is deleted with it.
type LinkStore interface {
	// Links returns the links that begin or end at any of the memories, the most
	// confident first, then the newest; at most 1000.
	Links(ctx context.Context, memories ...string) ([]Link, error)

	// LinksOf returns the links of a kind between active memories of a project
	// and those of user scope, newest first, at most limit.
	LinksOf(ctx context.Context, kind LinkKind, project string, limit int) ([]Link, error)

	// Entities returns the entities that pass q.
	Entities(ctx context.Context, q EntityQuery) ([]Entity, error)

	// Mentions returns which memories mention the entities, the newest memory
	// first, at most limit of each entity. Forgotten memories are left out.
	Mentions(ctx context.Context, limit int, entities ...string) ([]Mention, error)

	// Join merges an entity into another: memories that mention from then mention into.
	Join(ctx context.Context, from, into string) error

	// Prune deletes entities below MinLinkConfidence and MinMentions that were last seen
	// before a time, and LinkSimilarTo links below MinLinkConfidence that were made before it.
	Prune(ctx context.Context, before time.Time) (Pruned, error)
}

// RunStore finds consolidation runs, dismissals and the spending on language models.
type RunStore interface {
	// Runs returns runs with their changes. ErrNotFound or ErrAmbiguous if
	// q.ID has no match or several.
	Runs(ctx context.Context, q RunQuery) ([]Run, error)

	// Dismissals returns all dismissals.
	Dismissals(ctx context.Context) ([]Dismissal, error)

	// Spent returns the sum of the spending that batches added to a day; zeros if there is none.
	Spent(ctx context.Context, day string) (Spending, error)
}

// VectorStore stores at most one vector for each memory. A vector is deleted when its memory is
// erased and when the memory's text changes.
type VectorStore interface {
	// PutVectors replaces the vectors of these memories. A vector is left out if its memory does
	// not exist, is not active, or was changed after Vector.Updated. Vectors of the model with
	// another length than these are deleted: the model's name means another model since.
	PutVectors(ctx context.Context, model string, vs []Vector) error

	// Near returns the n memories that pass q's filters and whose vectors of the
	// model are nearest to v, nearest first, with the cosine, -1…1, as Score and
	// as Parts[PartCos]. With q.IDs it returns those of them that have a vector. The search may
	// be approximate. Vectors of another model or length are ignored.
	Near(ctx context.Context, model string, v []float32, q Query, n int) ([]Hit, error)

	// WithoutVector returns up to n active memories that have no vector of the model,
	// newest first, among those older than the memory with the id before; empty
	// means all. next is the before of the next call, empty at the end. It
	// examines a bounded number of memories and so may return none before the end.
	WithoutVector(ctx context.Context, model, before string, n int) (ms []Memory, next string, err error)

	// CountVectors returns how many memories have a vector of the model.
	CountVectors(ctx context.Context, model string) (int, error)

	// DropVectors deletes the vectors of every other model; of all if model is empty.
	DropVectors(ctx context.Context, model string) error
}

// Eraser erases stored text for good.
type Eraser interface {
	// Purge erases memories (m_…) and sessions (s_… or the agent's id) with
	// everything that belongs to them. It also erases memories that were merged
	// into them, and utterances that they were made of (see Memory.DerivedFrom). It blanks
	// every other stored text of the same sessions that contains theirs, and
	// checkpoints, receipts and state lines of any session that do. When it
	// returns, the store's files contain no byte of the erased text. If an id
	// does not exist it returns ErrNotFound and erases nothing.
	Purge(ctx context.Context, ids ...string) (Purged, error)

	// PreviewPurge returns what Purge would erase: the memories, oldest first, and the counts.
	// It changes nothing. ErrNotFound as Purge.
	PreviewPurge(ctx context.Context, ids ...string) ([]Memory, Purged, error)

	// PurgeMemories returns the memories of PreviewPurge without the counts, which take longer.
	PurgeMemories(ctx context.Context, ids ...string) ([]Memory, error)

	// ErasedUntil returns when data of a session was last erased; the zero time if never. It
	// also knows sessions that were erased as a whole.
	ErasedUntil(ctx context.Context, session string) (time.Time, error)

	// DropPayloads reduces events that were received before a time to Event.WithoutPayload. It
	// examines at most n events in order of arrival, beginning at position from. It returns the
	// position to continue from, 0 after the last event, and how many payloads it dropped.
	DropPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, dropped int, err error)

	// Scrub passes the texts of each record, as a JSON object, through clean and counts what clean
	// found, by kind. With fix it stores the cleaned texts, and when it returns, the store's
	// files contain no byte of what was removed. Events can be stored meanwhile. If may is not
	// nil, it reports whether clean may find something in a record, given all its texts as they
	// are stored; the store may leave out records for which it is false.
	Scrub(ctx context.Context, fix bool, may func(texts []byte) bool,
		clean func(doc []byte) ([]byte, map[string]int, error)) (ScanResponse, error)
}

// Statistics counts and measures what is stored.
type Statistics interface {
	// Stats counts stored rows. today is the start of the day for Stats.Today.
	Stats(ctx context.Context, project string, today time.Time) (Stats, error)

	// Day counts what happened since a time.
	Day(ctx context.Context, project string, since time.Time) (Day, error)

	// Sizes returns the parts of the store's files. Their sum is the size of the files. It reads
	// all of them, which takes seconds for a large store.
	Sizes(ctx context.Context) ([]Part, error)
}
