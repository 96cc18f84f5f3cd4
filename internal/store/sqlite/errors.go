package sqlite

import (
	"database/sql"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
)

// primary returns SQLite's primary result code, 0 for any other error.
func primary(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// isDamage reports whether SQLite found the file's content wrong. A full disk,
// a missing right or a lock is not that.
func isDamage(err error) bool { return primary(err) == code.SQLITE_CORRUPT }

// isLocked reports whether another program kept us out for as long as we wait.
func isLocked(err error) bool {
	c := primary(err)
	return c == code.SQLITE_BUSY || c == code.SQLITE_LOCKED
}

// translate puts mem's words before SQLite's where callers act on them.
func translate(err error) error {
	switch {
	case isLocked(err):
		return fmt.Errorf("%w: %w", mem.ErrLocked, err)
	case primary(err) == code.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", mem.ErrForeign, err)
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: %w", mem.ErrNotFound, err)
	}
	return err
}
