package engine_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
	"remanence/internal/views"
)

var shop = mem.ProjectRef{Dir: "/home/dev/shop"}

// preview is what Next says.
func (s *stage) preview(ask views.NextRequest) mem.Receipt {
	s.t.Helper()
	ask.ProjectRef = shop
	r, err := s.Next(s.t.Context(), ask)
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// inside is a block without its first line, which names receipt and session.
func inside(block string) string {
	_, rest, _ := strings.Cut(block, "\n")
	return rest
}

// kept is everything that can be asked of the store.
func (s *stage) kept() string {
	s.t.Helper()
	ctx := s.t.Context()
	ms, err := s.store.List(ctx, mem.Query{Within: "*", Hidden: true, Limit: 1000})
	if err != nil {
		s.t.Fatal(err)
	}
	rs := must(s.store.Receipts(ctx, mem.ReceiptQuery{Limit: 1000}))
	ss := must(s.store.Sessions(ctx, mem.SessionQuery{Limit: 1000}))
	st := must(s.store.Stats(ctx, "", time.Time{}))
	var all []any
	ps := must(s.store.Paused(ctx, s.clock))
	all = append(all, ms, rs, st, ps)
	for _, se := range ss {
		one := must(s.store.Session(ctx, se.ID))
		ts := must(s.store.Turns(ctx, se.ID, 1000))
		all = append(all, one, one.Injected, one.StateLine, ts)
	}
	b, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func TestPreviewEqualsTheHooksInjection(t *testing.T) {
	asked := []string{
		"why did two logins race for the session lock?", "write a haiku about the sea in winter", "yes", "/compact",
		"<task-notification>why did two logins race for the session lock?</task-notification>", "/remanence:off",
		"<private>the login race</private>",
		"implement the logout path with table tests and one mutex for each session",
	}
	for _, p := range asked {
		s := newStage(t)
		s.play(bugHunt()...)
		before := s.kept()
		want := s.preview(views.NextRequest{Prompt: p})
		if s.kept() != before {
			t.Errorf("%q: foreseeing it changed what is kept", p)
		}
		got := s.play(in("two", prompt("q1", p))...).Context
		if inside(got) != inside(want.Text) {
			t.Errorf("%q: the hook injects\n%s\nforeseen was\n%s", p, got, want.Text)
		}
		if got == "" && want.Outcome == mem.Injected {
			t.Errorf("%q: outcome %s of silence", p, want.Outcome)
		}
	}
	s := newStage(t)
	s.play(bugHunt()...)
	before := s.kept()
	want := s.preview(views.NextRequest{})
	if s.kept() != before {
		t.Error("foreseeing a briefing changed what is kept")
	}
	if got := s.play(in("two", start("startup"))...).Context; inside(got) != inside(want.Text) || got == "" {
		t.Errorf("the session starts with\n%s\nforeseen was\n%s", got, want.Text)
	}
}

func TestWithAllProjectsTheNextSessionIsForeseenWhereTheLastOneWas(t *testing.T) {
	s := newStage(t)
	if r, err := s.Next(t.Context(), views.NextRequest{}); err != nil || r.Text != "" {
		t.Errorf("with no project: injected %q, %v", r.Text, err)
	}
	s.decide("one", "/home/dev/till", "p_till", "the till prints receipts in duplicate")
	s.clock = s.clock.Add(time.Hour)
	s.decide("two", "/home/dev/kiosk", "p_kiosk", "the kiosk refuses coins below ten cents")
	r, err := s.Next(t.Context(), views.NextRequest{ProjectRef: mem.ProjectRef{Project: "all"}})
	if err != nil || !strings.Contains(r.Text, "coins below ten cents") || strings.Contains(r.Text, "duplicate") {
		t.Errorf("injected\n%s\n%v, want what is known of the kiosk alone", r.Text, err)
	}
}

func TestPreviewInARunningSessionLeavesOutWhatWasInjected(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.settings.Budgets.SessionStart = 0
	p := "tell me about that login race and the session lock"
	s.play(in("two", start("startup"), prompt("q1", "why did two logins race for the session lock?"))...)
	before := s.kept()
	want := s.preview(views.NextRequest{Prompt: p, Session: "two"})
	if s.kept() != before {
		t.Error("foreseeing it changed what is kept")
	}
	injected := false
	for _, c := range want.LeftOut {
		injected = injected || c.Gate == "already_told"
	}
	if !injected {
		t.Errorf("left out %+v, want something that was injected already", want.LeftOut)
	}
	if got := s.play(in("two", prompt("q2", p))...).Context; inside(got) != inside(want.Text) {
		t.Errorf("the hook injects\n%s\nforeseen was\n%s", got, want.Text)
	}
}

func TestARunningSessionIsForeseenWithItsFilesAtHand(t *testing.T) {
	s := newStage(t)
	s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key", "gate/limit.go")
	s.settings.Budgets.SessionStart, s.settings.Budgets.Write = 0, 0
	s.play(in("two", start("startup"), edited("p0", "t0", "/home/dev/shop/gate/other.go", "a", "b"))...)
	for session, near := range map[string]float64{"": 0, "two": 0.5} {
		r := s.preview(views.NextRequest{Prompt: aboutLimiter, Session: session})
		if len(r.Items) != 1 || r.Items[0].Parts["path"] != near {
			t.Errorf("session %q: injected %+v, want one with path %v", session, r.Items, near)
		}
	}
}

func TestTheCandidatesOfABriefingAreThoseThatItsReceiptCanName(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	r := s.preview(views.NextRequest{})
	if !strings.Contains(r.Text, "last request: ") {
		t.Fatalf("injected\n%s\nwant a line without an ID in it", r.Text)
	}
	if named := len(r.Items) + len(r.LeftOut); r.Candidates != named || named == 0 {
		t.Errorf("%d candidates, %d injected and %d left out", r.Candidates, len(r.Items), len(r.LeftOut))
	}
}

func TestTheTextOfABriefingCountsWhatTheReceiptLeavesOut(t *testing.T) {
	s := newStage(t)
	for i := range 60 {
		s.knows(mem.Decision,
			fmt.Sprintf("the till of counter %d prints the receipts of its customers in the colour of aisle %d", i, 7*i))
	}
	s.play(bugHunt()...)
	written := s.knows(mem.Convention, "the coupon engine rounds half to even")
	s.Event.Instructed = func(_ mem.Project, _ string, _ time.Time, m mem.Memory) bool { return m.ID == written }
	s.play(in("two", start("startup"))...)
	rs, err := s.store.Receipts(t.Context(), mem.ReceiptQuery{Session: "two", Trigger: "session_start", Limit: 1})
	if err != nil || len(rs) == 0 {
		t.Fatalf("no receipt: %v", err)
	}
	r := rs[0]
	if !slices.ContainsFunc(r.LeftOut, func(c mem.LeftOutItem) bool { return c.Gate == event.InInstructions }) {
		t.Fatalf("left out %+v, want what CLAUDE.md says", r.LeftOut)
	}
	page, err := s.Views.Receipts(t.Context(), views.ReceiptsRequest{Session: "two"})
	if err != nil {
		t.Fatal(err)
	}
	n := page.Receipts[len(page.Receipts)-1].LeftOut
	if want := fmt.Sprintf("- %d more left out: remanence why %s\n", n, r.ID); n <= 20 || !strings.Contains(r.Text, want) {
		t.Errorf("the page counts %d, injected\n%s", n, r.Text)
	}
	if r = s.preview(views.NextRequest{}); !strings.Contains(r.Text, " more left out\n") {
		t.Errorf("the preview names a receipt that is not stored:\n%s", r.Text)
	}
}

func TestABudgetIsTriedOutWithoutBeingSet(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	r := s.preview(views.NextRequest{Budget: 150})
	if r.Budget != 150 || r.Tokens > 150+60 || r.Tokens == 0 {
		t.Errorf("budget %d, tokens %d, want at most 150 and the frame", r.Budget, r.Tokens)
	}
	if full := s.preview(views.NextRequest{}); full.Budget != 1200 || full.Tokens <= r.Tokens {
		t.Errorf("without: budget %d, tokens %d", full.Budget, full.Tokens)
	}
}

func TestPreviewIsEmptyWhereNothingIsInjected(t *testing.T) {
	for name, tt := range map[string]struct {
		hush func(s *stage)
		want mem.InjectionOutcome
	}{
		"paused": {func(s *stage) {
			if _, err := s.Event.Pause(t.Context(), event.PauseRequest{ProjectRef: shop}); err != nil {
				t.Fatal(err)
			}
		}, mem.Off},
		"excluded": {func(s *stage) { s.settings.ExcludeProjects = []string{"shop"} }, mem.Off},
		"silent":   {func(s *stage) { s.settings.Profile = event.Silent }, mem.Nothing},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.play(bugHunt()...)
			tt.hush(s)
			for _, ask := range []views.NextRequest{{}, {Prompt: "why did two logins race for the session lock?"}} {
				if r := s.preview(ask); r.Text != "" || r.Outcome != tt.want {
					t.Errorf("%+v: outcome %q, want %q; text\n%s", ask, r.Outcome, tt.want, r.Text)
				}
			}
		})
	}
}

func TestAPartOfTheRankingLeftOutChangesTheScoreAndNoPart(t *testing.T) {
	s := newStage(t)
	id := s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key", "gate/limit.go")
	next := func(without ...string) mem.InjectedItem {
		t.Helper()
		r := s.preview(views.NextRequest{Prompt: aboutLimiter, Without: without})
		if len(r.Items) != 1 || r.Items[0].ID != id {
			t.Fatalf("without %q: injected %+v, want %s", without, r.Items, id)
		}
		return r.Items[0]
	}
	search := func(without ...string) mem.Hit {
		t.Helper()
		found, err := s.Recall.Search(t.Context(), recall.SearchRequest{
			ProjectRef: shop,
			Query:      mem.Query{Text: aboutLimiter}, Without: without,
		})
		if err != nil || len(found.Hits) != 1 {
			t.Fatalf("without %q: found %+v, %v", without, found.Hits, err)
		}
		return found.Hits[0]
	}
	whole, found := next(), search()
	for _, part := range []string{rank.PartBM25F, rank.PartTitle} {
		if less := next(part); less.Score >= whole.Score || less.Parts[part] != whole.Parts[part] {
			t.Errorf("injected without %s: score %v of %v, parts %v", part, less.Score, whole.Score, less.Parts)
		}
		if less := search(part); less.Score >= found.Score {
			t.Errorf("found without %s: score %v of %v", part, less.Score, found.Score)
		}
	}
	if less := next("trust"); less.Score == whole.Score {
		t.Errorf("without the memory's own trust: score is still %v", less.Score)
	}
}

func TestOnlyMemoriesOfTheRequestedKindsCountAsSearched(t *testing.T) {
	s := newStage(t)
	s.knows(mem.Gotcha, "the rate limiter of the gateway counts bursts per key")
	s.knows(mem.Fact, "the gateway is restarted on Thursdays")
	s.brought(mem.Memory{
		Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Utterance, Who: "user",
		Body: "let us look at the gateway once more",
	})
	for _, tt := range []struct {
		text  string
		kinds []mem.Kind
		want  int
	}{
		{"herons", nil, 3},
		{"herons", []mem.Kind{mem.Utterance}, 1},
		{"herons", []mem.Kind{mem.Gotcha}, 1},
		{"herons", []mem.Kind{mem.Gotcha, mem.Fact}, 2},
		{"herons", []mem.Kind{mem.Todo}, 0},
		{"", nil, 2},
	} {
		found, err := s.Recall.Search(t.Context(), recall.SearchRequest{
			ProjectRef: shop,
			Query:      mem.Query{Text: tt.text, Kinds: tt.kinds},
		})
		if err != nil || found.Searched != tt.want {
			t.Errorf("%q, kinds %q: searched %d, %v, want %d", tt.text, tt.kinds, found.Searched, err, tt.want)
		}
	}
}

// No command finds a receipt of what was only shown.
func TestAPreviewNamesNoReceipt(t *testing.T) {
	s := newStage(t)
	s.add("the gateway of the shop listens on port 8080")
	for _, ask := range []views.NextRequest{{}, {Prompt: "on which port does the gateway of the shop listen?"}} {
		r := s.preview(ask)
		if r.ID != "" || !strings.Contains(r.Text, "8080") || strings.Contains(r.Text, "id=") {
			t.Errorf("receipt %q in %s", r.ID, r.Text)
		}
	}
}
