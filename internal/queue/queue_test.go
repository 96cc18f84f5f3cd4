package queue_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"remanence/internal/mem"
	"remanence/internal/queue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestJobEndsInTheBatchItWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{jobs: []mem.Job{{ID: "j_1"}}}
		q := queue.New(queue.Config{Store: s, Do: func(context.Context, mem.Job) (mem.Batch, error) {
			return mem.Batch{Memories: []mem.Memory{{Title: "learned"}}, FinishedJobs: []string{"j_0"}}, nil
		}})
		running(t, q, func() { time.Sleep(time.Second) })
		if len(s.applied) != 1 || len(s.applied[0].Memories) != 1 ||
			!slices.Equal(s.applied[0].FinishedJobs, []string{"j_0", "j_1"}) {
			t.Errorf("applied %+v, want one batch with the memory and the end of j_0, j_1", s.applied)
		}
		if got, want := q.Counters(), (queue.Counters{Done: 1}); got != want {
			t.Errorf("counters = %+v, want %+v", got, want)
		}
	})
}

func TestJobOfADuplicateBatchEndsAllTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{jobs: []mem.Job{{ID: "j_1"}}, seen: map[string]bool{"e_1": true}}
		q := queue.New(queue.Config{Store: s, Do: func(context.Context, mem.Job) (mem.Batch, error) {
			return mem.Batch{Event: &mem.Event{ID: "e_1"}}, nil
		}})
		running(t, q, func() { time.Sleep(time.Second) })
		if len(s.jobs) != 0 {
			t.Errorf("still waiting: %+v", s.jobs)
		}
	})
}

func TestFailingJobBacksOffAndIsGivenUp(t *testing.T) {
	for name, do := range map[string]func(context.Context, mem.Job) (mem.Batch, error){
		"error": func(context.Context, mem.Job) (mem.Batch, error) { return mem.Batch{}, errors.New("no") },
		"panic": func(context.Context, mem.Job) (mem.Batch, error) { panic("no") },
		"late":  func(ctx context.Context, _ mem.Job) (mem.Batch, error) { <-ctx.Done(); return mem.Batch{}, ctx.Err() },
		"none":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &fake{jobs: []mem.Job{{ID: "j_1"}}}
				q := queue.New(queue.Config{Store: s, Do: do, Lease: time.Millisecond, Every: time.Second})
				running(t, q, func() { time.Sleep(3 * time.Hour) })

				if got := s.jobs[0]; !got.Dead || got.Attempts != queue.MaxAttempts || got.Error == "" {
					t.Errorf("got %+v, want it dead with an error after %d attempts", got, queue.MaxAttempts)
				}
				if got, want := q.Counters(), (queue.Counters{Failed: queue.MaxAttempts, Dead: 1}); got != want {
					t.Errorf("counters = %+v, want %+v", got, want)
				}
				for i, gap := range gaps(s.leased) {
					if want := queue.Backoff(i + 1); gap < want || gap > want+2*time.Second {
						t.Errorf("rest %d = %v, want %v", i+1, gap, want)
					}
				}
			})
		})
	}
}

func TestAServersWishForRestIsHeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{jobs: []mem.Job{{ID: "j_1"}}}
		q := queue.New(queue.Config{Store: s, Do: func(context.Context, mem.Job) (mem.Batch, error) {
			return mem.Batch{}, fmt.Errorf("ask: %w", mem.RetryLater{Wait: 10 * time.Minute, Err: errors.New("status 429")})
		}})
		running(t, q, func() { time.Sleep(15 * time.Minute) })
		if got := gaps(s.leased); len(got) != 1 || got[0] < 10*time.Minute {
			t.Errorf("rests = %v, want one of ten minutes", got)
		}
	})
}

func TestBackoffRunsFromASecondToAnHour(t *testing.T) {
	last := time.Duration(0)
	for n := 1; n < queue.MaxAttempts; n++ {
		got := queue.Backoff(n)
		if got <= last {
			t.Errorf("Backoff(%d) = %v, want more than %v", n, got, last)
		}
		last = got
	}
	for n, want := range map[int]time.Duration{
		-1: time.Second, 0: time.Second, 1: time.Second, 7: time.Hour,
		99: time.Hour,
	} {
		if got := queue.Backoff(n); got != want {
			t.Errorf("Backoff(%d) = %v, want %v", n, got, want)
		}
	}
}

func TestUnwrittenResultIsAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{jobs: []mem.Job{{ID: "j_1"}}, refuse: 1}
		q := queue.New(queue.Config{Store: s, Do: nothing})
		running(t, q, func() { time.Sleep(10 * time.Second) })
		if got, want := q.Counters(), (queue.Counters{Done: 1, Failed: 1}); got != want || len(s.jobs) != 0 {
			t.Errorf("counters = %+v, want %+v; waiting: %+v", got, want, s.jobs)
		}
	})
}

func TestWakeFindsAJobAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		q := queue.New(queue.Config{Store: s, Do: nothing, Every: time.Hour})
		running(t, q, func() {
			synctest.Wait()
			s.add(mem.Job{ID: "j_1"})
			q.Wake()
			q.Wake()
			synctest.Wait()
			if got := q.Counters().Done; got != 1 {
				t.Errorf("done = %d, want 1", got)
			}
		})
	})
}

func TestABacklogIsWorkedOffInOneGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		for i := range 50 {
			s.add(mem.Job{ID: fmt.Sprint("j_", i)})
		}
		q := queue.New(queue.Config{Store: s, Do: nothing, Every: time.Hour, Batch: 4})
		running(t, q, synctest.Wait)
		if got := q.Counters().Done; got != 50 {
			t.Errorf("done = %d, want 50", got)
		}
	})
}

func TestStoreThatFailsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{jobs: []mem.Job{{ID: "j_1"}}, leaseFails: 3}
		q := queue.New(queue.Config{Store: s, Do: nothing})
		running(t, q, func() { time.Sleep(10 * time.Second) })
		if got := q.Counters().Done; got != 1 {
			t.Errorf("done = %d, want 1", got)
		}
	})
}

func TestJobCutOffByTheEndIsHandedBackAndNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{jobs: []mem.Job{{ID: "j_1"}, {ID: "j_2"}}}
		q := queue.New(queue.Config{Store: s, Do: func(ctx context.Context, _ mem.Job) (mem.Batch, error) {
			<-ctx.Done()
			return mem.Batch{}, ctx.Err()
		}})
		running(t, q, synctest.Wait)
		if len(s.applied) != 1 || len(s.applied[0].FailedJobs) != 1 || len(s.applied[0].FinishedJobs) != 0 {
			t.Fatalf("applied %+v, want the one job handed back", s.applied)
		}
		if j := s.applied[0].FailedJobs[0]; j.ID != "j_1" || j.Dead || j.Error != "" || !j.NotBefore.IsZero() ||
			q.Counters().Failed != 0 {
			t.Errorf("handed back %+v, %d failures, want it due at once and no failure", j, q.Counters().Failed)
		}
	})
}

func nothing(context.Context, mem.Job) (mem.Batch, error) { return mem.Batch{}, nil }

// running runs q while during runs.
func running(t *testing.T, q *queue.Queue, during func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); q.Run(ctx) }()
	during()
	cancel()
	<-done
}

func gaps(at []time.Time) []time.Duration {
	var d []time.Duration
	for i := 1; i < len(at); i++ {
		d = append(d, at[i].Sub(at[i-1]))
	}
	return d
}

// fake keeps jobs as a store does.
type fake struct {
	mu         sync.Mutex
	jobs       []mem.Job
	until      map[string]time.Time // of leases
	seen       map[string]bool      // events
	applied    []mem.Batch
	leased     []time.Time
	refuse     int // how many batches with an end are refused
	leaseFails int
}

func (f *fake) add(j mem.Job) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.jobs = append(f.jobs, j)
}

func (f *fake) Lease(_ context.Context, _ mem.JobKinds, now time.Time, lease time.Duration, n int) ([]mem.Job, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.leaseFails > 0 {
		f.leaseFails--
		return nil, mem.ErrLocked
	}
	if f.until == nil {
		f.until = map[string]time.Time{}
	}
	var out []mem.Job
	for i, j := range f.jobs {
		if len(out) == n || j.Dead || j.NotBefore.After(now) || f.until[j.ID].After(now) {
			continue
		}
		f.until[j.ID] = now.Add(lease)
		f.leased = append(f.leased, now)
		f.jobs[i].Attempts++
		out = append(out, f.jobs[i])
	}
	return out, nil
}

func (f *fake) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var results []mem.Result
	for _, b := range batches {
		if b.Event != nil && f.seen[b.Event.ID] {
			results = append(results, mem.Result{Duplicate: true})
			continue
		}
		if len(b.FinishedJobs) > 0 && f.refuse > 0 {
			f.refuse--
			return results, mem.ErrLocked
		}
		f.applied = append(f.applied, b)
		f.jobs = slices.DeleteFunc(f.jobs, func(j mem.Job) bool { return slices.Contains(b.FinishedJobs, j.ID) })
		for _, failed := range b.FailedJobs {
			i := slices.IndexFunc(f.jobs, func(j mem.Job) bool { return j.ID == failed.ID })
			j := &f.jobs[i]
			j.Error, j.NotBefore, j.Dead = failed.Error, failed.NotBefore, failed.Dead
			delete(f.until, j.ID)
		}
		results = append(results, mem.Result{})
	}
	return results, nil
}

func TestABacklogLeavesTimeToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &fake{}
		for i := range 1000 {
			s.jobs = append(s.jobs, mem.Job{ID: fmt.Sprint("j_", i)})
		}
		q := queue.New(queue.Config{Store: s, Do: func(context.Context, mem.Job) (mem.Batch, error) {
			time.Sleep(10 * time.Millisecond)
			return mem.Batch{}, nil
		}})
		running(t, q, func() { time.Sleep(2 * time.Second) })
		if done := q.Counters().Done; done < 40 || done > 52 {
			t.Errorf("in 2 s, %d jobs of 10 ms were done, want a quarter of the time filled: 50", done)
		}
	})
}
