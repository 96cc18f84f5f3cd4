//go:build !postgres && !backends

package postgres

import (
	"context"
	"errors"

	"remanence/internal/mem"
)

// Built is whether the program has the client of PostgreSQL.
const Built = false

// Store is a store that cannot be opened.
type Store struct{ mem.Store }

// Open returns an error.
func Open(context.Context, Config) (*Store, error) { return nil, ErrNotBuilt }

// Server returns an error.
func (*Store) Server(context.Context) (Server, error) { return Server{}, ErrNotBuilt }

// AtFault reports whether the store is the cause of an error: without it, it is of none but that of Open.
func AtFault(err error) bool { return errors.Is(err, ErrNotBuilt) }
