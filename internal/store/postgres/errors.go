//go:build postgres || backends

package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"remanence/internal/mem"
)

// codeOf is the SQLSTATE of an error of the server: https://www.postgresql.org/docs/current/errcodes-appendix.html
func codeOf(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

// sentinels are the errors of package mem by SQLSTATE, or by its class, the first two characters.
var sentinels = map[string]error{
	"55P03": mem.ErrLocked, "57014": mem.ErrLocked, "40P01": mem.ErrLocked, "40001": mem.ErrLocked,
	"53100": mem.ErrFull, "53": mem.ErrAway, "25006": mem.ErrReadOnly, "42501": mem.ErrReadOnly,
	"58030": mem.ErrDisk, "58": mem.ErrDisk, "XX001": mem.ErrCorrupt, "XX002": mem.ErrCorrupt,
	"08": mem.ErrAway, "57": mem.ErrAway, "25P03": mem.ErrAway,
}

// translate adds the sentinel of package mem that applies to an error.
func translate(err error) error {
	code := codeOf(err)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return mem.ErrNotFound // the text of pgx.ErrNoRows adds nothing
	case code == "":
		if isAway(err) {
			return fmt.Errorf("%w: %w", mem.ErrAway, err)
		}
		return err
	}
	for _, key := range []string{code, code[:2]} {
		if s, ok := sentinels[key]; ok && !errors.Is(err, s) {
			return fmt.Errorf("%w: %w", s, err)
		}
	}
	return err
}

// isAway reports whether the server could not be reached or the connection broke.
func isAway(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) || pgconn.Timeout(err) || isEOF(err)
}

// AtFault reports whether the store is the cause of an error, not the caller's data: the same call may succeed later.
func AtFault(err error) bool {
	switch code := codeOf(err); {
	case code != "":
		switch code {
		case "42501", "42P01", "42703": // a right was revoked, or a table or column is missing: another schema
			return true
		}
		return !slices.Contains([]string{"22", "23", "42", "54"}, code[:2])
	default:
		return errors.Is(err, mem.ErrAway) || isAway(err)
	}
}

// wrap translates an error and says what was being done; nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, translate(err))
}
