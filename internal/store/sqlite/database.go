package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"remanence/internal/fsx"
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
	open   atomic.Pointer[transaction] // see Begin; nil while there is none
	purges atomic.Int64                // purges that have begun to empty the log: an earlier copy may contain erased text

	logRest   int  // groups of batches before the log is checked again; used by the leader
	unsynced  bool // commits are not synced at present; see setSync; used by the leader
	sinceSync int  // commits without a sync since the log was checkpointed for them; used by the leader
}

func newDatabase(cfg Config) *database {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Busy <= 0 {
		cfg.Busy = defaultBusy
	}
	return &database{
		path: cfg.Path, shared: cfg.Shared, now: cfg.Now, busy: cfg.Busy, stmts: map[string]*sql.Stmt{}, queue: newQueue(),
	}
}

func open(ctx context.Context, cfg Config) (_ *database, err error) {
	if cfg.Path, err = filepath.Abs(cfg.Path); err != nil {
		return nil, err
	}
	if err := checkNotEmptied(cfg.Path, cfg.Known); err != nil {
		return nil, err
	}
	if err := prepareFile(cfg.Path); err != nil {
		return nil, err
	}
	db := newDatabase(cfg)
	if err := db.connect(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

func (db *database) connect(ctx context.Context) error {
	if err := db.connectWriter(ctx); err != nil {
		return err
	}
	if err := db.migrate(ctx); err != nil {
		return err
	}
	pool, err := sql.Open("sqlite", dsn(db.path, db.busy, "query_only(1)", readerCache))
	if err != nil {
		return err
	}
	pool.SetMaxOpenConns(readers)
	pool.SetMaxIdleConns(readers)
	db.read = &reader{DB: pool, of: db, stmts: map[string]*sql.Stmt{}}
	_ = db.finishPurge(ctx, openTries) // if a reader is in the way, a later call finishes it
	return db.read.PingContext(ctx)
}

func (db *database) connectWriter(ctx context.Context) (err error) {
	if db.write, err = sql.Open("sqlite", dsn(db.path, db.busy)); err != nil {
		return err
	}
	db.write.SetMaxOpenConns(1)
	db.conn, err = db.write.Conn(ctx)
	return err
}

// checkNotEmptied returns mem.ErrCorrupt for a database that was truncated to nothing: SQLite would take it for a new
// one and delete its log.
func checkNotEmptied(path string, known bool) error {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 || !known && fileSize(path+"-wal") == 0 {
		return nil
	}
	return fmt.Errorf("%w: it is empty", mem.ErrCorrupt)
}

// prepareFile makes the file if it is missing. SQLite gives its other files the same mode.
func prepareFile(path string) error {
	if err := fsx.MakePrivateDir(filepath.Dir(path)); err != nil {
		return err
	}
	f, _, err := openFile(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	return f.Close()
}

// openFile opens a database file. It returns mem.ErrForeign for anything that is not a regular file, without waiting
// for a pipe.
func openFile(path string, flag int) (*os.File, fs.FileInfo, error) {
	f, info, err := fsx.Open(fsx.Host{}, path, fsx.Options{Flag: flag, FollowLinks: true})
	if errors.Is(err, fsx.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", mem.ErrForeign, err)
	}
	return f, info, err
}

// isNotFile reports whether the name has something other than a regular file, such as a directory.
func isNotFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular()
}

// restrictAccess removes the access of other users to the database.
func restrictAccess(path string) error {
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

// readerCache is the page cache of each reader, in KiB. Searches read an index in RAM, and of the store only the
// memories they find. A page takes twice its size in memory, and the system caches it as well.
const readerCache = "cache_size(-1000)"

// dsn returns the data source name with the settings that every connection needs, and more pragmas. Those must set
// other settings, as the driver sorts all of them. secure_delete must be on before the first row is written. The
// writer's page cache has SQLite's default, 2,000 KiB; see readerCache.
func dsn(path string, busy time.Duration, more ...string) string {
	p := path
	if whole, err := filepath.Abs(path); err == nil {
		p = whole
	}
	if p = filepath.ToSlash(p); !strings.HasPrefix(p, "/") {
		p = "/" + p // a drive letter
	}
	pragmas := append([]string{
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"secure_delete(1)",
		"synchronous(FULL)",
		"foreign_keys(1)",
		"mmap_size(0)",
		"journal_size_limit(" + strconv.Itoa(maxWAL) + ")",
		"temp_store(MEMORY)", // no text in files that Purge does not know
	}, more...)
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + url.Values{"_pragma": pragmas}.Encode()
}

// Close writes the waiting batches, checkpoints the log and closes the connections.
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
