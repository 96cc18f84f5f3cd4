package sqlite

import (
	"context"
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

// isDamage reports whether SQLite found the file damaged. A full disk, a missing permission or a lock is no damage.
func isDamage(err error) bool { return primary(err) == code.SQLITE_CORRUPT }

// isMisread reports whether a correct query failed because of what it read. FTS5
// reports some damage of its tables as SQLITE_ERROR.
func isMisread(err error) bool { return isDamage(err) || primary(err) == code.SQLITE_ERROR }

// Suspect reports whether damage may be the cause of an error, so that the database should be checked.
func Suspect(err error) bool { return Damaged(err) || isMisread(err) }

// Damaged reports whether SQLite found the database damaged. A single bad read is no proof; [maintenance.Audit] is.
func Damaged(err error) bool { return isDamage(err) || errors.Is(err, mem.ErrCorrupt) }

// AtFault reports whether the store is the cause of an error, not the caller's data: the same call may succeed later.
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

// isLocked reports whether another program held a lock for longer than the busy timeout.
func isLocked(err error) bool {
	c := primary(err)
	return c == code.SQLITE_BUSY || c == code.SQLITE_LOCKED
}

// isFull reports whether no space was left, be it for the shared-memory file of the write-ahead log.
func isFull(err error) bool {
	var e *driver.Error
	return errors.As(err, &e) && (e.Code()&0xff == code.SQLITE_FULL || e.Code() == code.SQLITE_IOERR_SHMSIZE)
}

// isReadOnly reports whether the process may not write the file.
func isReadOnly(err error) bool {
	switch primary(err) {
	case code.SQLITE_READONLY, code.SQLITE_PERM, code.SQLITE_CANTOPEN:
		return true
	}
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

// isMisfit reports whether the values of a row violate its table's types or constraints.
func isMisfit(err error) bool {
	switch primary(err) {
	case code.SQLITE_CONSTRAINT, code.SQLITE_MISMATCH, code.SQLITE_TOOBIG:
		return true
	}
	return false
}

// translate adds the sentinel of package mem or context that applies to an error of SQLite or the system.
func translate(err error) error {
	switch {
	// Nothing but the end of a query's context interrupts it or ends its transaction early.
	case primary(err) == code.SQLITE_INTERRUPT, errors.Is(err, sql.ErrTxDone):
		return fmt.Errorf("%w: %w", context.Canceled, err)
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
		return mem.ErrNotFound // the text of sql.ErrNoRows adds nothing
	}
	return err
}

// wrap translates an error and says what was being done; nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, translate(err))
}
