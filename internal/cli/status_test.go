package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"remanence/internal/config"
	"remanence/internal/continuity"
	"remanence/internal/daemon"
	"remanence/internal/doctor"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/spool"
	"remanence/internal/views"
)

func TestStatusReportsLostWaitingAndRemovedEventsOnly(t *testing.T) {
	for _, tc := range []struct {
		capture doctor.CaptureItem
		want    string // beside the five lines
	}{
		{doctor.CaptureItem{}, ""},
		{
			doctor.CaptureItem{SpooledRecords: 2, SpooledBytes: 3000, Secrets: 1},
			"  capture       2 events (3 KB) in the spool · 1 secret taken out\n",
		},
		{doctor.CaptureItem{Private: 2}, "  capture       2 private spans taken out\n"},
		{doctor.CaptureItem{Dropped: 1}, "fault: 1 event was lost so far: remanence doctor · REM-H014\n"},
	} {
		p, out := testPrinter(100)
		doctor.StatusOf(views.StatusResponse{}, doctor.DaemonView{}, doctor.HooksItem{State: setup.OK}, tc.capture).Print(p)
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
	p, err := config.FindPaths(environment(map[string]string{"HOME": t.TempDir()}), "")
	if err != nil {
		t.Fatal(err)
	}
	received := time.Now()
	a := &app{Connection: &daemon.Connection{Paths: p, Sys: config.System{Now: func() time.Time {
		return received.Add(time.Minute)
	}}}}
	if got := captureItem(a, views.Health{Private: 4}); got != (doctor.CaptureItem{Private: 4}) {
		t.Errorf("without a spool: got %+v", got)
	}
	sp := spool.Open(spool.Config{Dir: p.Spool()})
	if _, err := sp.Handle(context.Background(), mem.Event{ID: "e_1", Session: "s", At: received}); err != nil {
		t.Fatal(err)
	}
	sp.Count("input")
	sp.Count("time")
	if got := captureItem(a, views.Health{}); got.SpooledRecords != 1 || got.SpooledBytes == 0 || got.Dropped != 2 ||
		got.SpooledOldestS < 59 {
		t.Errorf("got %+v, want 1 event waiting for a minute and 2 lost", got)
	}
}

func TestOnlyAMemoryIsOfferedForForgetting(t *testing.T) {
	for _, tc := range []struct {
		ids  []string
		want string
	}{
		{
			[]string{"m_1", "m_2", "s_1"},
			"remove one: remanence forget m_2\nless of this: remanence config set hooks.session_start.token_budget 600",
		},
		{[]string{"s_1"}, "less of this: remanence config set hooks.session_start.token_budget 600"},
		{nil, ""},
	} {
		r := mem.Receipt{ID: "r_1", Trigger: "session_start", Budget: 1200}
		for _, id := range tc.ids {
			r.Items = append(r.Items, mem.InjectedItem{ID: id})
		}
		p, out := testPrinter(100)
		receiptView(r).Hints(p)
		if got := strings.TrimSpace(out.String()); got != tc.want {
			t.Errorf("%v: got %q, want %q", tc.ids, got, tc.want)
		}
	}
}

// interrupting ends what writes to it after so many lines.
type interrupting struct {
	strings.Builder
	after int
	end   context.CancelFunc
}

func (w *interrupting) Write(b []byte) (int, error) {
	if w.after--; w.after == 0 {
		w.end()
	}
	return w.Builder.Write(b)
}

func TestAWatchedStatusComesAgainUntilItIsInterrupted(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	defer end()
	out := &interrupting{after: 2, end: end}
	var stderr strings.Builder
	code := Main(ctx, config.System{
		Args: []string{"status", "--watch", "--json"}, Stdin: strings.NewReader(""), Stdout: out, Stderr: &stderr,
		Getenv: environment(map[string]string{"HOME": t.TempDir()}), Now: time.Now,
	})
	if got := strings.Count(out.String(), `{"schema":"remanence.status/v1"`); code != 0 || got != 2 ||
		strings.Count(out.String(), "\n") != 2 {
		t.Errorf("status %d, %d objects in\n%s%swant 0 and two, one a line", code, got, out.String(), stderr.String())
	}
}

func TestStatusSaysHowFullTheContextOfTheLastSessionIs(t *testing.T) {
	for _, tc := range []struct {
		context continuity.ContextUsage
		want    string
	}{
		{
			continuity.ContextUsage{Tokens: 9000, Window: 200000, HandoffAt: 170000},
			"9000 of 200000 tokens · a handoff is requested from 170000",
		},
		{
			continuity.ContextUsage{Tokens: 171000, Window: 200000, HandoffAt: 170000, HandoffRequested: true},
			"171000 of 200000 tokens · a handoff was requested",
		},
		{continuity.ContextUsage{Tokens: 9000, Window: 200000}, "9000 of 200000 tokens"},
		{
			continuity.ContextUsage{Tokens: 9000, Window: 1000000, Model: "a\nb", AutoCompactAt: 67000, HandoffAt: 61640},
			"9000 of 1000000 tokens · a handoff is requested from 61640 · a b compacts by itself at 67000",
		},
	} {
		p, out := testPrinter(200)
		doctor.StatusOf(views.StatusResponse{Context: &tc.context}, doctor.DaemonView{}, doctor.HooksItem{},
			doctor.CaptureItem{}).Print(p)
		if !strings.Contains(out.String(), "  its context   "+tc.want+"\n") {
			t.Errorf("want %q in\n%s", tc.want, out)
		}
	}
}

func TestStatusShowsHowFarABackfillIs(t *testing.T) {
	for _, tc := range []struct {
		change func(*event.Backfill)
		want   string
	}{
		{func(*event.Backfill) {}, "" +
			"  backfill      40 of 214 sessions · 20 MB of 92 MB · 2.0 MB/s · less than a minute left\n"},
		{func(b *event.Backfill) { b.Running = false }, ""},
		{
			func(b *event.Backfill) { b.Running, b.DoneBytes, b.GivenUp = false, 0, "disk read error" },
			"  backfill      40 of 214 sessions · 0 KB of 92 MB; given up: disk read error\n",
		},
	} {
		p, out := testPrinter(100)
		b := event.Backfill{
			Sessions: 214, Bytes: 92_000_000, Running: true, Started: p.Now().Add(-10 * time.Second), Done: 40,
			DoneBytes: 20_000_000,
		}
		tc.change(&b)
		doctor.StatusOf(views.StatusResponse{Backfill: &b}, doctor.DaemonView{}, doctor.HooksItem{State: setup.OK},
			doctor.CaptureItem{}).Print(p)
		var got string
		for line := range strings.Lines(out.String()) {
			if strings.HasPrefix(line, "  backfill") {
				got = line
			}
		}
		if got != tc.want {
			t.Errorf("%+v: got %q, want %q", b, got, tc.want)
		}
	}
}
