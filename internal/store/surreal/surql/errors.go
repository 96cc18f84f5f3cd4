//go:build surreal || backends

package surql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/gorilla/websocket"
	sdk "github.com/surrealdb/surrealdb.go"

	"remanence/internal/mem"
)

// answered returns the text of an error that the server sent, "" if it sent none.
func answered(err error) string {
	if e, ok := errors.AsType[*sdk.QueryError](err); ok {
		return e.Message
	}
	if e, ok := errors.AsType[*sdk.RPCError](err); ok {
		return e.Error()
	}
	return ""
}

// The server has no codes for errors: parts of their texts tell them apart.
var sentinels = []struct {
	part string
	is   error
}{
	{"can be retried", mem.ErrLocked},
	{"write conflict", mem.ErrLocked},
	{"timeout", mem.ErrLocked},
	{"exceeded", mem.ErrLocked},
	{"not enough permissions", mem.ErrReadOnly},
	{"no space left", mem.ErrFull},
	{"input/output error", mem.ErrDisk},
	{"corrupt", mem.ErrCorrupt},
	{"authentication", mem.ErrAway},
	{"session has expired", mem.ErrAway},
	{"token has expired", mem.ErrAway},
	{"transaction not found", mem.ErrAway},
}

// Translate adds the sentinel of package mem that applies to an error.
func Translate(err error) error {
	said := strings.ToLower(answered(err))
	if said == "" {
		if isAway(err) && !errors.Is(err, mem.ErrAway) {
			return fmt.Errorf("%w: %w", mem.ErrAway, err)
		}
		return err
	}
	for _, s := range sentinels {
		if strings.Contains(said, s.part) && !errors.Is(err, s.is) {
			return fmt.Errorf("%w: %w", s.is, err)
		}
	}
	return err
}

// IsConflict reports whether a transaction failed because another one wrote, and may begin anew.
func IsConflict(err error) bool {
	said := strings.ToLower(answered(err))
	return strings.Contains(said, "can be retried") || strings.Contains(said, "write conflict")
}

// isAway reports whether the server could not be reached, the connection broke or no answer came in time.
func isAway(err error) bool {
	if errors.Is(err, mem.ErrAway) {
		return true
	}
	if errors.Is(err, context.Canceled) || answered(err) != "" {
		return false
	}
	if _, ok := errors.AsType[*websocket.CloseError](err); ok {
		return true
	}
	_, isNet := errors.AsType[net.Error](err)
	return isNet || errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, websocket.ErrCloseSent) ||
		errors.Is(err, websocket.ErrBadHandshake) || strings.Contains(err.Error(), "connection is closed") ||
		strings.Contains(err.Error(), "channel closed")
}

// AtFault reports whether the store is the cause of an error, not the caller's data: the same call may succeed later.
func AtFault(err error) bool {
	err = Translate(err)
	for _, s := range []error{mem.ErrAway, mem.ErrLocked, mem.ErrReadOnly, mem.ErrFull, mem.ErrDisk} {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}

// Wrap translates an error and says what was being done; nil stays nil.
func Wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, Translate(err))
}
