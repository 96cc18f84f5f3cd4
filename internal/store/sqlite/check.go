package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"remanence/internal/mem"
)

// Health is what Check found out.
type Health struct {
	Path    string
	Schema  int
	SQLite  string      // version of the library
	Journal string      // "wal" where all is well
	Mode    fs.FileMode // of the file; 0600 where all is well
	Bytes   int64       // of database and log
	Log     int64       // bytes of the log
	Err     error       // the first thing that is wrong; mem.ErrCorrupt for damage
}

// Check looks at the database without changing it. It reads all of it.
func (s *Store) Check(ctx context.Context) Health {
	h := Health{Path: s.path, Log: fileSize(s.path + "-wal")}
	h.Bytes = fileSize(s.path) + h.Log
	if info, err := os.Stat(s.path); err == nil {
		h.Mode = info.Mode()
	}
	for _, q := range []struct {
		query string
		dest  any
	}{{"PRAGMA user_version", &h.Schema}, {"PRAGMA journal_mode", &h.Journal}, {"SELECT sqlite_version()", &h.SQLite}} {
		if err := s.read.QueryRowContext(ctx, q.query).Scan(q.dest); err != nil {
			h.Err = errors.Join(h.Err, fmt.Errorf("check %s: %w", s.path, translate(err)))
		}
	}
	h.Err = errors.Join(h.Err, s.integrity(ctx))
	return h
}

// integrity asks twice before it speaks of damage, each time on a connection of
// its own: one that checked before compares what is there now with what it
// remembers of the full-text index.
func (s *Store) integrity(ctx context.Context) error {
	var fault error
	for range 2 {
		said, err := s.quickCheck(ctx)
		switch {
		case err == nil && said == "ok":
			return nil
		case err == nil:
			fault = errors.New(said)
		case isMisread(err):
			fault = err
		default:
			return fmt.Errorf("check %s: %w", s.path, translate(err))
		}
	}
	return fmt.Errorf("check %s: %w: %w", s.path, mem.ErrCorrupt, fault)
}

func (s *Store) quickCheck(ctx context.Context) (said string, err error) {
	db, err := sql.Open("sqlite", dsn(s.path, s.busy, "query_only(1)"))
	if err != nil {
		return "", err
	}
	defer db.Close()
	err = db.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&said)
	return said, err
}
