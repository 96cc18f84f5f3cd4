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

	"remanence/internal/mem"
)

// The functions of this file work on a database that nobody has open: their
// caller holds the worker's lock. They prepare another database beside it and
// then let that take its name, so that at every moment there is a whole one.

// lockWait is how long a database that nobody should have open is waited for.
const lockWait = time.Second

// Restored says what a restore did.
type Restored struct {
	Schema int    // of the file that was restored; an older one was migrated
	Aside  string // where the database of before is; "" if there was none
}

// Restore puts a copy of the file from into the database's place and keeps what
// is there, damaged or not, aside. Before anything is changed, the file is
// found sound and its copy brought to the newest schema: mem.ErrNewer,
// mem.ErrForeign, mem.ErrCorrupt or fs.ErrNotExist otherwise. mem.ErrLocked if
// another program has the present database open.
func Restore(ctx context.Context, path, from string, now time.Time) (Restored, error) {
	found, err := Inspect(ctx, from)
	if err != nil {
		return Restored{}, err
	}
	next := path + ".next"
	err = copyInto(ctx, from, next)
	if err == nil {
		err = settle(ctx, next)
	}
	if err == nil {
		if err = foldLog(ctx, path); !isLocked(err) && !errors.Is(err, mem.ErrLocked) {
			err = nil // a damaged one keeps its log
		}
	}
	var aside string
	if err == nil {
		aside, err = takePlace(path, next, now)
	}
	if err != nil {
		return Restored{}, errors.Join(fmt.Errorf("restore %s: %w", from, translate(err)), removeAll(next))
	}
	return Restored{Schema: found.Schema, Aside: aside}, nil
}

// Vacuum writes the database anew without its free pages and returns its size
// before and after, in bytes. A damaged one is left as it is: mem.ErrCorrupt.
// For a moment both are on the disk.
func Vacuum(ctx context.Context, path string) (before, after int64, err error) {
	if _, err := Inspect(ctx, path); err != nil {
		return 0, 0, err
	}
	if err := foldLog(ctx, path); err != nil {
		return 0, 0, fmt.Errorf("vacuum: %w", translate(err))
	}
	before = fileSize(path)
	next := path + ".next"
	err = copyInto(ctx, path, next)
	if err == nil {
		err = settle(ctx, next)
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("vacuum: %w", translate(err)), removeAll(next))
	}
	return before, fileSize(path), syncDir(filepath.Dir(path))
}

// copyInto writes what a sound database holds into a new file.
func copyInto(ctx context.Context, from, to string) error {
	return vacuumInto(ctx, dsn(from, defaultBusy)+"&mode=ro", to)
}

// vacuumInto copies into a new file that nobody else can read, over a connection of
// its own: it may take long, the writer need not wait for it, and readers may write
// nothing, not even elsewhere.
func vacuumInto(ctx context.Context, source, to string) (err error) {
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
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return err
	}
	return syncFile(to)
}

// settle brings a new file to the newest schema, and to one file on the disk.
func settle(ctx context.Context, path string) error {
	s, err := open(ctx, Config{Path: path})
	if err != nil {
		return err
	}
	_, err = s.conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}
	if !missing(path + "-wal") {
		return fmt.Errorf("%s has a log of its own: %w", path, mem.ErrLocked)
	}
	copies, err := filepath.Glob(globQuote(path) + ".schema*")
	for _, c := range copies { // of before the migration: the file itself is still there
		err = errors.Join(err, os.Remove(c))
	}
	return errors.Join(err, syncFile(path))
}

// takePlace gives next the name path. What has that name is linked aside first,
// with its log, that log's index and its journal if it has them.
func takePlace(path, next string, now time.Time) (aside string, err error) {
	if missing(path) {
		if err := removeAll(path); err != nil { // a log without its database
			return "", err
		}
		return "", errors.Join(os.Rename(next, path), syncDir(filepath.Dir(path)))
	}
	if aside, err = freeName(path + ".aside-" + now.UTC().Format(copyStamp)); err != nil {
		return "", err
	}
	if isOther(path) { // has only one name at a time
		if err := os.Rename(path, aside); err != nil {
			return "", fmt.Errorf("keep %s: %w", path, err)
		}
	}
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		give := os.Link
		if suffix != "" && isOther(path+suffix) {
			give = os.Rename
		}
		if err := give(path+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("keep %s: %w", path+suffix, err)
		}
	}
	if err := syncDir(filepath.Dir(path)); err != nil {
		return "", err
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} { // never beside another database than theirs
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return aside, errors.Join(os.Rename(next, path), syncDir(filepath.Dir(path)))
}

// foldLog brings the log of a closed database into it.
func foldLog(ctx context.Context, path string) error {
	if missing(path) {
		return nil
	}
	db, err := sql.Open("sqlite", dsn(path, lockWait))
	if err != nil {
		return err
	}
	var busy, pages, moved int
	err = db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved)
	if err == nil && busy != 0 {
		err = mem.ErrLocked
	}
	return errors.Join(err, db.Close())
}

// removeAll removes a database with what SQLite puts beside it, and the copy of
// one that is not finished.
func removeAll(path string) error {
	var errs []error
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
