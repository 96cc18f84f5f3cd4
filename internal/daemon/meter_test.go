package daemon

import (
	"context"
	"fmt"
	"testing"
	"time"

	"remanence/internal/capture"
	"remanence/internal/event"
	"remanence/internal/mem"
)

func TestOnlyABackfillGivesWayToJobs(t *testing.T) {
	m := &meter{next: silent{}}
	end := m.job()
	if m.busy(false) || !m.busy(true) {
		t.Errorf("during a job: busy for hooks alone %v, with jobs %v", m.busy(false), m.busy(true))
	}
	end()
	if m.busy(true) {
		t.Error("busy after the job")
	}
	m.answered = time.Now().Add(time.Hour) // a hook that was just answered
	if !m.busy(false) || !m.busy(true) {
		t.Error("not busy right after a hook")
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
	for _, k := range []string{event.JobLink, event.JobConsolidate} {
		if gave[k] < 2 {
			t.Errorf("jobs of kind %s gave way %d times", k, gave[k])
		}
	}
}
