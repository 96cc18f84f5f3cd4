package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// keptReaders is how many connections for reading stay open when it is quiet.
// Each has statements prepared, one to two megabytes.
const keptReaders = 1

// GiveBack closes the connections for reading that a bustle opened and nobody
// uses, and frees the pages that the others keep in memory. They are read again
// when they are needed.
func (db *database) GiveBack(ctx context.Context) error {
	const shrink = "PRAGMA shrink_memory"
	unlock, err := db.lock(ctx)
	if err != nil {
		return fmt.Errorf("give back: %w", err)
	}
	_, err = db.conn.ExecContext(ctx, shrink)
	unlock()
	errs := []error{err}
	db.read.SetMaxIdleConns(keptReaders)
	db.read.SetMaxIdleConns(readers)
	// Each is held until all are done: the pool gives out the last one returned.
	var held []*sql.Conn
	for range db.read.Stats().Idle {
		c, err := db.read.Conn(ctx)
		if err != nil {
			errs = append(errs, err)
			break
		}
		held = append(held, c)
		_, err = c.ExecContext(ctx, shrink)
		errs = append(errs, err)
	}
	for _, c := range held {
		errs = append(errs, c.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("give back: %w", translate(err))
	}
	return nil
}
