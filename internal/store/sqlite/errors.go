package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	driver "modernc.org/sqlite"
	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
)

// primary returns SQLite's primary result code, 0 for any other error.
func primary(err error) int {
	if e, ok := errors.AsType[*driver.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// isDamage reports whether SQLite found the file's content wrong. A full disk,
// a missing right or a lock is not that.
func isDamage(err error) bool { return primary(err) == code.SQLITE_CORRUPT }

// isMisread reports whether a query that is right in itself failed for what it
// read. The full-text index calls some damage of its own a mere error.
func isMisread(err error) bool { return isDamage(err) || primary(err) == code.SQLITE_ERROR }

// Suspect reports whether an error may come of damage: a look at the database is
// worth it.
func Suspect(err error) bool { return Damaged(err) || isMisread(err) }

// Damaged reports whether SQLite found what it read wrong. That alone proves
// little: Check does.
func Damaged(err error) bool { return isDamage(err) || errors.Is(err, mem.ErrCorrupt) }

// AtFault reports whether the store failed, and not what it was given: the same
// may work once the store does.
func AtFault(err error) bool {
	switch primary(err) {
	case 0:
		return errors.Is(err, errClosed)
	case code.SQLITE_ERROR, code.SQLITE_CONSTRAINT, code.SQLITE_MISMATCH, code.SQLITE_TOOBIG, code.SQLITE_RANGE,
		code.SQLITE_MISUSE:
		return false
	}
	return true
}

// isLocked reports whether another program kept us out for as long as we wait.
func isLocked(err error) bool {
	c := primary(err)
	return c == code.SQLITE_BUSY || c == code.SQLITE_LOCKED
}

// isFull reports whether no space was left, be it for the file in memory that
// SQLite puts beside its log.
func isFull(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && (e.Code()&0xff == code.SQLITE_FULL || e.Code() == code.SQLITE_IOERR_SHMSIZE)
}

// isReadOnly reports whether we may not write here.
func isReadOnly(err error) bool {
	switch primary(err) {
	case code.SQLITE_READONLY, code.SQLITE_PERM, code.SQLITE_CANTOPEN:
		return true
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// isMisfit reports whether a row does not fit its table.
func isMisfit(err error) bool {
	switch primary(err) {
	case code.SQLITE_CONSTRAINT, code.SQLITE_MISMATCH, code.SQLITE_TOOBIG:
		return true
	}
	return false
}

// translate puts mem's words before SQLite's where callers act on them.
func translate(err error) error {
	switch {
	case isLocked(err):
		return fmt.Errorf("%w: %w", mem.ErrLocked, err)
	case primary(err) == code.SQLITE_NOTADB:
		return fmt.Errorf("%w: %w", mem.ErrForeign, err)
	case isFull(err), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", mem.ErrFull, err)
	case isReadOnly(err):
		return fmt.Errorf("%w: %w", mem.ErrReadOnly, err)
	case primary(err) == code.SQLITE_IOERR:
		return fmt.Errorf("%w: %w", mem.ErrDisk, err)
	case errors.Is(err, sql.ErrNoRows):
		return mem.ErrNotFound // what the database calls it says no more
	}
	return err
}
