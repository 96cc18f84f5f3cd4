package curate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
)

// letGoEvents is how many events one step of LetGo looks at. Few of them have
// something to drop.
const retentionEvents = 500

// letGoJobs is how many jobs one round deletes at most. Few are ever given up.
const retentionJobs = 500

// Gone is what a step of LetGo let go of, and where the next begins.
type Gone struct {
	Payloads int   // dropped; the rows of their events stay
	Jobs     int   // that had been given up, deleted
	Memories int   // erased, as by Purge
	Next     int64 // place of the event to go on from
	More     bool  // there may be more to do
}

// LetGo does one short step of what the person's retention rules ask for. What
// was forgotten long ago is erased, one memory a step, since each is looked for
// in every text that is kept. Then what agents reported word for word is
// dropped, from the event on whose place is from; 0 begins a round. At its end
// go jobs that were given up as long ago: what they were to work on is gone. A
// store that cannot drop either keeps them. With copies, the store has copies that
// the person made or may still need; they would have to go with what is erased,
// and so that waits.
func (s *Service) LetGo(ctx context.Context, from int64, copies bool) (Gone, error) {
	settings := s.Settings()
	var failed error
	if before, ok := s.Event.DaysAgo(settings.HideDays); ok && from == 0 && !copies {
		n, err := s.eraseForgotten(ctx, before)
		if n > 0 {
			return Gone{Memories: n, More: true}, nil
		}
		failed = err
	}
	r, able := s.Store.(mem.Retainer)
	before, ok := s.Event.KeptSince()
	if !able || !ok {
		return Gone{}, failed
	}
	next, n, err := r.DropPayloads(ctx, before, from, retentionEvents)
	if err != nil {
		return Gone{Payloads: n}, errors.Join(failed, fmt.Errorf("let go: %w", err))
	}
	gone := Gone{Payloads: n, Next: next, More: next > 0}
	if !gone.More {
		if gone.Jobs, err = r.DropJobs(ctx, before, retentionJobs); err != nil {
			failed = errors.Join(failed, fmt.Errorf("let go: %w", err))
		}
	}
	return gone, failed
}

// eraseForgotten erases one memory that was forgotten before a time, and says
// how many that were. One whose file came back to the vault is forgotten no more.
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
