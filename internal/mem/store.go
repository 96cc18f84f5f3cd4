package mem

import (
	"context"
	"errors"
	"time"
)

// Errors callers act on. Adapters translate theirs into these.
var (
	ErrNotFound  = errors.New("not found")
	ErrAmbiguous = errors.New("more than one match")
	ErrNewer     = errors.New("written by a newer version")
	ErrForeign   = errors.New("not a database of ours")
	ErrCorrupt   = errors.New("database is damaged")
	ErrLocked    = errors.New("locked by another program")
	ErrNoStore   = errors.New("no store")
	ErrFull      = errors.New("no space is left")       // on the disk, or of the person's share of it
	ErrReadOnly  = errors.New("may not be written")     // the file, its directory or the whole file system
	ErrDisk      = errors.New("the disk does not work") // it fails to read or write
	ErrUnsafe    = errors.New("file cannot be used")    // it is no plain file of the person's, or is no text
)

// Store keeps what is remembered. It is safe for use by several goroutines.
// Its proof is storetest.Run.
type Store interface {
	// Apply writes batches, each atomically, in order, and returns one result
	// each. When it returns without error everything is durable: it survives
	// the end of the process and a power cut. A batch whose event is already
	// stored is a duplicate and writes nothing. An event with a Key is a
	// duplicate also if the newest event of its session has the same Key and
	// was at most Window away. On an error nothing of the failing batch is
	// written, the batches before it are.
	Apply(ctx context.Context, batches ...Batch) ([]Result, error)

	// Match returns the best lexical matches of q.Terms, best first; ties
	// break by newest. A memory matches if it holds any of the terms, by word
	// stem; a term of several words is a phrase. Any text is a legal term; no
	// terms match nothing.
	Match(ctx context.Context, q Query) ([]Hit, error)

	// List returns the memories that pass q's filters, in q.Order. With IDs it
	// returns exactly those, in that order: ErrNotFound or ErrAmbiguous if one
	// is not there or a prefix fits several.
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

	// Projects returns the projects that ref names: a key, a unique prefix of
	// one that goes beyond KeyMark, a name, a root or a git common directory;
	// last active first. An empty ref names all.
	Projects(ctx context.Context, ref string) ([]Project, error)

	// Paused returns the pauses in force or set for later, ended ones left out.
	Paused(ctx context.Context, now time.Time) ([]Pause, error)

	// Lease takes up to n waiting jobs that are due at now, oldest first, and
	// hides them from other callers until the lease ends. A job that is neither
	// finished nor failed by then is due again. While a job of a session rests
	// after an error, no other of the session and kind is due; later they come
	// after those of all other sessions, the more attempts it took the later.
	Lease(ctx context.Context, now time.Time, lease time.Duration, n int) ([]Job, error)

	// Stats counts what is stored, of one project or, with an empty key, of all.
	// today is the start of the day for Stats.Today.
	Stats(ctx context.Context, project string, today time.Time) (Stats, error)

	// Purge erases memories (m_…) and sessions with all that belongs to them
	// (s_… or the agent's id), and blanks every other stored text of the same
	// sessions that holds theirs, and the checkpoints, receipts and state lines
	// of any session that do. What was said that a memory was made of (MadeOf)
	// goes with it, and what was merged into it. When it returns, no byte of them is left in
	// the store's files. ErrNotFound if an id is not there; nothing is erased then.
	Purge(ctx context.Context, ids ...string) (Purged, error)

	// Close ends the store's work. Calls made later fail.
	Close() error
}
