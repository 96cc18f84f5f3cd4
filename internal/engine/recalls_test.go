package engine_test

import (
	"testing"

	"remanence/internal/mem"
	"remanence/internal/views"
)

func TestReceiptsAreListedByPage(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	for _, name := range []string{"two", "three", "four"} {
		s.asked(name, aboutTheRace)
	}
	s.asked("five", "write a haiku about the sea in winter")
	list := func(ask views.ReceiptsRequest) views.ReceiptsResponse {
		t.Helper()
		ask.ProjectRef = shop
		got, err := s.Views.Receipts(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	first := list(views.ReceiptsRequest{Trigger: "prompt", Limit: 2})
	if len(first.Receipts) != 2 || !first.More || first.Receipts[0].Session != "five" || first.Receipts[0].Short == "" {
		t.Errorf("first page: %+v", first)
	}
	second := list(views.ReceiptsRequest{Trigger: "prompt", Limit: 2, Offset: 2})
	if len(second.Receipts) != 2 || second.Receipts[0].Session != "three" {
		t.Errorf("second page: %+v", second)
	}
	injected := list(views.ReceiptsRequest{Outcome: mem.Injected, Session: "two"})
	if len(injected.Receipts) != 1 || injected.Receipts[0].Injected == 0 || injected.Receipts[0].Tokens == 0 {
		t.Errorf("what the second session was injected: %+v", injected)
	}
	if none := list(views.ReceiptsRequest{Memory: "m_zzz"}); len(none.Receipts) != 0 || none.Receipts == nil {
		t.Errorf("of an unknown memory: %+v, want an empty list", none)
	}
}

func TestWhatIfOnTheSameTermsEqualsTheInjection(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	r := s.asked("two", aboutTheRace)
	before := s.kept()
	got, err := s.WhatIf(t.Context(), views.WhatIfRequest{ID: r.ID})
	if err != nil || len(got.Added)+len(got.Removed) != 0 || got.Receipt.Tokens != r.Tokens ||
		inside(got.Receipt.Text) != inside(r.Text) {
		t.Errorf("got %d tokens, added %v, lost %v, %v\n%s\nwant\n%s", got.Receipt.Tokens, got.Added, got.Removed, err,
			got.Receipt.Text, r.Text)
	}
	if s.kept() != before {
		t.Error("asking what would have been changed what is kept")
	}
}

func TestWhatIfABudgetOrAFloorWereOthers(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.settings.MaxMemories = 10
	r := s.asked("two", aboutTheRace)
	if len(r.Items) < 2 {
		t.Fatalf("%d items injected, want several", len(r.Items))
	}
	what := func(ask views.WhatIfRequest) views.WhatIfResponse {
		t.Helper()
		ask.ID = r.ID
		got, err := s.WhatIf(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	none, little, strict, lax := 0, r.Tokens-1, 1.0, 0.0
	if got := what(views.WhatIfRequest{Budget: &none}); len(got.Receipt.Items) != 0 || len(got.Removed) != len(r.Items) {
		t.Errorf("without a budget: %+v", got)
	}
	little -= 60 // the frame comes on top
	if got := what(views.WhatIfRequest{Budget: &little}); len(got.Removed) == 0 || len(got.Added) != 0 ||
		got.Receipt.Tokens >= r.Tokens {
		t.Errorf("with %d tokens: %d injected, lost %v", little, got.Receipt.Tokens, got.Removed)
	}
	r = s.asked("four", "which of the tests covers the logout path when two logins race?")
	if got := what(views.WhatIfRequest{Floor: &strict}); len(got.Removed) == 0 || got.Receipt.LeftOut[0].Gate == "" {
		t.Errorf("with a floor of 1: %+v", got)
	}
	haiku := s.asked("three", "write a note about the session of the parliament")
	r = haiku
	if got := what(views.WhatIfRequest{Floor: &lax}); len(got.Added) < len(what(views.WhatIfRequest{}).Added) {
		t.Errorf("with no floor: added %v", got.Added)
	}
}

func TestWhatIfABriefingWereShorter(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.play(in("two", start("startup"))...)
	rs, err := s.store.Receipts(t.Context(), mem.ReceiptQuery{Session: "two"})
	if err != nil || len(rs) == 0 {
		t.Fatal(rs, err)
	}
	small := 120
	got, err := s.WhatIf(t.Context(), views.WhatIfRequest{ID: rs[0].ID, Budget: &small})
	if err != nil || got.Basis != views.BasisNow || got.Receipt.Tokens == 0 || got.Receipt.Tokens >= rs[0].Tokens {
		t.Errorf("got %d tokens of %d by %s, %v", got.Receipt.Tokens, rs[0].Tokens, got.Basis, err)
	}
}

func TestAFileIsShownWithWhatIsKnownOfIt(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	got, err := s.Views.File(t.Context(), views.FileRequest{ProjectRef: shop, Path: "/home/dev/shop/auth/session.go"})
	if err != nil || got.Path != "auth/session.go" || len(got.Memories) == 0 || len(got.Sessions) != 1 ||
		got.Sessions[0].ID != "one" {
		t.Errorf("got %q, %d memories, sessions %+v, %v", got.Path, len(got.Memories), got.Sessions, err)
	}
}

func TestAnOverviewMarksProjectsWithoutAnEventForAWeek(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.clock = s.clock.AddDate(0, 0, 8)
	e := prompt("z", "what is the till for, and who empties it")
	e.Root, e.Session = "/home/dev/till", "till"
	s.play(e)
	got, err := s.Views.Overview(t.Context())
	if err != nil || len(got.Projects) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, p := range got.Projects {
		if old := p.State.Project.Name == "shop"; p.Stale != old || p.Sessions != 1 || old && p.Memories == 0 {
			t.Errorf("%s: stale %t, %d sessions, %d memories", p.State.Project.Name, p.Stale, p.Sessions, p.Memories)
		}
	}
}
