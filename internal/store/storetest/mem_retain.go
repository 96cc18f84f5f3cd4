package storetest

import (
	"context"
	"slices"
	"time"

	"remanence/internal/mem"
)

var _ mem.Retainer = (*Mem)(nil)

// DropPayloads implements mem.Retainer.
func (s *Mem) DropPayloads(ctx context.Context, before time.Time, from int64, n int) (next int64, dropped int, err error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer unlock()
	first := max(from, 1)
	for seq := first; seq < first+int64(n) && seq <= int64(len(s.events)); seq++ {
		e := s.events[seq-1]
		if !e.erased && !e.Dropped && e.at.Before(before) {
			e.Event = e.Husk()
			dropped++
		}
	}
	if next = first + int64(n); next > int64(len(s.events)) {
		next = 0
	}
	return next, dropped, nil
}

// DropJobs implements mem.Retainer.
func (s *Mem) DropJobs(ctx context.Context, before time.Time, n int) (dropped int, err error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	s.jobs = slices.DeleteFunc(s.jobs, func(j *job) bool {
		gone := j.Dead && j.Created.Before(before) && j.NotBy.Before(before) && dropped < n
		if gone {
			dropped++
		}
		return gone
	})
	return dropped, nil
}
