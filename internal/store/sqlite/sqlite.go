// Package sqlite keeps what is remembered in one SQLite file. It knows the
// nouns of package mem and SQL, and nothing about agents, ranking or policy.
//
// One connection writes, a few read. Everything acknowledged is on disk: the
// log is synchronised before Apply returns. Erased text is overwritten, not
// only unlinked, so the secure-delete settings must never be turned off.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
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

// Store is an open database. It implements mem.Store.
type Store struct {
	path    string
	shared  bool // on a file system without shared memory
	now     func() time.Time
	busy    time.Duration
	read    *reader
	write   *sql.DB
	conn    *sql.Conn // the only one of write
	stmts   map[string]*sql.Stmt
	queue   *queue
	purges  atomic.Int64 // that have begun to scrub: a copy begun before holds what they erased
	common  common
	vectors vectors

	logRest int // groups to go by before the log is looked at again; the leader's
}

var (
	_ mem.Store   = (*Store)(nil)
	_ mem.Counter = (*Store)(nil)
)

// Open opens the database, makes it if it is missing and brings its schema up
// to date. It returns mem.ErrNewer, mem.ErrForeign, mem.ErrCorrupt or
// mem.ErrLocked where one of them applies; the file is then as it was.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := open(ctx, cfg)
	if cfg.damaged(err) {
		// One bad read proves nothing: look again before saying so.
		s, err = open(ctx, cfg)
		if cfg.damaged(err) {
			err = fmt.Errorf("%w: %v", mem.ErrCorrupt, err) //nolint:errorlint // it is damage now, whatever it looked like
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.Path, translate(err))
	}
	return s, nil
}

// damaged reports whether an error of open means that the file's content is wrong.
func (c Config) damaged(err error) bool {
	foreign := errors.Is(err, mem.ErrForeign) || primary(err) == code.SQLITE_NOTADB
	return isDamage(err) || errors.Is(err, mem.ErrCorrupt) || foreign && (c.Known || wiped(c.Path))
}

func open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Busy <= 0 {
		cfg.Busy = defaultBusy
	}
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return nil, err
	}
	if err := emptied(path, cfg.Known); err != nil {
		return nil, err
	}
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	s := &Store{
		path: path, shared: cfg.Shared, now: cfg.Now, busy: cfg.Busy, stmts: map[string]*sql.Stmt{},
		queue: newQueue(),
	}
	if err := s.connect(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) connect(ctx context.Context) (err error) {
	if s.write, err = sql.Open("sqlite", dsn(s.path, s.busy)); err != nil {
		return err
	}
	s.write.SetMaxOpenConns(1)
	if s.conn, err = s.write.Conn(ctx); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", dsn(s.path, s.busy, "query_only(1)"))
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	s.read = &reader{DB: db, stmts: map[string]*sql.Stmt{}}
	_ = s.resume(ctx, impatient) // with a reader in its way it stays unfinished, for the next one
	return s.read.PingContext(ctx)
}

// emptied finds a database that lost everything: SQLite would begin a new one
// in its place, and throw away what is in the log.
func emptied(path string, known bool) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || !known && fileSize(path+"-wal") == 0 {
		return nil
	}
	return fmt.Errorf("%w: it is empty", mem.ErrCorrupt)
}

// prepareFile makes the file if it is missing. SQLite gives the files that it
// puts beside it the same rights.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if isOther(path) { // before it is opened: a pipe would be waited for
		return fmt.Errorf("%w: it is not a file", mem.ErrForeign)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// isOther reports whether something is there that is not a file, such as a directory.
func isOther(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// closeToOthers takes from a database of ours the rights that others have.
func closeToOthers(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path+suffix, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// wiped reports whether a file begins with zeros, as a database does whose
// first page a power cut took. Anybody's text would begin with something.
func wiped(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var head [100]byte
	n, err := io.ReadFull(f, head[:])
	return err == nil && n == len(head) && head == [100]byte{}
}

// dsn names the database with the settings that every connection needs, and
// more, which must set nothing that those set: the driver sorts them.
// secure_delete must be in force before the first row is written. Pages are kept
// as SQLite does by itself, 2,000 KiB for each connection: one takes twice its
// size in memory, and the system keeps it as well.
func dsn(path string, busy time.Duration, more ...string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	pragmas := append([]string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"secure_delete(1)",
		"synchronous(FULL)",
		"foreign_keys(1)",
		"mmap_size(0)",
		"journal_size_limit(" + strconv.Itoa(maxWAL) + ")",
		"temp_store(MEMORY)", // no text leaves the files that Purge knows
	}, more...)
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + url.Values{"_pragma": pragmas}.Encode()
}

// Close folds the log back into the database and ends the store's work.
func (s *Store) Close() error {
	if !s.queue.close() {
		return nil
	}
	var errs []error
	for _, st := range s.stmts {
		errs = append(errs, st.Close())
	}
	s.stmts = map[string]*sql.Stmt{}
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.conn != nil {
		if err := s.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
			errs = append(errs, err)
		}
	}
	if s.write != nil {
		errs = append(errs, s.write.Close())
	}
	return errors.Join(errs...)
}
