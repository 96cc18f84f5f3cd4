package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"remanence/internal/fsx"
	"remanence/internal/mem"
	"remanence/internal/store/stored"
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

// migrateTo applies the missing steps. A database with a schema is copied first.
func (db *database) migrateTo(ctx context.Context, steps []string) error {
	have, err := identify(ctx, db.conn)
	if err != nil {
		return err
	}
	if err := notNewer(have, len(steps)); err != nil {
		return err
	}
	if err := restrictAccess(db.path); err != nil {
		return err
	}
	if err := db.setJournal(ctx); err != nil {
		return err
	}
	if have > 0 && have < len(steps) {
		if err := db.Backup(ctx, fmt.Sprintf("%s.schema%d", db.path, have)); err != nil {
			return fmt.Errorf("copy before migration: %w", err)
		}
	}
	if have < len(steps) {
		if err := db.advance(ctx, have, steps); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", len(steps), err)
		}
	}
	// A database that cannot be written is found here and not at the first event.
	return db.transact(ctx, func(*writer) error { return nil })
}

// journalWait is how long to wait before the journal mode is set again.
const journalWait = 10 * time.Millisecond

// setJournal sets the journal mode: a write-ahead log, or a rollback journal on a
// shared file system.
func (db *database) setJournal(ctx context.Context) error {
	want, got := "wal", ""
	if db.shared {
		want = "delete"
	}
	// SQLite does not wait if two processes would wait for each other.
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
	// The deletion of a journal is durable only after its directory was synced.
	_, err := db.conn.ExecContext(ctx, "PRAGMA synchronous=EXTRA")
	return err
}

// migrations returns the SQL of all steps in order.
func migrations() ([]string, error) { return stored.Migrations(schemas) }

// Schema is the number of the schema that this program reads and writes.
func Schema() (int, error) {
	steps, err := migrations()
	return len(steps), err
}

// notNewer returns mem.ErrNewer for a schema that this version does not know.
func notNewer(schema, known int) error {
	if schema > known {
		return fmt.Errorf("%w: schema %d, this one knows %d", mem.ErrNewer, schema, known)
	}
	return nil
}

// identify returns the schema's number, 0 for an empty file.
func identify(ctx context.Context, conn *sql.Conn) (int, error) {
	var app, version, objects int
	// In one statement: another process may be making the database now.
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

// advance applies the steps after from in one transaction, unless another process
// did it meanwhile. So no process sees a schema between two versions.
func (db *database) advance(ctx context.Context, from int, steps []string) error {
	return db.transact(ctx, func(w *writer) error {
		var have int
		if err := w.get(ctx, stmt("PRAGMA user_version"), &have); err != nil {
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
		// A pragma takes no parameters.
		_, err := db.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id=%d;\nPRAGMA user_version=%d;", applicationID,
			len(steps)))
		return err
	})
}

// Backup writes a consistent copy of the database to path, which other users
// cannot read. It replaces a file that exists.
func (db *database) Backup(ctx context.Context, path string) error {
	next := path + ".part"
	if err := vacuumInto(ctx, dsn(db.path, db.busy), next); err != nil {
		_ = os.Remove(next)
		return wrap("copy to "+path, err)
	}
	return rename(next, path)
}

// rename renames a file of a directory and syncs the directory.
func rename(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return fsx.SyncDir(fsx.Host{}, filepath.Dir(to))
}

// syncFile syncs the content of a file.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
