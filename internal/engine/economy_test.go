package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/views"
)

// asked plays a prompt in a session of its own and returns its receipt.
func (s *stage) asked(session, text string) mem.Receipt {
	s.t.Helper()
	s.play(in(session, prompt("q-"+session, text))...)
	rs, err := s.store.Receipts(s.t.Context(), mem.ReceiptQuery{Session: session, Trigger: "prompt"})
	if err != nil || len(rs) != 1 {
		s.t.Fatalf("receipts of %s: %d, %v", session, len(rs), err)
	}
	return rs[0]
}

const aboutTheRace = "why did two logins race for the session lock?"

func TestEconomyCountsInjectionsByDay(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.clock = s.clock.AddDate(0, 0, -3)
	first := s.asked("two", aboutTheRace)
	s.clock = s.clock.AddDate(0, 0, 2)
	second := s.asked("three", aboutTheRace)
	s.asked("four", "write a haiku about the sea in winter")
	s.play(in("four", tool(mem.PostToolUse, "q-four", "c1", "mcp__remanence__search", map[string]any{"query": "sea"},
		"nothing about any sea was found"))...)
	got, err := s.Views.Economy(t.Context(), views.EconomyRequest{ProjectRef: shop, Days: 7})
	if err != nil || len(got.Days) != 7 {
		t.Fatalf("%d days, %v", len(got.Days), err)
	}
	today := s.clock.Local().Format(time.DateOnly)
	i := slices.IndexFunc(got.Days, func(d views.EconomyDay) bool { return d.Day == today })
	before := got.Days[i-2]
	if before.Tokens["prompt"] != first.Tokens || before.Injected != 1 {
		t.Errorf("two days before: %+v, want %d tokens of one prompt", before, first.Tokens)
	}
	if d := got.Days[i]; d.Tokens["prompt"] != second.Tokens || d.Abstained != 1 || d.Calls != 1 || d.Results == 0 {
		t.Errorf("today: %+v, want %d tokens, one abstained and one call", d, second.Tokens)
	}
	if got.Total.Tokens["prompt"] != first.Tokens+second.Tokens || got.Sessions != 2 {
		t.Errorf("in all %+v in %d sessions, want those of both days and 2", got.Total, got.Sessions)
	}
	if n := got.Agents["claude-code"]; n != got.Total.InjectedTokens() || n == 0 || len(got.Agents) != 1 {
		t.Errorf("by agent %v, want all %d by the one", got.Agents, got.Total.InjectedTokens())
	}
	if other, err := s.Views.Economy(t.Context(),
		views.EconomyRequest{ProjectRef: mem.ProjectRef{Dir: "/home/dev/other"}}); err != nil || other.Injected > 0 ||
		other.Total.Calls > 0 {
		t.Errorf("another project: %+v, %v, want nothing injected", other.Total, err)
	}
}

func TestEconomyCountsUseAfterwardsAndEstimatesByReads(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	s.play(tool(mem.PostToolUse, "p1", "t9", "Read", map[string]any{"file_path": "/home/dev/shop/auth/session.go"},
		map[string]any{"content": "package auth // and much more of it"}))
	r := s.asked("two", aboutTheRace)
	if len(r.Items) == 0 {
		t.Fatal("nothing was injected")
	}
	none, err := s.Views.Economy(t.Context(), views.EconomyRequest{ProjectRef: shop})
	if err != nil || none.Injected == 0 || none.Used != 0 || none.Estimate.Tokens != 0 {
		t.Fatalf("before any use: %d injected, %d used, %d estimated, %v",
			none.Injected, none.Used, none.Estimate.Tokens, err)
	}
	withFile := ""
	for _, it := range r.Items {
		if ms, err := s.store.List(t.Context(), mem.Query{IDs: []string{it.ID}}); err == nil && len(ms[0].Files) > 0 {
			withFile = it.ID
		}
	}
	if withFile == "" {
		t.Fatal("no item is about a file")
	}
	s.clock = s.clock.Add(time.Minute)
	s.applies(mem.Batch{Edits: []mem.Edit{{ID: withFile, Used: 1}}})
	got, err := s.Views.Economy(t.Context(), views.EconomyRequest{ProjectRef: shop})
	if err != nil || got.Used != 1 || got.Estimate.Items != 1 || got.Estimate.Reads != 1 ||
		got.Estimate.Tokens != got.Estimate.PerRead || got.Estimate.PerRead == 0 {
		t.Errorf("after a use: %d used, estimate %+v, %v, want one item times one read", got.Used, got.Estimate, err)
	}
}

func TestDeadWeightIsInjectedOftenAndNeverUsed(t *testing.T) {
	s := newStage(t)
	s.play(bugHunt()...)
	names := []string{"two", "three", "four", "five", "six", "seven"}
	var r mem.Receipt
	same := func(dead []views.DeadItem) {
		t.Helper()
		states, err := s.Views.ItemStates(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for id, st := range states {
			if st.Dead != slices.ContainsFunc(dead, func(d views.DeadItem) bool { return d.ID == id }) {
				t.Errorf("%s: a briefing says dead %v, the list %+v", id, st.Dead, dead)
			}
		}
	}
	for i, name := range names {
		r = s.asked(name, aboutTheRace)
		got, err := s.Views.Economy(t.Context(), views.EconomyRequest{ProjectRef: shop})
		if err != nil || (len(got.Dead) > 0) != (i+1 >= views.DeadAfter) {
			t.Errorf("injected %d times: %d dead, %v", i+1, len(got.Dead), err)
		}
		same(got.Dead)
	}
	id := r.Items[0].ID
	s.applies(mem.Batch{Edits: []mem.Edit{{ID: id, Used: 1}}})
	got, err := s.Views.Economy(t.Context(), views.EconomyRequest{ProjectRef: shop})
	if err != nil || slices.ContainsFunc(got.Dead, func(d views.DeadItem) bool { return d.ID == id }) {
		t.Errorf("%s was used and is dead weight: %+v, %v", id, got.Dead, err)
	}
	same(got.Dead)
}

func TestOthersThatBeginLikeAnErasedOneAreNotTakenForIt(t *testing.T) {
	s := newStage(t)
	var all []mem.Memory
	for i := range 34 { // m_1 … m_11, by 32
		all = append(all, mem.Memory{Kind: mem.Fact, Title: fmt.Sprint("shelf number ", i)})
	}
	all[33].Supersedes = "m_1"
	ids := s.learned(all...)
	for i := range views.DeadAfter {
		r := mem.Receipt{
			ID: fmt.Sprint("r_", i), Session: "one", Project: "p_shop", At: s.clock, Trigger: "prompt",
			Outcome: mem.Injected,
		}
		for _, id := range ids[:3] {
			r.Items = append(r.Items, mem.InjectedItem{ID: id, Tokens: 20})
		}
		if _, err := s.store.Apply(t.Context(), mem.Batch{Receipts: []mem.Receipt{r}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Purge(t.Context(), event.IDs{IDs: ids[:1]}); err != nil {
		t.Fatal(err)
	}
	got, err := s.Views.Economy(t.Context(), views.EconomyRequest{ProjectRef: shop})
	if err != nil || len(got.Dead) != 2 || got.Dead[0].ID != ids[1] || got.Dead[1].ID != ids[2] ||
		got.Injected != 3*views.DeadAfter {
		t.Errorf("%+v of %v are dead weight, %d injected, %v", got.Dead, ids[:3], got.Injected, err)
	}
	if _, err := s.Curate.Review(t.Context(), curate.ReviewRequest{ProjectRef: shop}); err != nil {
		t.Errorf("review: %v", err)
	}
	if why, err := s.Views.Why(t.Context(), views.WhyRequest{ID: "r_0"}); err != nil || len(why.States) != 1 ||
		why.States[ids[0]] != "erased" {
		t.Errorf("what became of what was injected: %v, %v, want that %s is erased", why.States, err, ids[0])
	}
	if story, err := s.Views.MemoryStory(t.Context(), views.MemoryRequest{ID: ids[33]}); err != nil ||
		story.Replaces != nil {
		t.Errorf("in the place of %s: %+v, %v", ids[0], story.Replaces, err)
	}
}
