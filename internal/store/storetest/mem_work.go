package storetest

import (
	"cmp"
	"context"
	"slices"
	"time"

	"remanence/internal/mem"
)

var (
	_ mem.LaneLeaser = (*Mem)(nil)
	_ mem.SpendStore = (*Mem)(nil)
)

// Lease implements mem.Store.
func (s *Mem) Lease(ctx context.Context, now time.Time, lease time.Duration, n int) ([]mem.Job, error) {
	return s.LeaseOf(ctx, nil, true, now, lease, n)
}

// LeaseOf implements mem.Lanes.
func (s *Mem) LeaseOf(ctx context.Context, kinds []string, others bool, now time.Time, lease time.Duration, n int) ([]mem.Job, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var due []*job
	for _, j := range s.jobs {
		if j.Dead || j.NotBy.After(now) || j.leased.After(now) || slices.Contains(kinds, j.Kind) == others || s.failed(j).until.After(now) {
			continue
		}
		due = append(due, j)
	}
	slices.SortStableFunc(due, func(a, b *job) int { return cmp.Compare(s.failed(a).tries, s.failed(b).tries) })
	due = due[:min(max(n, 0), len(due))]
	var taken []mem.Job
	for _, j := range due {
		j.Attempts++
		j.leased = now.Add(lease)
		taken = append(taken, j.Job)
	}
	return taken, nil
}

// failure is what went wrong with jobs of a session and kind: how often one was
// tried, and until when the last rests.
type failure struct {
	tries int
	until time.Time
}

func (s *Mem) failed(j *job) (f failure) {
	for _, o := range s.jobs {
		if o.Error == "" || o.Session == "" || o.Session != j.Session || o.Kind != j.Kind {
			continue
		}
		f.tries = max(f.tries, o.Attempts)
		if !o.Dead && o.NotBy.After(f.until) {
			f.until = o.NotBy
		}
	}
	return f
}

// JobsOf implements mem.Lanes.
func (s *Mem) JobsOf(ctx context.Context, kind string, limit int) ([]mem.Job, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var found []mem.Job
	for _, j := range s.jobs {
		if j.Kind == kind && len(found) < limit {
			found = append(found, j.Job)
		}
	}
	return found, nil
}

func (s *Mem) addSpent(more *mem.Spending) {
	if more == nil {
		return
	}
	sum := s.spent[more.Day]
	s.spent[more.Day] = mem.Spending{
		Day: more.Day, Tokens: sum.Tokens + more.Tokens, Calls: sum.Calls + more.Calls, Failures: sum.Failures + more.Failures,
	}
}

// Spent implements mem.Ledger.
func (s *Mem) Spent(ctx context.Context, day string) (mem.Spending, error) {
	unlock, err := s.enter(ctx)
	if err != nil {
		return mem.Spending{}, err
	}
	defer unlock()
	sum := s.spent[day]
	sum.Day = day
	return sum, nil
}
