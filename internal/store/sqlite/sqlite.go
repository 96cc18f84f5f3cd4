// Package sqlite keeps what is remembered in one SQLite file. It knows the
// nouns of package mem and SQL, and nothing about agents, ranking or policy.
//
// One connection writes, a few read. Everything acknowledged is on disk: the
// log is synchronised before Apply returns. Erased text is overwritten, not
// only unlinked, so the secure-delete settings must never be turned off.
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
	Path string           // of the database file; its directory is made if it is missing
	Now  func() time.Time // nil means time.Now
	Busy time.Duration    // how long to wait for other programs' locks; 0 means 5 s
	// Known says that a database of ours was at Path before. What is empty or
	// another's there is then a damaged one, neither new nor foreign. A missing
	// file is new all the same: somebody moved it away.
	Known bool
	// Shared says that Path is on a network or shared file system. The log needs
	// memory that all who use it see, which is not to be had there: a rollback
	// journal takes its place.
	Shared bool
}

const (
	readers     = 4
	defaultBusy = 5 * time.Second
	maxWAL      = 32 << 20              // bytes; a longer log is folded back into the database
	logWait     = 20 * time.Millisecond // for readers, before that is given up for now
	logRest     = 32                    // groups that go by before it is tried again
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

// Open opens the database, makes it if it is missing and brings its schema up
// to date. It returns mem.ErrNewer, mem.ErrForeign, mem.ErrCorrupt or
// mem.ErrLocked where one of them applies; the file is then as it was.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	db, err := open(ctx, cfg)
	if cfg.damaged(err) {
		// One bad read proves nothing: look again before saying so.
		db, err = open(ctx, cfg)
		if cfg.damaged(err) {
			err = fmt.Errorf("%w: %v", mem.ErrCorrupt, err) //nolint:errorlint // it is damage now, whatever it looked like
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.Path, translate(err))
	}
	return newStore(db), nil
}

// damaged reports whether an error of open means that the file's content is wrong.
func (c Config) damaged(err error) bool {
	foreign := errors.Is(err, mem.ErrForeign) || primary(err) == code.SQLITE_NOTADB
	return isDamage(err) || errors.Is(err, mem.ErrCorrupt) || foreign && (c.Known || wiped(c.Path))
}
