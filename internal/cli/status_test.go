package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/spool"
)

func TestStatusTellsWhatWasLostWaitsAndWasTakenOutAndNothingElse(t *testing.T) {
	for _, tc := range []struct {
		capture captureItem
		want    string // beside the five lines
	}{
		{captureItem{}, ""},
		{captureItem{SpooledRecords: 2, SpooledBytes: 3000, Secrets: 1}, "  capture       2 events (3 KB) in the spool · 1 secret taken out\n"},
		{captureItem{Private: 2}, "  capture       2 private spans taken out\n"},
		{captureItem{Dropped: 1}, "fault: 1 event was lost so far: remanence doctor · REM-H014\n"},
	} {
		p, out := testPrinter(100)
		statusOf(mem.Overview{}, daemonItem{}, hooksItem{State: setup.OK}, tc.capture).human(p)
		lines := strings.SplitAfter(out.String(), "\n")
		var more string
		for _, l := range lines {
			if strings.HasPrefix(l, "  capture") || strings.HasPrefix(l, "fault") {
				more += l
			}
		}
		if more != tc.want || len(lines) != 6+strings.Count(tc.want, "\n") {
			t.Errorf("%+v: got\n%swant besides\n%s", tc.capture, out, tc.want)
		}
	}
}

func TestStatusCountsWhatTheSpoolHolds(t *testing.T) {
	p, err := pathsFrom(environment(map[string]string{"HOME": t.TempDir()}), "")
	if err != nil {
		t.Fatal(err)
	}
	received := time.Now()
	a := &app{paths: p, sys: System{Now: func() time.Time { return received.Add(time.Minute) }}}
	if got := a.captured(mem.Health{Private: 4}); got != (captureItem{Private: 4}) {
		t.Errorf("without a spool: got %+v", got)
	}
	sp := spool.Open(spool.Config{Dir: p.Spool()})
	if _, err := sp.Handle(context.Background(), mem.Event{ID: "e_1", Session: "s", At: received}); err != nil {
		t.Fatal(err)
	}
	sp.Count("input")
	sp.Count("time")
	if got := a.captured(mem.Health{}); got.SpooledRecords != 1 || got.SpooledBytes == 0 || got.Dropped != 2 || got.SpooledOldestS < 59 {
		t.Errorf("got %+v, want 1 event waiting for a minute and 2 lost", got)
	}
}

func TestOnlyAMemoryIsOfferedForForgetting(t *testing.T) {
	for _, tc := range []struct {
		ids  []string
		want string
	}{
		{[]string{"m_1", "m_2", "s_1"}, "remove one: remanence forget m_2 · less of this: remanence config set hooks.session_start.token_budget 600"},
		{[]string{"s_1"}, "less of this: remanence config set hooks.session_start.token_budget 600"},
		{nil, ""},
	} {
		r := mem.Receipt{ID: "r_1", Trigger: "session_start", Budget: 1200}
		for _, id := range tc.ids {
			r.Items = append(r.Items, mem.Told{ID: id})
		}
		p, out := testPrinter(100)
		receiptOf("receipt", r).hints(p)
		if got := strings.TrimSpace(out.String()); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.ids, got, tc.want)
		}
	}
}

func TestAJobThatHasJustComeWaitsForLessThanAMinute(t *testing.T) {
	for old, want := range map[float64]string{
		0: "1 job, the oldest for less than a minute", 59: "1 job, the oldest for less than a minute", 120: "1 job, the oldest for 2 min",
	} {
		if got := (queueItem{Depth: 1, OldestS: old}).sentence(); got != want {
			t.Errorf("%v s: got %q, want %q", old, got, want)
		}
	}
}
