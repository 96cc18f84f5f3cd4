//go:build !postgres && !backends

package postgres

import (
	"context"
	"errors"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
)

// Built is whether the program has the client of PostgreSQL.
const Built = false

// Store is a store that cannot be opened.
type Store struct {
	mem.Store
	records
}

// records are the methods for copies and exports.
type records interface {
	mem.RecordStore
	mem.MoveStore
}

// Open returns an error.
func Open(context.Context, Config) (*Store, error) { return nil, ErrNotBuilt }

// Server returns an error.
func (*Store) Server(context.Context) (stored.Server, error) { return stored.Server{}, ErrNotBuilt }

// BeginCopy returns an error.
func (*Store) BeginCopy(context.Context, string) (bool, error) { return false, ErrNotBuilt }

// ClearCopy returns an error.
func (*Store) ClearCopy(context.Context) error { return ErrNotBuilt }

// EndCopy returns an error.
func (*Store) EndCopy(context.Context) error { return ErrNotBuilt }

// Look returns an error.
func Look(context.Context, Config) (stored.Target, error) { return stored.Target{}, ErrNotBuilt }

// Notify returns an error.
func (*Store) Notify(context.Context, string) error { return ErrNotBuilt }

// Listen returns an error.
func (*Store) Listen(context.Context, func(), func(string)) error { return ErrNotBuilt }

// AtFault reports whether the store is the cause of an error: without it, it is of none but that of Open.
func AtFault(err error) bool { return errors.Is(err, ErrNotBuilt) }
