package daemon

import (
	"context"
	"time"

	"remanence/internal/api"
	"remanence/internal/event"
)

// backfillPoll is the time between two requests for the progress of a backfill.
const backfillPoll = 300 * time.Millisecond

// FollowBackfill passes the progress of a backfill to show until it is over, and returns the last one. A daemon that
// ends meanwhile is started again.
func (a *Connection) FollowBackfill(ctx context.Context, b event.Backfill, show func(event.Backfill) error) (
	event.Backfill, error,
) {
	for b.Running {
		select {
		case <-ctx.Done():
			return b, ctx.Err()
		case <-time.After(backfillPoll):
		}
		now, err := Ask(ctx, a, api.Backfilling, api.Nothing{})
		if err != nil {
			a.Close()
			a.Caller, a.Close = nil, func() {}
			if now, err = Ask(ctx, a, api.Backfilling, api.Nothing{}); err != nil {
				return b, err
			}
		}
		if now.Sessions == 0 { // stopped by another command
			b.Running = false
			return b, nil
		}
		if err := show(now); err != nil {
			return now, err
		}
		b = now
	}
	return b, nil
}
