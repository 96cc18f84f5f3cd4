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

	"remanence/internal/mem"
)

// database is the connections to one database file: one writes, a few read.
type database struct {
	path   string
	shared bool // on a file system without shared memory
	now    func() time.Time
	busy   time.Duration
	read   *reader
	write  *sql.DB
	conn   *sql.Conn // the only one of write
	stmts  map[string]*sql.Stmt
	queue  *queue
	purges atomic.Int64 // that have begun to scrub: a copy begun before holds what they erased

	logRest int // groups to go by before the log is looked at again; the leader's
}

func open(ctx context.Context, cfg Config) (*database, error) {
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
	db := &database{
		path: path, shared: cfg.Shared, now: cfg.Now, busy: cfg.Busy, stmts: map[string]*sql.Stmt{},
		queue: newQueue(),
	}
	if err := db.connect(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (db *database) connect(ctx context.Context) (err error) {
	if db.write, err = sql.Open("sqlite", dsn(db.path, db.busy)); err != nil {
		return err
	}
	db.write.SetMaxOpenConns(1)
	if db.conn, err = db.write.Conn(ctx); err != nil {
		return err
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", dsn(db.path, db.busy, "query_only(1)"))
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	db.read = &reader{DB: pool, stmts: map[string]*sql.Stmt{}}
	_ = db.resume(ctx, impatient) // with a reader in its way it stays unfinished, for the next one
	return db.read.PingContext(ctx)
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
func (db *database) Close() error {
	if !db.queue.close() {
		return nil
	}
	var errs []error
	for _, st := range db.stmts {
		errs = append(errs, st.Close())
	}
	db.stmts = map[string]*sql.Stmt{}
	if db.read != nil {
		errs = append(errs, db.read.Close())
	}
	if db.conn != nil {
		if err := db.conn.Close(); !errors.Is(err, sql.ErrConnDone) {
			errs = append(errs, err)
		}
	}
	if db.write != nil {
		errs = append(errs, db.write.Close())
	}
	return errors.Join(errs...)
}
