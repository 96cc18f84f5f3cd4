package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/doctor"
	"remanence/internal/fault"
	"remanence/internal/mem"
	"remanence/internal/queue"
	"remanence/internal/setup"
	"remanence/internal/store/sqlitetest"
	"remanence/internal/views"
)

// codesOf are the faults of an overview.
func codesOf(v doctor.StatusView) (codes []string) {
	for _, f := range v.Faults {
		codes = append(codes, f.Code)
	}
	return codes
}

func TestWhatStandsStillShowsInTheOverviewAndInDoctor(t *testing.T) {
	up := doctor.DaemonView{State: "up"}
	for _, tc := range []struct {
		name    string
		health  views.Health
		capture doctor.CaptureItem
		daemon  doctor.DaemonView
		want    []string
	}{
		{"all is well", views.Health{QueueDepth: 3, OldestJobS: 20}, doctor.CaptureItem{
			SpooledRecords: 1,
			SpooledOldestS: 20,
		}, up, nil},
		{
			"a job waits for a minute",
			views.Health{QueueDepth: 1, OldestJobS: 60},
			doctor.CaptureItem{},
			up,
			[]string{fault.Stuck.Code},
		},
		{
			"events fail one after the other",
			views.Health{Since: time.Now(), Hooks: 9, FailedInRow: 3},
			doctor.CaptureItem{},
			up,
			[]string{fault.Spooled.Code},
		},
		{
			"one event failed",
			views.Health{Since: time.Now(), Hooks: 9, HookErrors: 1, FailedInRow: 1},
			doctor.CaptureItem{},
			up, nil,
		},
		{
			"the spool is not taken in",
			views.Health{},
			doctor.CaptureItem{SpooledRecords: 4, SpooledOldestS: 60},
			up,
			[]string{fault.Spooled.Code},
		},
		{
			"no process can take it in",
			views.Health{},
			doctor.CaptureItem{SpooledRecords: 4, SpooledOldestS: 60},
			doctor.DaemonView{State: "down"},
			nil,
		},
	} {
		v := doctor.StatusOf(views.StatusResponse{Health: tc.health}, tc.daemon, doctor.HooksItem{State: setup.OK},
			tc.capture)
		if got := codesOf(v); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
		p, out := testPrinter(100)
		v.Print(p)
		if got := strings.Count(out.String(), "fault:"); got != len(tc.want) {
			t.Errorf("%s: got %d lines of fault, want %d:\n%s", tc.name, got, len(tc.want), out)
		}
		if len(tc.want) > 0 && v.Suggest.Command != "remanence doctor" {
			t.Errorf("%s: got %q suggested, want doctor", tc.name, v.Suggest.Command)
		}
	}
	if c := doctor.CheckQueue(views.StatusResponse{Health: views.Health{
		QueueDepth: 1,
		OldestJobS: 60,
	}}); c.State != setup.Fail {
		t.Errorf("doctor on a job that waits for a minute: got %s, want it to fail", c.State)
	}
	if c := doctor.CheckKeeping(doctor.FailsTooMany); c.State != setup.Fail {
		t.Errorf("doctor on a daemon that keeps nothing: got %s, want it to fail", c.State)
	}
}

// A job that is never finished is visible in the store, whether it hangs, fails or is leased by a process that died.
func TestStuckJobIsSeenWithinAMinute(t *testing.T) {
	for name, do := range map[string]func(context.Context, mem.Job) (mem.Batch, error){
		"it fails": func(context.Context, mem.Job) (mem.Batch, error) { return mem.Batch{}, errors.New("no") },
		"it is cut off": func(ctx context.Context, _ mem.Job) (mem.Batch, error) {
			<-ctx.Done()
			return mem.Batch{}, ctx.Err()
		},
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
		v := doctor.StatusOf(views.StatusResponse{Health: views.Health{
			QueueDepth: s.Jobs,
			OldestJobS: clock.Sub(s.OldestJob).Seconds(),
		}}, doctor.DaemonView{State: "up"}, doctor.HooksItem{},
			doctor.CaptureItem{})
		if got := codesOf(v); !slices.Equal(got, []string{fault.Stuck.Code}) {
			t.Errorf("%s: got %v after a minute, want %s", name, got, fault.Stuck.Code)
		}
	}
}
