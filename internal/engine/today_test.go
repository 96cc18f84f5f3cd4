package engine_test

import (
	"slices"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// entryIDs are the ids of entries.
func entryIDs(list []views.TimelineEntry) (ids []string) {
	for _, e := range list {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestTodayCountsWhatWasKeptInjectedAndUsed(t *testing.T) {
	s := newStage(t)
	today := func(at mem.ProjectRef) views.TodayResponse {
		t.Helper()
		got, err := s.Views.Today(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := today(shop); got.Sessions != 0 || got.Kept != 0 || got.Last != nil || len(got.Newest) != 0 {
		t.Errorf("before anything happened: %+v", got)
	}
	old := s.remember(curate.AddRequest{
		Text: "the limiter counts per key and not per address", Kind: mem.Decision, Files: []string{"net/limit.go"},
	}).ID
	s.clock = s.clock.AddDate(0, 0, 1)
	if got := today(shop); got.Kept != 0 || !slices.Equal(entryIDs(got.Newest), []string{old}) || len(got.Files) != 1 {
		t.Errorf("a day on: %d kept, newest %v, files %v; want none, what was kept before, its file", got.Kept,
			entryIDs(got.Newest), got.Files)
	}
	now := s.remember(curate.AddRequest{Text: "tests use the fake clock", Kind: mem.Convention}).ID
	todo := s.remember(curate.AddRequest{Text: "the limiter has no test yet", Kind: mem.Todo}).ID
	_, receipt := s.asks("two", "how does the limiter count: per key or per address?")
	got := today(shop)
	if got.Kept != 2 || !slices.Equal(entryIDs(got.Newest), []string{now}) || len(got.Files) != 0 {
		t.Errorf("%d kept, newest %v, files %v; want 2, the convention, none", got.Kept, entryIDs(got.Newest), got.Files)
	}
	if !slices.Equal(entryIDs(got.Open), []string{todo}) {
		t.Errorf("open %v, want %s", entryIDs(got.Open), todo)
	}
	if got.Injected == 0 || got.Tokens != receipt.Tokens || got.Last == nil || got.Last.ID != receipt.ID ||
		got.Sessions != 1 || len(got.Used) != 0 {
		t.Errorf("after a prompt: %+v, want %d tokens of %s and nothing used", got, receipt.Tokens, receipt.ID)
	}
	s.play(in("two", stop("q-two", "As "+old+" says, it counts per key."))...)
	if got := today(shop); len(got.Used) != 1 || got.Used[0].ID != old {
		t.Errorf("used %+v, want %s", got.Used, old)
	}
	if got := today(mem.ProjectRef{Dir: "/home/dev/other"}); got.Kept != 0 || got.Injected != 0 || got.Last != nil {
		t.Errorf("another project: %+v, want nothing", got)
	}
	if got := today(mem.ProjectRef{Project: "all"}); got.Kept != 2 {
		t.Errorf("all projects: %d kept, want 2", got.Kept)
	}
}

func TestTodayListsTheOpenItemsOfAllProjectsOnce(t *testing.T) {
	s := newStage(t)
	todo := s.remember(curate.AddRequest{Text: "the limiter has no test yet", Kind: mem.Todo}).ID
	s.decide("three", "/home/dev/till", "p_till", "the till prints receipts in duplicate")
	s.clock = s.clock.Add(time.Minute)
	everywhere := s.remember(curate.AddRequest{Text: "learn what a lease is", Kind: mem.Todo, Scope: mem.ScopeUser}).ID
	got, err := s.Views.Today(t.Context(), mem.ProjectRef{Project: "all"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(entryIDs(got.Open), []string{everywhere, todo}) {
		t.Errorf("open %v, want %s and %s, each once", entryIDs(got.Open), everywhere, todo)
	}
}

// A session without a prompt is no work, and one of which nothing was kept is.
func TestARecapCountsTheSessionsThatTodayCounts(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "we keep amounts as int64 cents everywhere, never float64"))
	s.play(in("two", start("startup"), prompt("p2", "thanks"), stop("p2", "You are welcome."))...)
	s.play(in("three", start("startup"), mem.Event{Kind: mem.SessionEnd})...)
	today := must(s.Views.Today(t.Context(), shop))
	got := must(s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Since: today.Since}))
	if len(got.Days) != 1 || got.Days[0].Sessions != 2 || today.Sessions != 2 {
		t.Errorf("the recap counts %+v, today %d sessions, want 2 each", got.Days, today.Sessions)
	}
}
