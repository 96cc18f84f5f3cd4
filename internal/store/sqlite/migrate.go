package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"remanence/internal/mem"
)

//go:embed schema/*.sql
var schemas embed.FS

// applicationID marks a file as ours: "Rmnc".
const applicationID = 0x526d6e63

// migrate brings the database to the newest schema.
func (db *database) migrate(ctx context.Context) error {
	steps, err := migrations()
	if err != nil {
		return err
	}
	return db.migrateTo(ctx, steps)
}

// migrateTo applies the steps that are missing. A database that holds something is copied first.
func (db *database) migrateTo(ctx context.Context, steps []string) error {
	have, err := identify(ctx, db.conn)
	if err != nil {
		return err
	}
	if have > len(steps) {
		return fmt.Errorf("%w: schema %d, this one knows %d", mem.ErrNewer, have, len(steps))
	}
	if err := closeToOthers(db.path); err != nil {
		return err
	}
	if err := db.setJournal(ctx); err != nil {
		return err
	}
	if have > 0 && have < len(steps) {
		if err := db.Backup(ctx, db.copyName(have)); err != nil {
			return fmt.Errorf("copy before migration: %w", err)
		}
	}
	if have < len(steps) {
		if err := db.advance(ctx, have, steps); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", len(steps), err)
		}
	}
	return db.provesWritable(ctx)
}

// journalWait is how long to wait before the journal is chosen once more.
const journalWait = 10 * time.Millisecond

// setJournal chooses how changes are made safe: by a log, or by a journal where
// the log cannot be relied on.
func (db *database) setJournal(ctx context.Context) error {
	want, got := "wal", ""
	if db.shared {
		want = "delete"
	}
	// Where two would wait for each other SQLite does not wait at all.
	for patience := db.busy; ; patience -= journalWait {
		err := db.conn.QueryRowContext(ctx, "PRAGMA journal_mode="+want).Scan(&got)
		if err == nil {
			break
		}
		if !isLocked(err) || patience <= 0 {
			return err
		}
		time.Sleep(journalWait)
	}
	if got != want {
		return fmt.Errorf("journal mode is %s, not %s", got, want)
	}
	if !db.shared {
		return nil
	}
	// A journal is gone for good only once its directory is on the disk, too.
	_, err := db.conn.ExecContext(ctx, "PRAGMA synchronous=EXTRA")
	return err
}

// migrations returns the text of every step in order.
func migrations() ([]string, error) {
	entries, err := schemas.ReadDir("schema") // sorted by name
	if err != nil {
		return nil, err
	}
	steps := make([]string, 0, len(entries))
	for i, e := range entries {
		if !strings.HasPrefix(e.Name(), fmt.Sprintf("%04d_", i+1)) {
			return nil, fmt.Errorf("schema %s is out of order", e.Name())
		}
		text, err := schemas.ReadFile("schema/" + e.Name())
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}

// identify returns the schema's number, 0 for an empty file.
func identify(ctx context.Context, conn *sql.Conn) (int, error) {
	var app, version, objects int
	// In one statement: another process may be making the database just now.
	err := conn.QueryRowContext(ctx, `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`).Scan(&app, &version, &objects)
	if err != nil {
		return 0, err
	}
	switch {
	case app == applicationID && version < 1: // both are written in one step
		return 0, fmt.Errorf("%w: schema %d", mem.ErrCorrupt, version)
	case app == applicationID:
		return version, nil
	case app == 0 && version == 0 && objects == 0:
		return 0, nil
	default:
		return 0, mem.ErrForeign
	}
}

// advance applies the steps that come after from, all or none, unless another
// process did it in the meantime: nobody ever sees a schema between two versions.
func (db *database) advance(ctx context.Context, from int, steps []string) error {
	return db.transact(ctx, func(w *writer) error {
		var have int
		if err := w.get(ctx, "PRAGMA user_version", nil, &have); err != nil {
			return err
		}
		if have != from {
			return nil
		}
		for n, text := range steps[from:] {
			if _, err := db.conn.ExecContext(ctx, text); err != nil {
				return fmt.Errorf("step %d: %w", from+n+1, err)
			}
		}
		// The numbers are ours; a pragma takes no parameters.
		_, err := db.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d;\nPRAGMA user_version=%d;", applicationID,
			len(steps)))
		return err
	})
}

// provesWritable takes the write lock once, so that a database that cannot be
// written is found here and not at the first event.
func (db *database) provesWritable(ctx context.Context) error {
	return db.transact(ctx, func(*writer) error { return nil })
}

// copyName is where the copy before a migration goes.
func (db *database) copyName(version int) string {
	return fmt.Sprintf("%s.schema%d", db.path, version)
}

// Backup writes a consistent copy of the database to path, which nobody else
// can read. A file that is there is replaced.
func (db *database) Backup(ctx context.Context, path string) error {
	next := path + ".part"
	if err := vacuumInto(ctx, dsn(db.path, db.busy), next); err != nil {
		_ = os.Remove(next)
		return fmt.Errorf("copy to %s: %w", path, translate(err))
	}
	if err := os.Rename(next, path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncFile brings a file to the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
