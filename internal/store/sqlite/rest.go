package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// GiveBack frees the pages that idle connections keep in memory. They are read
// again when they are needed.
func (s *Store) GiveBack(ctx context.Context) error {
	const shrink = "PRAGMA shrink_memory"
	unlock, err := s.lock(ctx)
	if err != nil {
		return fmt.Errorf("give back: %w", err)
	}
	_, err = s.conn.ExecContext(ctx, shrink)
	unlock()
	errs := []error{err}
	// Each is held until all are done: the pool gives out the last one returned.
	var held []*sql.Conn
	for range s.read.Stats().Idle {
		c, err := s.read.Conn(ctx)
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
