package daemon

import (
	"context"
	"fmt"

	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/store/sqlite"
)

// DrainSpool takes in all that waits in the spool. What cannot be kept although
// the store works goes back to its end, where it holds up nothing that somebody
// waits for; left is how many events those are. Whether they are ever given up
// is the daemon's to judge.
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

// replayed keeps events; a panic is an error.
func (h *Daemon) replaySafely(ctx context.Context, events ...mem.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return h.Engine.Replay(ctx, events)
}

// stillSpooled tells the person of events that erasing did not reach, for they
// are not taken in.
func (h *Daemon) spooledUnreached(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fault.Count(n, "event that", "events that") + " cannot be kept, in the spool: " + h.Paths.Spool()}
}
