//go:build !surreal && !backends

package surreal

import (
	"context"
	"errors"

	"remanence/internal/store/stored"
)

// Built is whether the program has the client of SurrealDB.
const Built = false

// Open returns an error.
func Open(context.Context, Config) (stored.ServerStore, error) { return nil, ErrNotBuilt }

// Look returns an error.
func Look(context.Context, Config) (stored.Target, error) { return stored.Target{}, ErrNotBuilt }

// AtFault reports whether the store is the cause of an error: without it, it is of none but that of Open.
func AtFault(err error) bool { return errors.Is(err, ErrNotBuilt) }
