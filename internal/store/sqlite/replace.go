package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
)

// The functions of this file work on a database that no process has open: their caller holds the worker's lock. They
// prepare another database beside it and rename that, so that there is a complete database at any time.

// lockWait is how long to wait for a database that no process should have open.
const lockWait = time.Second

// Restored is the result of a restore.
type Restored struct {
	Schema int    // of the file that was restored; an older one was migrated
	Aside  string // where the previous database is; "" if there was none
}

// Restore replaces the database by a copy of the file from and keeps the previous one, damaged or not, aside. It
// checks the file and migrates the copy before it changes anything: mem.ErrNewer, mem.ErrForeign, mem.ErrCorrupt or
// fs.ErrNotExist. mem.ErrLocked if another program has the database open.
func Restore(ctx context.Context, path, from string, now time.Time) (Restored, error) {
	found, err := Inspect(ctx, from)
	if err != nil {
		return Restored{}, err
	}
	next := path + ".next"
	err = copyInto(ctx, from, next)
	if err == nil {
		err = prepareCopy(ctx, next)
	}
	if err == nil {
		if err = checkpointClosed(ctx, path); !isLocked(err) && !errors.Is(err, mem.ErrLocked) {
			err = nil // a damaged database keeps its log
		}
	}
	var aside string
	if err == nil {
		aside, err = replaceDatabase(path, next, now)
	}
	if err != nil {
		return Restored{}, errors.Join(wrap("restore "+from, err), removeAll(next))
	}
	return Restored{Schema: found.Schema, Aside: aside}, nil
}

// Vacuum rewrites the database without its free pages and returns its size before and after, in bytes. Meanwhile both
// need space on the disk. It leaves a damaged database unchanged: mem.ErrCorrupt.
func Vacuum(ctx context.Context, path string) (before, after int64, err error) {
	if _, err := Inspect(ctx, path); err != nil {
		return 0, 0, err
	}
	if err := checkpointClosed(ctx, path); err != nil {
		return 0, 0, wrap("vacuum", err)
	}
	before = fileSize(path)
	next := path + ".next"
	err = copyInto(ctx, path, next)
	if err == nil {
		err = prepareCopy(ctx, next)
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return 0, 0, errors.Join(wrap("vacuum", err), removeAll(next))
	}
	return before, fileSize(path), fsx.SyncDir(fsx.Host{}, filepath.Dir(path))
}

// copyInto copies a sound database into a new file.
func copyInto(ctx context.Context, from, to string) error {
	return vacuumInto(ctx, dsn(from, defaultBusy)+"&mode=ro", to)
}

// vacuumInto copies a database into a new file that other users cannot read. It uses a connection of its own: copying
// may take long and must not block the writer, and connections for reading may write nothing, not even elsewhere.
func vacuumInto(ctx context.Context, source, to string) error {
	if err := removeAll(to); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if err := withConn(ctx, source, func(conn *sql.Conn) error {
		_, err := conn.ExecContext(ctx, "VACUUM INTO ?", to)
		return err
	}); err != nil {
		return err
	}
	return syncFile(to)
}

// prepareCopy migrates a new file to the newest schema and syncs it as a single file.
func prepareCopy(ctx context.Context, path string) error {
	s, err := open(ctx, Config{Path: path})
	if err != nil {
		return err
	}
	_, err = emptyLog(ctx, s.conn)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if !isMissing(path + "-wal") {
		return fmt.Errorf("%s has a log of its own: %w", path, mem.ErrLocked)
	}
	copies, err := filepath.Glob(globQuote(path) + ".schema*")
	for _, c := range copies { // from before the migration: the source still exists
		err = errors.Join(err, os.Remove(c))
	}
	return errors.Join(err, syncFile(path))
}

// replaceDatabase renames next to path. A previous file of that name is linked
// aside first, with its log, the log's index and its journal.
func replaceDatabase(path, next string, now time.Time) (aside string, err error) {
	if isMissing(path) {
		if err := removeAll(path); err != nil { // a log without its database
			return "", err
		}
		return "", rename(next, path)
	}
	if aside, err = freeName(path + ".aside-" + now.UTC().Format(copyStamp)); err != nil {
		return "", err
	}
	if isNotFile(path) { // a directory cannot have two names
		if err := os.Rename(path, aside); err != nil {
			return "", fmt.Errorf("keep %s: %w", path, err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		give := os.Link
		if suffix != "" && isNotFile(path+suffix) {
			give = os.Rename
		}
		if err := give(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("keep %s: %w", path+suffix, err)
		}
	}
	if err := fsx.SyncDir(fsx.Host{}, filepath.Dir(path)); err != nil {
		return "", err
	}
	// A log or a journal must never stand beside another database than its own.
	if err := removeFiles(path, "-wal", "-shm", "-journal"); err != nil {
		return "", err
	}
	return aside, rename(next, path)
}

// checkpointClosed moves the log of a closed database into it.
func checkpointClosed(ctx context.Context, path string) error {
	if isMissing(path) {
		return nil
	}
	return withConn(ctx, dsn(path, lockWait), func(conn *sql.Conn) error {
		emptied, err := emptyLog(ctx, conn)
		if err == nil && !emptied {
			err = mem.ErrLocked
		}
		return err
	})
}

// Remove removes a database with SQLite's files beside it.
func Remove(path string) error { return removeAll(path) }

// removeAll removes a database with SQLite's files beside it, the database last.
func removeAll(path string) error { return removeFiles(path, "-wal", "-shm", "-journal", "") }

// removeFiles removes the files with a name and one of the suffixes, in this order, as far as they exist.
func removeFiles(path string, suffixes ...string) error {
	var errs []error
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
