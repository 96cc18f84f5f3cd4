//go:build !postgres && !backends

package postgres

import (
	"context"
	"errors"

	"remanence/internal/store/stored"
)

// Built is whether the program has the client of PostgreSQL.
const Built = false

// Open returns an error.
func Open(context.Context, Config) (stored.ServerStore, error) { return nil, ErrNotBuilt }

// Look returns an error.
func Look(context.Context, Config) (stored.Target, error) { return stored.Target{}, ErrNotBuilt }

// OpenTeam returns an error.
func OpenTeam(context.Context, Config, string) (stored.TeamStore, error) { return nil, ErrNotBuilt }

// AtFault reports whether the store is the cause of an error: without it, it is of none but that of Open.
func AtFault(err error) bool { return errors.Is(err, ErrNotBuilt) }
