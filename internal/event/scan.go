package event

import (
	"context"
	"time"

	"remanence/internal/mem"
)

// Rehearser is a store that can tell what a purge would erase.
type Rehearser interface {
	Doomed(ctx context.Context, ids ...string) ([]mem.Memory, mem.Purged, error)
	Condemned(ctx context.Context, ids ...string) ([]mem.Memory, error)
}

// gravekeeper is a store that knows until when something of a session was erased.
type gravekeeper interface {
	ErasedUntil(ctx context.Context, session string) (time.Time, error)
}
