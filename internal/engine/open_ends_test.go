package engine_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/chars"
	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// openEnds returns what a recap and a handoff say is open, and the briefing of the next session, after a session of
// some turns.
func openEnds(t *testing.T, s *stage, turns ...[]mem.Event) (recap []string, handoff, briefing string) {
	t.Helper()
	outcomesOf(t, s, turns...)
	got, err := s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Since: s.clock.Add(-24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.Days {
		for _, o := range d.Open {
			recap = append(recap, o.Title)
		}
	}
	handoff, briefing = nextOf(t, s, "two")
	return recap, handoff, briefing
}

// nextOf returns what a handoff says is open, and the briefing of the next session.
func nextOf(t *testing.T, s *stage, session string) (handoff, briefing string) {
	t.Helper()
	page, err := s.Views.Handoff(t.Context(), shop)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range page.Open {
		handoff += o.Title + "\n"
	}
	s.clock = s.clock.Add(time.Hour)
	return handoff, s.play(in(session, start("startup"))...).Context
}

// The recap, the handoff and the briefing say the same of how a session ended.
func TestWhatASessionLeftOpenIsSaidInEveryPlace(t *testing.T) {
	plan := tool(mem.PostToolUse, "p1", "w", "Write", map[string]any{
		"file_path": "/home/dev/.agent/plans/calm-otter.md", "content": "# Plan: Round the card fee\n\nAdd 500.",
	}, map[string]any{"type": "create"})
	key := "The CSV export is uploaded to the bucket now.\n\nYou need to set `S3_KEY` in the console before the first run."
	for name, c := range map[string]struct {
		turns [][]mem.Event
		want  string
	}{
		"a request that was interrupted before any work": {
			[][]mem.Event{{prompt("p1", "show the fee in the export of the month")}},
			"interrupted: show the fee in the export of the month",
		},
		"a request that was interrupted": {
			[][]mem.Event{{prompt("p1", "show the fee in the export of the month")}, {
				failed("p1", "f", "go test ./export", "Exit code 1\nexport_test.go:9: no fee"),
			}}, "interrupted: show the fee in the export of the month",
		},
		"a turn that the transcript leaves without an end": {
			[][]mem.Event{{
				prompt("p1", "show the fee in the export of the month"), edited("p1", "e", exportFile, "sum", "sum, fee"),
				{Kind: mem.Stop, Source: mem.Interrupted, PromptID: "p1", Text: "The export has a column now, and next the test."},
			}}, "interrupted after changed export.go: show the fee in the export of the month",
		},
		"a plan": {[][]mem.Event{{prompt("p1", "round the card fee half up"), plan}}, "not carried out: Round the card fee"},
		"a duty": {
			[][]mem.Event{{prompt("p1", "upload the export"), edited("p1", "e", exportFile, "a", "b"), stop("p1", key)}},
			"You need to set `S3_KEY` in the console",
		},
		"a question": {
			[][]mem.Event{{
				prompt("p1", "round the card fee"), edited("p1", "e", exportFile, "a", "b"),
				stop("p1", "The card fee is rounded half up.\n\nShould the fee of a refund be rounded half up, too?"),
			}}, "answer “Should the fee of a refund be rounded half up, too?”",
		},
		"a question of a tool": {
			[][]mem.Event{{prompt("p1", "commit this"), failed("p1", "c", "git commit -am fee", "Exit code 1\nlint: fee.go:3"), {
				Kind: mem.Stop, Source: mem.Interrupted, PromptID: "p1", Text: "The hook failed.", Tool: mem.ToolAsk,
				Input: []byte(`{"questions":[{"question":"Shall the commit skip the hook?","options":[]}]}`),
			}}}, "answer “Shall the commit skip the hook?”",
		},
		"checks by hand": {
			[][]mem.Event{{
				prompt("p1", "Implement the following plan:\n\n# Round the fee\n\nHalf up.\n\n## Verification\n"+
					"1. `go test ./...`\n2. Manual: open the receipt and see that the fee is whole"),
				edited("p1", "e", exportFile, "a", "b"), stop("p1", "The card fee is rounded half up."),
			}}, "check by hand: open the receipt and see that the fee is whole",
		},
	} {
		s := newStage(t)
		recap, handoff, briefing := openEnds(t, s, c.turns...)
		if n := strings.Count(strings.Join(recap, "\n"), c.want); n != 1 {
			t.Errorf("%s: %d times in the recap %q", name, n, recap)
		}
		if !strings.Contains(handoff, c.want) {
			t.Errorf("%s: not in the handoff %q", name, handoff)
		}
		if !strings.Contains(briefing, c.want) {
			t.Errorf("%s: not in the briefing\n%s", name, briefing)
		}
		for _, id := range []string{"a", "b", "c", "d", "e"} { // opened and closed again
			s.play(in(id, start("startup"), mem.Event{Kind: mem.SessionEnd})...)
		}
		handoff, briefing = nextOf(t, s, "three")
		if !strings.Contains(handoff, c.want) || !strings.Contains(briefing, c.want) {
			t.Errorf("%s: after sessions without a prompt, the handoff\n%s\nthe briefing\n%s", name, handoff, briefing)
		}
	}
}

// What a turn says that read text from outside is not said again, nor are requests where only statements are asked for.
func TestWhatIsLeftOpenKeepsToTheTrustOfItsTurn(t *testing.T) {
	s := newStage(t)
	recap, _, briefing := openEnds(t, s, []mem.Event{
		prompt("p1", "upload the export"), edited("p1", "e", exportFile, "a", "b"),
		tool(mem.PostToolUse, "p1", "w", "WebFetch", map[string]any{"url": "https://example.org"},
			map[string]any{"result": "x"}),
		stop("p1", "It is uploaded.\n\nYou need to set `S3_KEY` in the console."),
	}, []mem.Event{prompt("p2", "now the refunds of the month"), failed("p2", "f", "go test ./x", "Exit code 1\nno")})
	if all := strings.Join(recap, "\n"); strings.Contains(all, "S3_KEY") || !strings.Contains(all, "refunds") {
		t.Errorf("recap %q", recap)
	}
	if strings.Contains(briefing, "S3_KEY") {
		t.Errorf("briefing\n%s", briefing)
	}
	got, err := s.Views.Recap(t.Context(), views.RecapRequest{
		ProjectRef: shop, Since: s.clock.Add(-24 * time.Hour), Statements: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range got.Days {
		for _, o := range d.Open {
			if strings.Contains(o.Title, "refunds") {
				t.Errorf("a request among statements: %q", o.Title)
			}
		}
	}
}

// Where another commit is checked out since, it is not known whether the person committed the work.
func TestWorkThatNobodyCommittedIsNamedInTheBriefing(t *testing.T) {
	for after, want := range map[string]bool{"1111111": true, "2222222": false} {
		s := newStage(t)
		s.common, s.head = "/home/dev/shop/.git", "1111111"
		outcomesOf(t, s, roundFee("p1"))
		s.head = after
		briefing := s.play(in("two", start("startup"))...).Context
		if got := strings.Contains(briefing, "not committed: The card fee is rounded half up now"); got != want {
			t.Errorf("with %s checked out: %v, want %v\n%s", after, got, want, briefing)
		}
	}
}

func TestAPlanThatWasCarriedOutAndNotCommittedIsNamedByItsTitle(t *testing.T) {
	s := newStage(t)
	s.common, s.head = "/home/dev/shop/.git", "1111111"
	const plan = "Implement the following plan:\n\n# Plan: Round the card fee half up\n\n## Steps\n- in `fee.go`"
	s.play(start("startup"), prompt("p1", plan),
		edited("p1", "t1", "/home/dev/shop/fee.go", "a", "b"), stop("p1", "All 12 tests pass."),
		mem.Event{Kind: mem.SessionEnd, Source: "other"})
	wants(t, "briefing", s.play(in("two", start("startup"))...).Context, "- not committed: Round the card fee half up\n")
}

// A session without work does not hide what the one before it left open, and work does.
func TestOpenEndsStandInTheBriefingUntilOtherWorkIsDone(t *testing.T) {
	const want = "interrupted: show the fee in the export of the month"
	s := newStage(t)
	_, _, briefing := openEnds(t, s, []mem.Event{
		prompt("p1", "show the fee in the export of the month"), failed("p1", "f", "go test ./export", "Exit code 1\nno fee"),
	})
	if !strings.Contains(briefing, want) {
		t.Errorf("the next session\n%s", briefing)
	}
	s.play(in("two", prompt("q1", "what is a fee"), stop("q1", "A fee is what a payment costs."),
		mem.Event{Kind: mem.SessionEnd})...)
	if briefing = s.play(in("three", start("startup"))...).Context; !strings.Contains(briefing, want) {
		t.Errorf("after a question\n%s", briefing)
	}
	s.play(in("three", append(roundFee("p1"), mem.Event{Kind: mem.SessionEnd})...)...)
	if briefing = s.play(in("four", start("startup"))...).Context; strings.Contains(briefing, want) {
		t.Errorf("after other work\n%s", briefing)
	}
}

// Of a busy day only the first lines are shown: they are those of the newest sessions, each time.
func TestARecapListsTheOpenEndsOfTheNewestSessionFirst(t *testing.T) {
	s := newStage(t)
	var want []string
	for _, asked := range []string{
		"show the fee in the export of the month", "round the amount of a refund", "name the currency on the invoice",
		"send a receipt by mail", "sort the orders by their date",
	} {
		s.clock = s.clock.Add(time.Minute)
		s.play(in(asked, start("startup"), prompt("p1", asked), failed("p1", "f", "go test ./shop", "Exit code 1\nno"),
			mem.Event{Kind: mem.SessionEnd})...)
		want = append([]string{"interrupted: " + asked}, want...)
	}
	for range 5 {
		got, err := s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Since: s.clock.Add(-time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		var open []string
		for _, o := range got.Days[0].Open {
			open = append(open, o.Title)
		}
		if !slices.Equal(open, want) {
			t.Fatalf("got\n%s\nwant\n%s", strings.Join(open, "\n"), strings.Join(want, "\n"))
		}
	}
}

// A session goes on for days: what it left open after the period is of no day of the recap.
func TestARecapListsOnlyWhatWasLeftOpenInItsPeriod(t *testing.T) {
	s := newStage(t)
	since := s.clock
	s.play(append([]mem.Event{start("startup")}, roundFee("p1")...)...)
	until := s.clock.Add(time.Hour)
	s.clock = s.clock.Add(48 * time.Hour)
	s.play(prompt("p2", "show the fee in the export of the month"), failed("p2", "f", "go test ./x", "Exit code 1\nno"),
		mem.Event{Kind: mem.SessionEnd})
	got, err := s.Views.Recap(t.Context(), views.RecapRequest{ProjectRef: shop, Since: since, Until: until})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Days) != 1 || len(got.Days[0].Open) > 0 {
		t.Errorf("got %+v, want the first day without open ends", got.Days)
	}
}

func TestErasedRequestsAreNotInjected(t *testing.T) {
	s := newStage(t)
	const asked = "show the voucher in the export of the month"
	turn := []mem.Event{prompt("p1", asked), failed("p1", "f", "go test ./export", "Exit code 1\nno fee")}
	if _, _, briefing := openEnds(t, s, turn); !strings.Contains(briefing, "voucher") {
		t.Fatalf("it is not in the briefing before:\n%s", briefing)
	}
	if _, err := s.Erase.EraseWords(t.Context(), "voucher", s.Purge); err != nil {
		t.Fatal(err)
	}
	handoff, briefing := nextOf(t, s, "three")
	wantsNot(t, "briefing", briefing, "voucher", chars.Erased)
	wantsNot(t, "what is open of a handoff", handoff, "voucher", chars.Erased)
}

// A person compares what a preview of words says with what was erased then.
func TestAnErasureOfWordsCountsWhatItsPreviewCounted(t *testing.T) {
	const order = "I decided to sort the invoices by date in list.go, because the old order was random."
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "the voucher is always rounded up, never down"),
		ran("p1", "t1", "make voucher", "ok"), stop("p1", "Vouchers are rounded up; the voucher test passes."),
		prompt("p2", "sort the invoices"), stop("p2", order))
	if _, err := s.Curate.Add(t.Context(), curate.AddRequest{
		ProjectRef: shop, Text: "The voucher comes last\n" + order, Agent: "one",
	}); err != nil {
		t.Fatal(err)
	}
	would := must(s.Erase.PreviewWords(t.Context(), "voucher"))
	if len(would.Mentions) < 2 || len(would.Memories) == 0 || len(would.With) == 0 {
		t.Fatalf("the preview finds too little: %+v", would)
	}
	for _, m := range would.With {
		if slices.ContainsFunc(would.Memories, func(o mem.Memory) bool { return o.ID == m.ID }) {
			t.Errorf("%s holds the words and is listed as one that goes with them", m.ID)
		}
	}
	done := must(s.Erase.EraseWords(t.Context(), "voucher", s.Purge))
	if !reflect.DeepEqual(done.Mentions, would.Mentions) || done.Purged != would.Purged {
		t.Errorf("erased %+v from %v, the preview said %+v from %v",
			done.Purged, done.Mentions, would.Purged, would.Mentions)
	}
	if again := must(s.Erase.PreviewWords(t.Context(), "voucher")); len(again.Mentions)+len(again.Memories) != 0 {
		t.Errorf("left: %+v", again)
	}
}
