package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"remanence/internal/fault"
	"remanence/internal/mem"
)

// Errors of the protocol. Those of package mem are transmitted as well.
var (
	ErrInvalid      = errors.New("request not understood")
	ErrUnknownRoute = errors.New("no such route")
	// ErrUnreachable means that no daemon could be connected to: nothing was sent.
	// It wraps the cause: fs.ErrPermission indicates a sandbox.
	ErrUnreachable = errors.New("no daemon reached")
	// ErrGone means that the daemon ended during the request, or accepted the
	// connection while draining. The request may have been carried out or not.
	ErrGone = errors.New("the daemon ended during the request")
)

// Error is an error response of the daemon.
type Error struct {
	Status int    // HTTP status
	Name   string // stable: "not_found", "unauthorized" …
	Detail string // for people
	Fix    string // how to fix it; "" if unknown
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

// Unwrap returns the sentinel that Name stands for, so that errors.Is works.
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

// known lists the errors that keep their identity on the wire.
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

// asError converts an error to the form of the wire.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	input, _ := errors.AsType[fault.Fault](err) // in a query
	for _, k := range known() {
		if errors.Is(err, k.err) {
			return &Error{Status: k.status, Name: k.name, Detail: err.Error(), Fix: strings.Join(input.Fix, "; ")}
		}
	}
	return &Error{Status: http.StatusInternalServerError, Name: "internal", Detail: err.Error()}
}

// problem is an Error as problem JSON (RFC 9457), with the additional members fix and error.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty"`
	Fix    string `json:"fix,omitempty"`
	Name   string `json:"error"`
}
