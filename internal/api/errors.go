package api

import (
	"context"
	"errors"
	"net/http"

	"remanence/internal/mem"
)

// Errors of the contract itself. Those of package mem travel as well.
var (
	ErrInvalid      = errors.New("request not understood")
	ErrUnknownRoute = errors.New("no such route")
	// ErrUnreachable means that no worker could be connected to: nothing was
	// sent. The cause is wrapped too: fs.ErrPermission tells a sandbox.
	ErrUnreachable = errors.New("no worker reached")
	// ErrGone means that the worker ended while it was asked, or that one on its
	// way out still took the connection: what was asked may be done or not.
	ErrGone = errors.New("the worker ended while it was asked")
)

// Error is a refusal or failure that the worker answered with.
type Error struct {
	Status int    // HTTP status
	Name   string // ours, stable: "not_found", "unauthorized" …
	Detail string // for people
	Fix    string // what puts it right; "" if nobody knows
}

// NameInvalid is the name of ErrInvalid.
const NameInvalid = "invalid"

// Error implements error.
func (e *Error) Error() string {
	if e.Detail == "" {
		return e.Name
	}
	return e.Detail
}

// Unwrap makes errors.Is find the sentinel that the worker met.
func (e *Error) Unwrap() error {
	for _, k := range known() {
		if k.name == e.Name {
			return k.err
		}
	}
	return nil
}

type knownError struct {
	err    error
	name   string
	status int
}

// known are the errors that keep their meaning on the wire.
func known() []knownError {
	return []knownError{
		{ErrInvalid, NameInvalid, http.StatusBadRequest},
		{ErrUnknownRoute, "unknown_route", http.StatusNotFound},
		{mem.ErrNotFound, "not_found", http.StatusNotFound},
		{mem.ErrAmbiguous, "ambiguous", http.StatusConflict},
		{mem.ErrNewer, "newer", http.StatusConflict},
		{mem.ErrForeign, "foreign", http.StatusConflict},
		{mem.ErrCorrupt, "corrupt", http.StatusInternalServerError},
		{mem.ErrLocked, "locked", http.StatusServiceUnavailable},
		{mem.ErrNoStore, "no_store", http.StatusServiceUnavailable},
		{mem.ErrFull, "full", http.StatusInsufficientStorage},
		{mem.ErrReadOnly, "read_only", http.StatusInsufficientStorage},
		{mem.ErrUnsafe, "unsafe", http.StatusConflict},
		{mem.ErrDisk, "disk", http.StatusInsufficientStorage},
		{context.DeadlineExceeded, "deadline", http.StatusGatewayTimeout},
		{context.Canceled, "canceled", http.StatusServiceUnavailable},
	}
}

// asError puts any error into the form of the wire.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	for _, k := range known() {
		if errors.Is(err, k.err) {
			return &Error{Status: k.status, Name: k.name, Detail: err.Error()}
		}
	}
	return &Error{Status: http.StatusInternalServerError, Name: "internal", Detail: err.Error()}
}

// problem is an Error in the JSON form of RFC 9457, with our name added, and what puts it right.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Fix    string `json:"fix,omitempty"`
	Name   string `json:"error"`
}
