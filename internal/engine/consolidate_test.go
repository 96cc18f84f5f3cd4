package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/recall"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"remanence/internal/mem"
)

// learned puts memories into the store, as a session of the past left them.
func (s *stage) learned(ms ...mem.Memory) []string {
	s.t.Helper()
	for i := range ms {
		m := &ms[i]
		m.Scope, m.Kind = cmp.Or(m.Scope, mem.ScopeProject), cmp.Or(m.Kind, mem.Fact)
		m.Importance, m.Confidence = cmp.Or(m.Importance, 0.5), cmp.Or(m.Confidence, 0.5)
		m.Project, m.Trust, m.Origin, m.Resolved = "p_shop", cmp.Or(m.Trust, mem.TrustAssistant),
			cmp.Or(m.Origin, mem.FromAssistant), true
		if m.Created.IsZero() {
			m.Created = s.clock
		}
	}
	res, err := s.store.Apply(s.t.Context(),
		mem.Batch{Project: &mem.Project{Key: "p_shop", Name: "shop", Root: "/home/dev/shop"}, Memories: ms})
	if err != nil {
		s.t.Fatal(err)
	}
	return res[0].IDs
}

func (s *stage) consolidate(ask curate.ConsolidateRequest) curate.ConsolidateResponse {
	s.t.Helper()
	ask.ProjectRef = shop
	got, err := s.Curate.Consolidate(s.t.Context(), ask)
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

func (s *stage) rounds() curate.ConsolidateResponse {
	s.t.Helper()
	got, err := s.Curate.Runs(s.t.Context(), curate.RunsRequest{ProjectRef: shop})
	if err != nil {
		s.t.Fatal(err)
	}
	return got
}

// rulesOf are what a round did, as "rule id".
func rulesOf(r mem.Run) string {
	var out []string
	for _, c := range r.Changes {
		out = append(out, c.Rule+" "+c.Memory)
	}
	return strings.Join(out, ", ")
}

func TestWhatIsSaidTwiceIsMergedAndCanBeTakenApart(t *testing.T) {
	s := newStage(t)
	ids := s.learned(
		mem.Memory{
			Kind: mem.Gotcha, Title: "The payment gateway answers 429 without a Retry-After header under load",
			Files: []string{"pay/client.go"}, Importance: 0.6, Uses: 1,
		},
		mem.Memory{
			Kind: mem.Gotcha, Title: "The payment gateway answers 429 without a Retry-After header under heavy load",
			Importance: 0.7, Created: s.clock.Add(time.Hour), Session: "two",
		},
	)
	before := s.memory(ids[0])
	got := s.consolidate(curate.ConsolidateRequest{})
	if r := rulesOf(got.Runs[0]); r != "merge m_2, continue m_1" {
		t.Fatalf("changes %q", r)
	}
	kept, gone := s.memory(ids[0]), s.memory(ids[1])
	if gone.Status != mem.Consolidated || gone.MergedInto != kept.ID {
		t.Errorf("the second is %s, merged into %q", gone.Status, gone.MergedInto)
	}
	if kept.Importance != 0.7 || kept.Confidence != 0.55 || kept.Status != mem.Active ||
		!kept.LastUsed.Equal(gone.Created) {
		t.Errorf("the first has importance %v, confidence %v, status %s, last used %v", kept.Importance, kept.Confidence,
			kept.Status, kept.LastUsed)
	}
	if again := s.consolidate(curate.ConsolidateRequest{}); len(again.Runs[0].Changes) > 0 {
		t.Errorf("a second round changes %q", rulesOf(again.Runs[0]))
	}
	back := s.consolidate(curate.ConsolidateRequest{Undo: got.Runs[0].ID})
	if back.Changed != 2 || !back.Runs[0].Undone {
		t.Errorf("taken back: %d changed, undone %v", back.Changed, back.Runs[0].Undone)
	}
	now := s.memory(ids[0])
	now.Updated = before.Updated
	if d := gocmp.Diff(before, now); d != "" {
		t.Errorf("the first is not what it was: -was +is\n%s", d)
	}
	if m := s.memory(ids[1]); m.Status != mem.Active || m.MergedInto != "" {
		t.Errorf("the second is %s, merged into %q", m.Status, m.MergedInto)
	}
	if again := s.consolidate(curate.ConsolidateRequest{}); len(again.Runs[0].Changes) > 0 {
		t.Errorf("what was taken back is done again: %q", rulesOf(again.Runs[0]))
	}
}

func TestWhatOnlyLooksAlikeStaysApart(t *testing.T) {
	for _, c := range []struct{ name, a, b string }{
		{
			"a denial", "Deploy the checkout service to the staging cluster on every merge to main",
			"Do not deploy the checkout service to the staging cluster on every merge to main",
		},
		{
			"another number", "The checkout service listens on port 8080 behind the staging proxy of the cluster",
			"The checkout service listens on port 8081 behind the staging proxy of the cluster",
		},
		{
			"a condition", "Run the integration tests of the checkout service in the staging cluster",
			"Run the integration tests of the checkout service only in the staging cluster",
		},
		{
			"another thing", "The checkout service keeps its sessions in the redis cache of the cluster",
			"The invoice service keeps its sessions in the redis cache of the cluster",
		},
		{
			"a denial in German", "Die Tests des Warenkorbs laufen im Cluster parallel und brauchen eine eigene Datenbank",
			"Die Tests des Warenkorbs laufen im Cluster nicht parallel und brauchen eine eigene Datenbank",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			s.learned(mem.Memory{Title: c.a}, mem.Memory{Title: c.b})
			if got := s.consolidate(curate.ConsolidateRequest{}); len(got.Runs[0].Changes) > 0 {
				t.Errorf("changes %q", rulesOf(got.Runs[0]))
			}
		})
	}
}

func TestTheWordOfOneThatIsTrustedLessAddsNothingButWeight(t *testing.T) {
	s := newStage(t)
	ids := s.learned(
		mem.Memory{
			Title: "Releases are cut from the main branch with a signed tag every second Tuesday",
			Trust: mem.TrustUser,
		},
		mem.Memory{
			Title: "Releases are cut from the main branch with a signed tag every second Tuesday",
			Trust: mem.TrustTool, Session: "two", Tags: []string{"from-tool"}, Files: []string{"evil.sh"},
		},
	)
	s.consolidate(curate.ConsolidateRequest{})
	if m := s.memory(ids[0]); m.Status != mem.Active || len(m.Tags)+len(m.Files) > 0 || m.Trust != mem.TrustUser {
		t.Errorf("the person's own is %s with tags %v and files %v", m.Status, m.Tags, m.Files)
	}
	if m := s.memory(ids[1]); m.MergedInto != ids[0] {
		t.Errorf("the tool's is %s", m.Status)
	}
}

func TestASessionsMemoryThatIsWorthItReachesTheProject(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "look into the cache"))
	own := func(m mem.Memory) mem.Memory {
		m.Scope, m.Session, m.Created = mem.ScopeSession, "one", s.clock
		return m
	}
	ids := s.learned(
		own(mem.Memory{
			Kind: mem.Discovery, Title: "The product cache is never invalidated on price changes",
			Importance: 0.75,
		}),
		own(mem.Memory{
			Kind: mem.Convention, Title: "Prices are integers in cents everywhere", Importance: 0.7,
			Confidence: 0.9, Uses: 1,
		}),
		own(mem.Memory{Kind: mem.Discovery, Title: "The cart holds at most fifty lines", Importance: 0.5}),
		own(mem.Memory{Kind: mem.Scratch, Title: "half a thought about shipping", Importance: 0.9}),
		own(mem.Memory{
			Kind: mem.Discovery, Title: "A page said to always run curl from there", Importance: 0.9, Trust: 0,
			Origin: mem.FromWeb,
		}),
	)
	s.applies(mem.Batch{Edits: []mem.Edit{{ID: ids[4], Trust: new(mem.Trust)}}})
	s.play(mem.Event{Kind: mem.SessionEnd, Source: "exit"})
	s.aMinuteOn()
	for i, want := range []mem.Scope{
		mem.ScopeProject, mem.ScopeProject, mem.ScopeSession, mem.ScopeSession,
		mem.ScopeSession,
	} {
		if m := s.memory(ids[i]); m.Scope != want {
			t.Errorf("%q is of scope %s, want %s", m.Title, m.Scope, want)
		}
	}
	if m := s.memory(ids[0]); m.PromotedFrom != mem.ScopeSession {
		t.Errorf("promoted from %q", m.PromotedFrom)
	}
	list := s.rounds()
	if len(list.Runs) != 1 || list.Runs[0].Kind != mem.SessionRun || list.Runs[0].Changes[0].Reason == "" {
		t.Errorf("rounds %+v", list.Runs)
	}
}

// aMinuteOn does the jobs that are due after a minute.
func (s *stage) aMinuteOn() {
	s.t.Helper()
	s.clock = s.clock.Add(time.Minute)
	if _, failed := s.work(); len(failed) > 0 {
		s.t.Fatal(failed)
	}
}

func TestEveryFifthSessionAllOfTheProjectIsLookedAt(t *testing.T) {
	s := newStage(t)
	old := s.learned(mem.Memory{Title: "The old admin panel needs a cookie", Created: s.clock.Add(-60 * day)})
	for i := range 6 {
		id := fmt.Sprint("s", i)
		s.play(in(id, start("startup"), prompt("p"+id, "add a filter to the list of orders"),
			mem.Event{Kind: mem.SessionEnd, Source: "exit"})...)
		s.aMinuteOn()
		if m := s.memory(old[0]); (m.Status == mem.Archived) != (i >= 4) {
			t.Fatalf("after session %d the old memory is %s", i+1, m.Status)
		}
	}
	runs, err := s.store.Runs(t.Context(), mem.RunQuery{Kind: mem.FullRun})
	if err != nil || len(runs) != 1 {
		t.Errorf("%d full rounds, error %v; want 1", len(runs), err)
	}
}

func TestASilentSessionIsConsolidatedWhenTheNextBegins(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "look into the cache"))
	ids := s.learned(mem.Memory{
		Scope: mem.ScopeSession, Session: "one", Kind: mem.Discovery,
		Title: "The product cache is never invalidated", Importance: 0.75,
	})
	s.clock = s.clock.Add(time.Hour)
	s.play(in("two", start("startup"))...)
	s.aMinuteOn()
	if m := s.memory(ids[0]); m.Scope != mem.ScopeProject {
		t.Errorf("scope %s, want %s", m.Scope, mem.ScopeProject)
	}
}

func TestAnArchivedMemoryIsFoundAndComesBackWhenItIsUsed(t *testing.T) {
	s := newStage(t)
	ids := s.learned(mem.Memory{
		Kind: mem.Gotcha, Title: "The legacy invoice exporter chokes on umlauts in customer names",
		Created: s.clock.Add(-40 * day),
	})
	s.consolidate(curate.ConsolidateRequest{})
	if m := s.memory(ids[0]); m.Status != mem.Archived {
		t.Fatalf("status %s", m.Status)
	}
	found, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		ProjectRef: shop,
		Query:      mem.Query{Text: "invoice exporter umlauts"},
	})
	if err != nil || len(found.Hits) != 1 {
		t.Fatalf("search finds %d, error %v", len(found.Hits), err)
	}
	r := s.play(start("startup"), prompt("p1", "why does the legacy invoice exporter choke on umlauts?"))
	if !strings.Contains(r.Context, "umlauts") {
		t.Errorf("with the prompt is injected %q", r.Context)
	}
	s.play(stop("p1", "As noted in "+ids[0]+", the exporter chokes on umlauts. I fixed the encoding."))
	if m := s.memory(ids[0]); m.Status != mem.Active || m.Uses != 1 {
		t.Errorf("status %s, used %d times", m.Status, m.Uses)
	}
}

func TestARestoredMemoryIsNotArchivedAgain(t *testing.T) {
	s := newStage(t)
	ids := s.learned(mem.Memory{Title: "The old admin panel needs a cookie", Created: s.clock.Add(-60 * day)})
	s.consolidate(curate.ConsolidateRequest{})
	s.marks("restore", ids...)
	s.consolidate(curate.ConsolidateRequest{})
	if m := s.memory(ids[0]); m.Status != mem.Active {
		t.Errorf("status %s", m.Status)
	}
}

func TestAnArchivedMemoryIsFoundAYearLaterAndNotErasedByRetention(t *testing.T) {
	s := newStage(t)
	ids := s.learned(mem.Memory{
		Kind:  mem.Gotcha,
		Title: "The legacy invoice exporter chokes on umlauts in customer names",
	},
		mem.Memory{Title: "The old import runs at night"})
	for range 4 {
		s.clock = s.clock.Add(100 * day)
		s.consolidate(curate.ConsolidateRequest{})
	}
	if m := s.memory(ids[0]); m.Status != mem.Archived {
		t.Fatalf("status %s, want %s", m.Status, mem.Archived)
	}
	s.marks("forget", ids[1:]...)
	s.clock = s.clock.Add(100 * day)
	for gone := (curate.RetentionResult{More: true}); gone.More; {
		var err error
		if gone, err = s.Curate.ApplyRetention(t.Context(), gone.Next, false); err != nil {
			t.Fatal(err)
		}
	}
	left, err := s.store.List(t.Context(), mem.Query{Hidden: true})
	if err != nil || len(left) != 1 || left[0].ID != ids[0] {
		t.Errorf("%d hidden memories are left, error %v; want the archived one alone", len(left), err)
	}
	found, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		ProjectRef: shop,
		Query:      mem.Query{Text: "invoice exporter umlauts"},
	})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("search finds %d, error %v", len(found.Hits), err)
	}
	if r := s.play(start("startup")); strings.Contains(r.Context, "umlauts") {
		t.Errorf("in the briefing: %q", r.Context)
	}
	if r := s.play(prompt("p1", "why does the legacy invoice exporter choke on umlauts?")); !strings.Contains(r.Context,
		"umlauts") {
		t.Errorf("with the prompt that asks for it is injected %q", r.Context)
	}
}

func TestADryRoundChangesNothing(t *testing.T) {
	s := newStage(t)
	ids := s.learned(mem.Memory{Title: "The old admin panel needs a cookie", Created: s.clock.Add(-60 * day)})
	got := s.consolidate(curate.ConsolidateRequest{DryRun: true})
	if r := rulesOf(got.Runs[0]); r != "archive m_1" || got.Runs[0].ID != "" {
		t.Errorf("round %q would %q", got.Runs[0].ID, r)
	}
	if m := s.memory(ids[0]); m.Status != mem.Active {
		t.Errorf("status %s", m.Status)
	}
}

// phrases of which memories are made: some say the same in other words.
var phrases = []string{
	"The payment gateway answers 429 without a Retry-After header under load",
	"The payment gateway answers 429 without a Retry-After header under heavy load",
	"The payment gateway answers 429 without any Retry-After header under heavy load today",
	"Never retry a payment without its idempotency key in the header",
	"Retry a payment with its idempotency key in the header",
	"The search index is rebuilt every night at two by a cron job on the worker",
	"The search index is rebuilt every night at two by a cron job on the big worker",
	"Prices are integers in cents",
}

// drawMemory makes one of a session or of its project.
func drawMemory(t *rapid.T, s *stage, n int) mem.Memory {
	m := mem.Memory{
		Title: rapid.SampledFrom(phrases).Draw(t, "title"),
		Kind: rapid.SampledFrom([]mem.Kind{
			mem.Fact, mem.Gotcha, mem.Decision, mem.Discovery, mem.Command,
			mem.Scratch,
		}).Draw(t, "kind"),
		Scope:      rapid.SampledFrom([]mem.Scope{mem.ScopeSession, mem.ScopeProject, mem.ScopeUser}).Draw(t, "scope"),
		Trust:      mem.Trust(rapid.IntRange(1, 3).Draw(t, "trust")),
		Importance: float64(rapid.IntRange(1, 10).Draw(t, "importance")) / 10,
		Confidence: float64(rapid.IntRange(1, 10).Draw(t, "confidence")) / 10,
		Uses:       rapid.IntRange(0, 4).Draw(t, "uses"),
		Pinned:     rapid.IntRange(0, 9).Draw(t, "pinned") == 0,
		Evergreen:  rapid.IntRange(0, 9).Draw(t, "evergreen") == 0,
		Session:    "one", Key: fmt.Sprint("k", n),
		Created: s.clock.Add(-time.Duration(rapid.IntRange(0, 200).Draw(t, "age")) * day),
	}
	m.Updated = m.Created
	return m
}

// outcome is what became of memories, by their keys and whatever their ids.
func (s *stage) outcome(keys map[string]string) map[string]mem.Lifecycle {
	s.t.Helper()
	ms, err := s.store.List(s.t.Context(), mem.Query{Hidden: true, Within: "*", Limit: 1000})
	if err != nil {
		s.t.Fatal(err)
	}
	out := map[string]mem.Lifecycle{}
	for _, m := range ms {
		l := curate.MutableOf(m)
		l.MergedInto = keys[m.MergedInto]
		out[m.Key] = l
	}
	return out
}

// over plays a session that ended.
func (s *stage) over() {
	s.t.Helper()
	s.play(start("startup"), mem.Event{Kind: mem.SessionEnd, Source: "exit"})
}

// settle keeps memories in an order and consolidates them.
func settle(t *testing.T, ms []mem.Memory) (*stage, map[string]mem.Lifecycle) {
	s := newStage(t)
	s.over()
	keys := map[string]string{}
	for _, m := range ms {
		keys[s.learned(m)[0]] = m.Key
	}
	s.consolidate(curate.ConsolidateRequest{})
	return s, s.outcome(keys)
}

func TestConsolidationKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base := newStage(t)
		base.over()
		var ms []mem.Memory
		for i := range rapid.IntRange(1, 14).Draw(rt, "count") {
			ms = append(ms, drawMemory(rt, base, i))
		}
		s, got := settle(t, ms)
		for _, m := range ms {
			is := got[m.Key]
			if (m.Pinned || m.Evergreen || m.Scope == mem.ScopeUser || m.Trust == mem.TrustUser) && is.Status != mem.Active {
				rt.Fatalf("%q, which nothing may put away, is %s", m.Title, is.Status)
			}
			if is.Status == mem.Archived && m.Kind == mem.Decision {
				rt.Fatalf("decision %q is archived", m.Title)
			}
			if is.MergedInto != "" && got[is.MergedInto].MergedInto == m.Key {
				rt.Fatalf("%q and %q stand for each other", m.Key, is.MergedInto)
			}
		}
		if again := s.consolidate(curate.ConsolidateRequest{}); len(again.Runs[0].Changes) > 0 {
			rt.Fatalf("a second round changes %s", rulesOf(again.Runs[0]))
		}
		if _, other := settle(t, rapid.Permutation(ms).Draw(rt, "order")); !gocmp.Equal(got, other) {
			rt.Fatalf("it depends on the order: -one +other\n%s", gocmp.Diff(got, other))
		}
	})
}

func TestEveryRoundCanBeTakenBackWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t)
		s.over()
		keys := map[string]string{}
		for i := range rapid.IntRange(1, 14).Draw(rt, "count") {
			m := drawMemory(rt, s, i)
			keys[s.learned(m)[0]] = m.Key
		}
		before := s.outcome(keys)
		got := s.consolidate(curate.ConsolidateRequest{})
		s.consolidate(curate.ConsolidateRequest{Undo: got.Runs[0].ID})
		if d := gocmp.Diff(before, s.outcome(keys)); d != "" {
			rt.Fatalf("not as before: -was +is\n%s", d)
		}
	})
}

func TestALongRoundGoesOnInSteps(t *testing.T) {
	s := newStage(t)
	var ms []mem.Memory
	for i := range 450 {
		ms = append(ms, mem.Memory{
			Title:   fmt.Sprintf("old note %d on word%d of topic%d", i, i*7, i*13),
			Created: s.clock.Add(-60 * day), Key: fmt.Sprint(i),
		})
	}
	s.learned(ms...)
	got := s.consolidate(curate.ConsolidateRequest{})
	left, err := s.store.List(context.Background(), mem.Query{Limit: 1000})
	if err != nil || len(left) != 0 || len(got.Runs[0].Changes) != 450 {
		t.Errorf("%d left, %d changes, error %v", len(left), len(got.Runs[0].Changes), err)
	}
	list := s.rounds()
	if len(list.Runs) != 1 || len(list.Runs[0].Changes) != 450 {
		t.Errorf("%d rounds", len(list.Runs))
	}
}
