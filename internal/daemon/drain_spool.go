package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"remanence/internal/fault"
	"remanence/internal/mem"
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
			if ctx.Err() != nil || atFault(err) {
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

// replaySafely stores events of the spool; a panic becomes an error. When it returns nil, they survive a power cut: one
// sync serves all of them.
func (h *Daemon) replaySafely(ctx context.Context, events ...mem.Event) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := h.Engine.Replay(ctx, events); err != nil {
		return err
	}
	if h.file == nil {
		return nil // the server has synced it
	}
	return syncLog(h.Paths.Database())
}

// syncLog makes what is committed to the write-ahead log of a database durable. Without a log it is durable already.
func syncLog(database string) error {
	log, err := os.OpenFile(database+"-wal", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sync the store: %w", err)
	}
	if err := errors.Join(log.Sync(), log.Close()); err != nil {
		return fmt.Errorf("sync the store: %w", err)
	}
	return nil
}

// spooledUnreached notifies the person of spooled events that a purge did not reach.
func (h *Daemon) spooledUnreached(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{fault.Count(n, "event that", "events that") + " cannot be kept, in the spool: " + h.Paths.Spool()}
}
