package daemon

import (
	"context"
	"fmt"
	"testing"
	"time"

	"remanence/internal/api"
	"remanence/internal/capture"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
)

func TestATransactionIsWantedWhileAHookIsAnswered(t *testing.T) {
	k := newTalker(t)
	tx, err := publishing(k.Daemon).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Commit() }()
	if tx.Wanted() {
		t.Error("no caller waits, and it is wanted")
	}
	k.Meter.running++
	if !tx.Wanted() {
		t.Error("it is not wanted while a hook is answered")
	}
}

func TestOnlyABackfillGivesWayToJobs(t *testing.T) {
	m := &meter{next: silent{}}
	end := m.job()
	if m.busy(ofJobs) || !m.busy(ofBackfill) || m.busy(ofIndex) {
		t.Errorf("during a job: jobs wait %v, a backfill %v, the index %v",
			m.busy(ofJobs), m.busy(ofBackfill), m.busy(ofIndex))
	}
	end()
	if m.busy(ofBackfill) {
		t.Error("busy after the job")
	}
}

// A job may be part of a request, and would wait for itself.
func TestOnlyTheIndexGivesWayToRequests(t *testing.T) {
	k := newTalker(t)
	asked := false
	k.Engine.Curate.DeadWeight = func(context.Context, mem.Project) ([]curate.Finding, error) {
		asked = true
		if !k.Meter.busy(ofIndex) || k.Meter.busy(ofJobs) || k.Meter.busy(ofBackfill) {
			t.Errorf("during a request: the index waits %v, jobs %v, a backfill %v",
				k.Meter.busy(ofIndex), k.Meter.busy(ofJobs), k.Meter.busy(ofBackfill))
		}
		return nil, nil
	}
	if _, err := api.Review.Call(t.Context(), api.Local(k.CheckedRoutes()), curate.ReviewRequest{}); err != nil || !asked {
		t.Fatalf("the review failed or did not ask: %v", err)
	}
	if k.Meter.busy(ofIndex) {
		t.Error("the index still waits after the request")
	}
}

func TestABackfillWaitsLongerAfterAHook(t *testing.T) {
	for _, tt := range []struct {
		ago            time.Duration
		jobs, backfill bool
	}{
		{-time.Hour, true, true},
		{ofJobs.quiet + time.Millisecond, false, true},
		{time.Hour, false, false},
	} {
		m := &meter{next: silent{}, answered: time.Now().Add(-tt.ago)}
		long := ofBackfill
		long.quiet = time.Minute
		if jobs, backfill := m.busy(ofJobs), m.busy(long); jobs != tt.jobs || backfill != tt.backfill {
			t.Errorf("%v after a hook: jobs wait %v, a backfill %v", tt.ago, jobs, backfill)
		}
	}
	if ofBackfill.quiet <= ofJobs.quiet || ofBackfill.most <= ofJobs.most {
		t.Errorf("a backfill waits %v, jobs %v", ofBackfill, ofJobs)
	}
}

func TestWorkOnWhatWasReadInGivesWayToHooks(t *testing.T) {
	p := newPastSessions(t)
	s := p.session("one", 20)
	for n := range 10 {
		prompt := fmt.Sprintf("We decided to keep lease %d of queue %d.", n, n)
		s.turn(fmt.Sprint("p", n), prompt, "go test ./lease", leaseAnswer)
	}
	p.saves(s)
	gave := map[string]int{} // by the kind of job
	kind := ""
	p.Engine.Curate.GiveWay = func(_ context.Context, jobs bool) {
		if jobs {
			t.Errorf("a job of kind %s waits for jobs, as which it counts itself", kind)
		}
		gave[kind]++
	}
	p.asks(capture.BackfillRequest{})
	for range 2 { // links are made a moment after the memories
		p.clock = p.clock.Add(time.Hour)
		for {
			jobs, err := p.Store.Lease(t.Context(), mem.JobKinds{}, p.clock, time.Minute, 1)
			if err != nil {
				t.Fatal(err)
			}
			if len(jobs) == 0 {
				break
			}
			kind = jobs[0].Kind
			b, err := p.Work(t.Context(), jobs[0])
			if err != nil {
				t.Fatal(err)
			}
			b.FinishedJobs = append(b.FinishedJobs, jobs[0].ID)
			if _, err := p.Store.Apply(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, k := range []string{event.JobLink, event.JobBackfill} { // which also consolidates
		if gave[k] < 2 {
			t.Errorf("jobs of kind %s gave way %d times", k, gave[k])
		}
	}
}
