package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"remanence/internal/mem"
)

// OpenForReading opens the database of a daemon that does not answer. The Store can
// only be read. It waits for a lock no longer than busy. The schema must be that of
// this version: mem.ErrNewer if it is newer, mem.ErrForeign for any other.
// fs.ErrNotExist if there is no database.
func OpenForReading(ctx context.Context, path string, busy time.Duration) (*Store, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool, err := sql.Open("sqlite", dsn(path, busy, "query_only(1)")+"&mode=ro")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db := newDatabase(Config{Path: path, Busy: busy})
	db.read = &reader{DB: pool, of: db, stmts: map[string]*sql.Stmt{}}
	steps, err := migrations()
	var app, version int
	if err == nil {
		err = pool.QueryRowContext(ctx,
			"SELECT application_id, user_version FROM pragma_application_id, pragma_user_version").Scan(&app, &version)
	}
	switch {
	case err != nil:
	case app == applicationID && version > len(steps):
		err = mem.ErrNewer
	case app != applicationID || version != len(steps):
		err = mem.ErrForeign
	}
	if err != nil {
		return nil, errors.Join(wrap("open "+path, err), db.Close())
	}
	return newStore(db), nil
}
