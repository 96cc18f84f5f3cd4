package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/queue"
	"remanence/internal/setup"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/views"
)

// codesOf are the faults of an overview.
func codesOf(v statusView) (codes []string) {
	for _, f := range v.Faults {
		codes = append(codes, f.Code)
	}
	return codes
}

func TestWhatStandsStillShowsInTheOverviewAndInDoctor(t *testing.T) {
	up := daemonItem{State: "up"}
	for _, tc := range []struct {
		name    string
		health  views.Health
		capture captureItem
		daemon  daemonItem
		want    []string
	}{
		{"all is well", views.Health{QueueDepth: 3, OldestJobS: 20}, captureItem{SpooledRecords: 1, SpooledOldestS: 20}, up, nil},
		{"a job waits for a minute", views.Health{QueueDepth: 1, OldestJobS: 60}, captureItem{}, up, []string{faultStuck.Code}},
		{"events fail one after the other", views.Health{Since: time.Now(), Hooks: 9, FailedInRow: 3}, captureItem{}, up, []string{faultSpooled.Code}},
		{"one event failed", views.Health{Since: time.Now(), Hooks: 9, HookErrors: 1, FailedInRow: 1}, captureItem{}, up, nil},
		{"the spool is not taken in", views.Health{}, captureItem{SpooledRecords: 4, SpooledOldestS: 60}, up, []string{faultSpooled.Code}},
		{"nobody is there to take it in", views.Health{}, captureItem{SpooledRecords: 4, SpooledOldestS: 60}, daemonItem{State: "down"}, nil},
	} {
		v := statusOf(views.StatusResponse{Health: tc.health}, tc.daemon, hooksItem{State: setup.OK}, tc.capture)
		if got := codesOf(v); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
		p, out := testPrinter(100)
		v.human(p)
		if got := strings.Count(out.String(), "fault:"); got != len(tc.want) {
			t.Errorf("%s: got %d lines of fault, want %d:\n%s", tc.name, got, len(tc.want), out)
		}
		if len(tc.want) > 0 && v.Suggest.Command != "remanence doctor" {
			t.Errorf("%s: got %q suggested, want doctor", tc.name, v.Suggest.Command)
		}
	}
	if c := checkQueue(views.StatusResponse{Health: views.Health{QueueDepth: 1, OldestJobS: 60}}); c.State != setup.Fail {
		t.Errorf("doctor on a job that waits for a minute: got %s, want it to fail", c.State)
	}
	if c := checkKeeping(failsTooMany); c.State != setup.Fail {
		t.Errorf("doctor on a daemon that keeps nothing: got %s, want it to fail", c.State)
	}
}

// A job that is never finished is seen by what the store tells, whether it
// hangs, fails or is leased by somebody who died.
func TestStuckJobIsSeenWithinAMinute(t *testing.T) {
	for name, do := range map[string]func(context.Context, mem.Job) (mem.Batch, error){
		"it fails":      func(context.Context, mem.Job) (mem.Batch, error) { return mem.Batch{}, errors.New("no") },
		"it is cut off": func(ctx context.Context, _ mem.Job) (mem.Batch, error) { <-ctx.Done(); return mem.Batch{}, ctx.Err() },
	} {
		clock := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		st := sqlitetest.Open(t, func() time.Time { return clock })
		if _, err := st.Apply(t.Context(), mem.Batch{Jobs: []mem.Job{{Kind: "digest", Key: "k"}}}); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		queue.New(queue.Config{Store: st, Do: do, Now: func() time.Time { return clock }}).Run(ctx)
		stop()
		clock = clock.Add(time.Minute)
		s, err := st.Stats(t.Context(), "", clock)
		if err != nil {
			t.Fatal(err)
		}
		v := statusOf(views.StatusResponse{Health: views.Health{QueueDepth: s.Jobs, OldestJobS: clock.Sub(s.OldestJob).Seconds()}}, daemonItem{State: "up"}, hooksItem{}, captureItem{})
		if got := codesOf(v); !slices.Equal(got, []string{faultStuck.Code}) {
			t.Errorf("%s: got %v after a minute, want %s", name, got, faultStuck.Code)
		}
	}
}

func TestFailuresInARowEndWithTheFirstEventKept(t *testing.T) {
	fails := errors.New("no")
	m := &meter{next: handlerFunc(func() error { return fails })}
	for range 2 {
		_, _ = m.Handle(t.Context(), mem.Event{})
	}
	var h views.Health
	if m.read(&h); h.FailedInRow != 2 {
		t.Errorf("got %d in a row, want 2", h.FailedInRow)
	}
	fails = nil
	_, _ = m.Handle(t.Context(), mem.Event{})
	if m.read(&h); h.FailedInRow != 0 || h.HookErrors != 2 {
		t.Errorf("got %d in a row and %d in all, want none and 2", h.FailedInRow, h.HookErrors)
	}
}

// handlerFunc answers every event with silence and its error.
type handlerFunc func() error

func (f handlerFunc) Handle(context.Context, mem.Event) (mem.Reply, error) { return mem.Reply{}, f() }
