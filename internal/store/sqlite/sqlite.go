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
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
)

// Config says where the database is.
type Config struct {
	Path string           // of the database file; its directory is made if it is missing
	Now  func() time.Time // nil means time.Now
	Busy time.Duration    // how long to wait for other programs' locks; 0 means 5 s
}

const (
	readers      = 4
	defaultBusy  = 5 * time.Second
	maxWAL       = 32 << 20              // bytes; a longer log is folded back into the database
	logWait      = 20 * time.Millisecond // for readers, before that is given up for now
	logRest      = 32                    // groups that go by before it is tried again
	pageCacheKiB = 8 << 10
)

// Store is an open database. It implements mem.Store.
type Store struct {
	path  string
	now   func() time.Time
	busy  time.Duration
	read  *reader
	write *sql.DB
	conn  *sql.Conn // the only one of write
	stmts map[string]*sql.Stmt
	queue *queue

	logRest int // groups to go by before the log is looked at again; the leader's
}

var _ mem.Store = (*Store)(nil)

// Open opens the database, makes it if it is missing and brings its schema up
// to date. It returns mem.ErrNewer, mem.ErrForeign, mem.ErrCorrupt or
// mem.ErrLocked where one of them applies; the file is then as it was.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s, err := open(ctx, cfg)
	if isDamage(err) {
		// One bad read proves nothing: look again before saying so.
		s, err = open(ctx, cfg)
		if isDamage(err) {
			err = fmt.Errorf("%w: %w", mem.ErrCorrupt, err)
		}
	}
	if primary(err) == code.SQLITE_NOTADB && wiped(cfg.Path) {
		err = fmt.Errorf("%w: it begins with zeros", mem.ErrCorrupt)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", cfg.Path, translate(err))
	}
	return s, nil
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
	if err := prepareFile(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, now: cfg.Now, busy: cfg.Busy, stmts: map[string]*sql.Stmt{}, queue: newQueue()}
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
	return s.read.PingContext(ctx)
}

// prepareFile makes the file if it is missing. SQLite gives the files that it
// puts beside it the same rights.
func prepareFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = mem.ErrForeign
	}
	return err
}

// closeToOthers takes from a database of ours the rights that others have.
func closeToOthers(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(path+suffix, 0o600)
		}
		if err != nil && !os.IsNotExist(err) {
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

// dsn names the database with the settings that every connection needs.
// secure_delete must be in force before the first row is written.
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
		"cache_size(-" + strconv.Itoa(pageCacheKiB) + ")",
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
