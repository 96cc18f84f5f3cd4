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
	ErrUnsafe    = errors.New("file cannot be used") // not a regular file, not owned by the person, or not text
)

// Store is the storage back end: it stores and finds memories, sessions, events,
// checkpoints, receipts and jobs. It is safe for concurrent use. The contract of
// each method is tested by storetest.Run.
type Store interface {
	// Apply writes batches, each atomically, in order, and returns one result
	// each. When it returns without error everything is durable: it survives
	// the end of the process and a power cut. A batch whose event is already
	// stored is a duplicate and writes nothing. An event with a Key is a
	// duplicate also if the newest event of its session has the same Key and
	// was at most Window away. On an error, nothing of the failing batch is
	// written, but the batches before it are.
	Apply(ctx context.Context, batches ...Batch) ([]Result, error)

	// Match returns the best lexical matches of q.Terms, best first; ties
	// break by newest. A memory matches if it contains any of the terms,
	// compared by word stem; a term of several words is a phrase. Any text is
	// a legal term. Without terms nothing matches.
	Match(ctx context.Context, q Query) ([]Hit, error)

	// List returns the memories that pass q's filters, in q.Order. With IDs it
	// returns exactly those, in that order. It returns ErrNotFound if an id does
	// not exist, and ErrAmbiguous if a prefix has several matches.
	List(ctx context.Context, q Query) ([]Memory, error)

	// Session returns a session by the agent's id, its short id or a unique
	// prefix of either. ErrNotFound if there is none.
	Session(ctx context.Context, id string) (Session, error)

	// Sessions lists sessions, last active first. Their Told is nil.
	Sessions(ctx context.Context, q SessionQuery) ([]Session, error)

	// Turns returns the newest turns of a session, newest first.
	Turns(ctx context.Context, session string, limit int) ([]Turn, error)

	// Events returns stored events.
	Events(ctx context.Context, q EventQuery) ([]Event, error)

	// Checkpoints returns checkpoints, newest first.
	Checkpoints(ctx context.Context, q CheckpointQuery) ([]Checkpoint, error)

	// Receipts returns receipts, newest first.
	Receipts(ctx context.Context, q ReceiptQuery) ([]Receipt, error)

	// Projects returns the projects that match ref, last active first: a key, a
	// unique prefix of a key longer than KeyMark, a name, a root or a git common
	// directory. An empty ref matches all.
	Projects(ctx context.Context, ref string) ([]Project, error)

	// Paused returns the pauses in force or set for later, without ended ones.
	Paused(ctx context.Context, now time.Time) ([]Pause, error)

	// Lease takes up to n waiting jobs that are due at now, oldest first, and
	// hides them from other callers until the lease ends. A job that is neither
	// finished nor failed by then is due again. While a job of a session waits
	// for a retry, no other job of that session and kind is due. A retry is due
	// after the jobs of other sessions, later with every attempt.
	Lease(ctx context.Context, now time.Time, lease time.Duration, n int) ([]Job, error)

	// Stats counts stored rows of one project or, with an empty key, of all.
	// today is the start of the day for Stats.Today.
	Stats(ctx context.Context, project string, today time.Time) (Stats, error)

	// Purge erases memories (m_…) and sessions (s_… or the agent's id) with
	// everything that belongs to them. It also erases memories that were merged
	// into them, and utterances that they were made of (see MadeOf). It blanks
	// every other stored text of the same sessions that contains theirs, and
	// checkpoints, receipts and state lines of any session that do. When it
	// returns, the store's files contain no byte of the erased text. If an id
	// does not exist it returns ErrNotFound and erases nothing.
	Purge(ctx context.Context, ids ...string) (Purged, error)

	// Close releases the store. Later calls fail.
	Close() error
}
