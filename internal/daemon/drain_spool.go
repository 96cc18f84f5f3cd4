package daemon

import (
	"context"
	"fmt"

	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// DrainSpool stores all events of the spool. An event that cannot be stored although the store works is moved
// to the end of the spool, so that it blocks no others; left counts those. The daemon decides when they are
// given up.
func (h *Daemon) DrainSpool(ctx context.Context) (left int, err error) {
	keep := func(ctx context.Context, events []mem.Event) error {
		if h.replaySafely(ctx, events...) == nil {
			return nil
		}
		for _, e := range events {
			err := h.replaySafely(ctx, e)
			if err == nil {
				continue
			}
			if ctx.Err() != nil || sqlite.AtFault(err) {
				return err
			}
			h.log.Warn("event cannot be kept", "kind", e.Kind, "id", e.ID, "error", err)
			if _, err := h.spool.Handle(ctx, e); err != nil {
				return err
			}
			left++
		}
		return nil
	}
	for left == 0 && !h.spool.Empty() {
		if n, err := h.spool.Drain(ctx, 0, keep); err != nil {
			return left, fmt.Errorf("take in the spool: %w", err)
		} else if n == 0 {
			break
		}
	}
	return left, nil
}

// replaySafely stores events; a panic becomes an error.
func (h *Daemon) replaySafely(ctx context.Context, events ...mem.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return h.Engine.Replay(ctx, events)
}

// spooledUnreached notifies the person of spooled events that a purge did not reach.
func (h *Daemon) spooledUnreached(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fault.Count(n, "event that", "events that") + " cannot be kept, in the spool: " + h.Paths.Spool()}
}
