package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// keptReaders is how many connections for reading stay open while the store is
// idle. Each has prepared statements of one to two megabytes.
const keptReaders = 1

// ReleaseMemory closes idle connections for reading and frees the pages that the
// others keep in memory. They are read again when they are needed.
func (db *database) ReleaseMemory(ctx context.Context) error {
	const shrink = "PRAGMA shrink_memory"
	unlock, err := db.lock(ctx)
	if err != nil {
		return wrap("release memory", err)
	}
	_, err = db.conn.ExecContext(ctx, shrink)
	unlock()
	errs := []error{err}
	db.read.SetMaxIdleConns(keptReaders)
	db.read.SetMaxIdleConns(readers)
	// Each connection is kept until all are done: the pool hands out the last one returned.
	var used []*sql.Conn
	for range db.read.Stats().Idle {
		c, err := db.read.Conn(ctx)
		if err != nil {
			errs = append(errs, err)
			break
		}
		used = append(used, c)
		_, err = c.ExecContext(ctx, shrink)
		errs = append(errs, err)
	}
	for _, c := range used {
		errs = append(errs, c.Close())
	}
	return wrap("release memory", errors.Join(errs...))
}
