package doctor

import (
	"strings"
	"testing"
	"time"

	"remanence/internal/cli/ui"
	"remanence/internal/config"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/setup"
	"remanence/internal/views"
)

func TestAJobThatHasJustComeWaitsForLessThanAMinute(t *testing.T) {
	for old, want := range map[float64]string{
		0: "1 job, the oldest for less than a minute", 59: "1 job, the oldest for less than a minute",
		120: "1 job, the oldest for 2 min",
	} {
		if got := (queueItem{Depth: 1, OldestS: old}).sentence(); got != want {
			t.Errorf("%v s: got %q, want %q", old, got, want)
		}
	}
}

func TestWhatWaitsForJudgementIsSaidOnlyWhereSomethingDoes(t *testing.T) {
	for _, c := range []struct {
		waits *curate.ReviewCounts
		want  string
	}{
		{nil, ""},
		{&curate.ReviewCounts{Counts: map[string]int{}}, ""},
		{
			&curate.ReviewCounts{Total: 4, Counts: map[string]int{"stale": 3, "low_trust": 1, "duplicate": 0}},
			"1 low trust · 3 stale",
		},
	} {
		v := StatusOf(views.StatusResponse{Stats: mem.Stats{Memories: 9}, Review: c.waits}, DaemonView{},
			HooksItem{State: setup.OK}, CaptureItem{})
		out := &strings.Builder{}
		v.Print(ui.NewPrinter(config.System{Stdout: out, Stderr: out, Getenv: environment(nil), Now: time.Now}, ui.Flags{}))
		if got := v.Review.sentence(); got != c.want || strings.Contains(out.String(), "remanence review") != (c.want != "") {
			t.Errorf("of %+v: %q in\n%s", c.waits, got, out)
		}
		if suggests := v.Suggest.Command == "remanence review"; suggests != (c.want != "") {
			t.Errorf("of %+v it suggests %q", c.waits, v.Suggest.Command)
		}
	}
}

// While past sessions are read in, nothing else offers to do that.
func TestAnEmptyStoreThatIsBeingFilledOffersItsProgress(t *testing.T) {
	for _, c := range []struct {
		runs *event.Backfill
		want string
	}{
		{nil, "remanence doctor"},
		{&event.Backfill{Running: true}, "remanence status"},
		{&event.Backfill{}, "remanence doctor"},
	} {
		v := StatusOf(views.StatusResponse{Backfill: c.runs}, DaemonView{}, HooksItem{State: setup.OK}, CaptureItem{})
		if v.Suggest == nil || v.Suggest.Command != c.want {
			t.Errorf("with %+v it suggests %+v, want %s", c.runs, v.Suggest, c.want)
		}
	}
}
