package curate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// retentionEvents is how many events one step examines. Few of them have a payload to drop.
const retentionEvents = 500

// retentionJobs is how many dead jobs one round deletes at most.
const retentionJobs = 500

// RetentionResult reports what one step of LetGo deleted, and where the next step continues.
type RetentionResult struct {
	Payloads int   // dropped payloads; the rows of the events stay
	Jobs     int   // deleted dead jobs
	Memories int   // purged memories
	Next     int64 // position of the event to continue from
	More     bool  // another step may have work
}

// ApplyRetention runs one short step of the retention rules. It first purges forgotten memories, one per step,
// since a purge searches all stored text. Then it drops event payloads, starting at position from; 0
// starts a new round. The last step of a round deletes old dead jobs. copies reports that the store has copies that
// would still contain purged text: purging is then postponed.
func (s *Service) ApplyRetention(ctx context.Context, from int64, copies bool) (RetentionResult, error) {
	settings := s.Settings()
	var failed error
	if before, ok := s.Event.DaysAgo(settings.HideDays); ok && from == 0 && !copies {
		n, err := s.eraseForgotten(ctx, before)
		if n > 0 {
			return RetentionResult{Memories: n, More: true}, nil
		}
		failed = err
	}
	before, ok := s.Event.KeptSince()
	if !ok {
		return RetentionResult{}, failed
	}
	next, n, err := s.Store.DropPayloads(ctx, before, from, retentionEvents)
	if err != nil {
		return RetentionResult{Payloads: n}, errors.Join(failed, fmt.Errorf("retention: %w", err))
	}
	gone := RetentionResult{Payloads: n, Next: next, More: next > 0}
	if !gone.More {
		if gone.Jobs, err = s.Store.DropJobs(ctx, before, retentionJobs); err != nil {
			failed = errors.Join(failed, fmt.Errorf("retention: %w", err))
		}
	}
	return gone, failed
}

// eraseForgotten purges one memory that was forgotten before a time, and returns how many it purged.
// The vault is synced first: a memory whose file came back is not forgotten any more.
func (s *Service) eraseForgotten(ctx context.Context, before time.Time) (int, error) {
	if err := s.SyncVault(ctx, event.Person); err != nil {
		return 0, err
	}
	old, err := s.Store.List(ctx, mem.Query{Hidden: true, Within: "*", HiddenBefore: before, Limit: 1})
	if err != nil || len(old) == 0 {
		return 0, err
	}
	if _, err := s.Purge(ctx, event.IDs{IDs: []string{old[0].ID}}); err != nil {
		return 0, fmt.Errorf("erase %s: %w", old[0].ID, err)
	}
	return 1, nil
}
