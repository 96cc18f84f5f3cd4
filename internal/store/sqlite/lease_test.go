package sqlite

import (
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

func TestLeasesOfAKilledDaemonEndAtTheNextStart(t *testing.T) {
	s := openStore(t)
	now := storetest.Clock()
	apply(t, s, mem.Batch{Jobs: []mem.Job{{Kind: "digest", Key: "one"}}})
	first, err := s.Lease(t.Context(), mem.JobKinds{}, now, time.Hour, 1)
	if err != nil || len(first) != 1 {
		t.Fatalf("leased %+v, %v", first, err)
	}
	if again, err := s.Lease(t.Context(), mem.JobKinds{}, now, time.Hour, 1); err != nil || len(again) != 0 {
		t.Fatalf("leased twice: %+v, %v", again, err)
	}
	if err := s.EndLeases(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := s.Lease(t.Context(), mem.JobKinds{}, now, time.Hour, 1)
	if err != nil || len(again) != 1 || again[0].Attempts != 2 {
		t.Errorf("leased %+v, %v, want the same job, the second attempt", again, err)
	}
}

func TestARetriedDeadJobBeginsWithTheFirstAttempt(t *testing.T) {
	s := openStore(t)
	now := storetest.Clock()
	apply(t, s,
		mem.Batch{Jobs: []mem.Job{{Kind: "digest", Key: "one"}, {Kind: "digest", Key: "two", NotBefore: now.Add(time.Hour)}}})
	jobs, err := s.Lease(t.Context(), mem.JobKinds{}, now, time.Hour, 1)
	if err != nil || len(jobs) != 1 {
		t.Fatalf("leased %+v, %v", jobs, err)
	}
	jobs[0].Dead, jobs[0].Error, jobs[0].NotBefore = true, "no such model", now.Add(time.Hour)
	apply(t, s, mem.Batch{FailedJobs: jobs})
	if n, err := s.RetryDeadJobs(t.Context()); err != nil || n != 1 {
		t.Fatalf("revived %d, %v, want the one that was given up", n, err)
	}
	again, err := s.Lease(t.Context(), mem.JobKinds{}, now, time.Hour, 9)
	if err != nil || len(again) != 1 || again[0].Key != "one" || again[0].Attempts != 1 || again[0].Dead {
		t.Errorf("leased %+v, %v, want the same job at once, the first attempt", again, err)
	}
	if n, err := s.RetryDeadJobs(t.Context()); err != nil || n != 0 {
		t.Errorf("revived %d more, %v", n, err)
	}
}
