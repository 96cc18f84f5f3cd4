package mem

import (
	"context"
	"time"
)

// Retainer is a Store that lets go of what is old.
type Retainer interface {
	// DropPayloads leaves only the Husk of events that were received before a
	// time. It looks at events in the order of arrival, n of them at most,
	// beginning with the one whose place is from. It returns the place to go on
	// from, 0 when the last event was looked at, and how many it dropped: no
	// more than n, and none a second time.
	DropPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, dropped int, err error)
	// DropJobs deletes jobs that are given up, n of them at most, and returns how
	// many. Those stay that were made, or were to be tried again, at a time or later.
	DropJobs(ctx context.Context, before time.Time, n int) (dropped int, err error)
}
