// Package sqlite implements [mem.Store] in one SQLite file. It knows the types of
// package mem and SQL, and nothing about agents, ranking or policy.
//
// One connection writes, a few read. Acknowledged batches are on disk: the
// write-ahead log is synced before Apply returns. Erased text is overwritten, not
// only unlinked, so the secure-delete settings must never be turned off.
//
// Start reading at [Open] and [Store.Apply]. Statements that are composed are put
// together in query.go. Each file named after a kind of rows writes and reads them;
// audit.go, copies.go, migrate.go, recover.go, replace.go and salvage.go take care
// of the file.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
)

// Config says where the database is.
type Config struct {
	Path string           // of the database file; a missing directory is made
	Now  func() time.Time // nil means time.Now
	Busy time.Duration    // how long to wait for locks of other programs; 0 means 5 s
	// Known says that this program had a database at Path before. An empty or foreign
	// file there is then a damaged database. A missing file still means a new one.
	Known bool
	// Shared says that Path is on a network or shared file system, which has no shared
	// memory for a write-ahead log. A rollback journal is used instead.
	Shared bool
}

const (
	readers     = 4
	defaultBusy = 5 * time.Second
	maxWAL      = 32 << 20              // bytes of the write-ahead log; a longer one is checkpointed
	logWait     = 20 * time.Millisecond // how long a checkpoint waits for readers
	logRest     = 32                    // groups of batches between two failed checkpoints
)

// Store is an open database. It implements mem.Store. Each part has the methods for one kind of rows; all
// parts use the same connections.
type Store struct {
	*database
	memoryStore
	sessionStore
	eventStore
	projectStore
	jobStore
	receiptStore
	linkStore
	runStore
	vectorStore
	erasure
	maintenance
	statistics
}

// The parts of a Store.
type (
	memoryStore struct {
		*database
		counts *countCache
	}
	vectorStore struct {
		*database
		cache *vectors
	}
	erasure struct {
		*database
		vectors *vectors
	}
	sessionStore struct{ *database }
	eventStore   struct{ *database }
	projectStore struct{ *database }
	jobStore     struct{ *database }
	receiptStore struct{ *database }
	linkStore    struct{ *database }
	runStore     struct{ *database }
	maintenance  struct{ *database }
	statistics   struct{ *database }
)

var _ mem.Store = (*Store)(nil)

func newStore(db *database) *Store {
	cache := &vectors{}
	return &Store{
		database: db, memoryStore: memoryStore{db, &countCache{}}, sessionStore: sessionStore{db}, eventStore: eventStore{db},
		projectStore: projectStore{db}, jobStore: jobStore{db}, receiptStore: receiptStore{db}, linkStore: linkStore{db},
		runStore: runStore{db}, vectorStore: vectorStore{db, cache}, erasure: erasure{db, cache},
		maintenance: maintenance{db}, statistics: statistics{db},
	}
}

// Open opens the database, makes it if it is missing and migrates its schema. If
// it returns mem.ErrNewer, mem.ErrForeign, mem.ErrCorrupt or mem.ErrLocked, the file
// is unchanged.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	db, err := open(ctx, cfg)
	if cfg.damaged(err) {
		// One bad read is no proof of damage: try again.
		db, err = open(ctx, cfg)
		if cfg.damaged(err) {
			err = fmt.Errorf("%w: %v", mem.ErrCorrupt, err) //nolint:errorlint // callers must see damage alone
		}
	}
	if err != nil {
		return nil, wrap("open "+cfg.Path, err)
	}
	return newStore(db), nil
}

// damaged reports whether an error of open means that the file is damaged.
func (c Config) damaged(err error) bool {
	if isDamage(err) || errors.Is(err, mem.ErrCorrupt) {
		return true
	}
	if !errors.Is(err, mem.ErrForeign) && primary(err) != code.SQLITE_NOTADB {
		return false
	}
	h, err := headerOf(c.Path)
	return c.Known || err == nil && len(h.text) == fileHeader && h.zeros()
}
