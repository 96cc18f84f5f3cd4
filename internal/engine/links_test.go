package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/index"
	"remanence/internal/mem"
)

// linkAll does the jobs that link new memories.
func (s *stage) linkAll() {
	s.t.Helper()
	s.clock = s.clock.Add(time.Minute)
	if _, failed := s.work(); failed != nil {
		s.t.Fatal(failed)
	}
}

// linked are the links of a memory as words: "m_2 contradicts m_1".
func (s *stage) linked(id string) []string {
	s.t.Helper()
	links, err := s.store.Links(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	out := []string{}
	for _, l := range links {
		out = append(out, fmt.Sprintf("%s %s %s", l.From, l.Kind, l.To))
	}
	slices.Sort(out)
	return out
}

// lays keeps a statement of the person's, a second later, and returns its id.
func (s *stage) lays(kind mem.Kind, text string, files ...string) string {
	s.t.Helper()
	s.clock = s.clock.Add(time.Second)
	return s.knows(kind, text, files...)
}

func TestStatementsThatCannotBothHoldAreFound(t *testing.T) {
	for _, tt := range []struct {
		then, now string
		opposed   bool
	}{
		{"we always squash commits before a merge", "we never squash commits before a merge", true},
		{"install the dependencies with npm", "use pnpm instead of npm for the dependencies", true},
		{"the webhook sender waits at most 90 seconds", "the webhook sender waits at most 60 seconds", true},
		{"use tabs for indentation", "use spaces for indentation", true},
		{"we deploy from the main branch", "we no longer deploy from the main branch, releases have their own", true},
		{"use spaces instead of tabs for indentation", "use spaces, no tabs, for indentation", false},
		{"the sender waits at most 90 seconds", "the importer reads at most 60 files of a folder", false},
		{"use postgres for the orders", "use redis for the sessions", false},
		{"run make check before a push", "the report is printed on thick paper", false},
		{"use pnpm instead of npm", "use pnpm instead of npm here", false},
		{"this is convention number 1 of the project", "this is convention number 2 of the project", false},
		{"the webhook sender of stage 2 waits 90 seconds", "the webhook sender of stage 3 waits 60 seconds", false},
		{"the webhook sender runs on postgres version 14", "the webhook sender runs on postgres version 15", true},
	} {
		s := newStage(t)
		a, b := s.lays(mem.Convention, tt.then), s.lays(mem.Convention, tt.now)
		s.linkAll()
		want := b + " contradicts " + a
		if got := slices.Contains(s.linked(b), want); got != tt.opposed {
			t.Errorf("%q, then %q: opposed is %v, links %v", tt.then, tt.now, got, s.linked(b))
		}
		for _, id := range []string{a, b} { // nothing is resolved by itself
			if m := s.shown(id); m.Status != mem.Active || m.Trust != mem.TrustUser {
				t.Errorf("%s is %s, %s", id, m.Status, m.Trust)
			}
		}
	}
}

func TestMemoriesAreLinkedByRule(t *testing.T) {
	s := newStage(t)
	old := s.lays(mem.Decision, "the webhook sender in send.go calls `postHook` with a timeout of ten seconds", "send.go")
	like := s.lays(mem.Decision, "the webhook sender in send.go calls `postHook` with a timeout and a retry", "send.go")
	names := s.lays(mem.Gotcha, "`postHook` loses the body when a proxy answers first", "send.go")
	other := s.lays(mem.Fact, "receipts are printed on thick paper")
	s.clock = s.clock.Add(time.Second)
	over := s.remember(curate.AddRequest{
		Text: "nobody calls the webhook sender directly", Kind: mem.Decision,
		Supersedes: other,
	})
	s.linkAll()
	if got, want := s.linked(like), []string{like + " similar_to " + old, names + " related_to " +
		like}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := s.linked(other), []string{over.ID + " supersedes " + other}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestAFixIsLinkedToWhatFailedAndToItsTurn(t *testing.T) {
	s := newStage(t)
	s.play(
		start("startup"), prompt("p1", "make the tests pass"),
		failed("p1", "t1", "make check", "Exit code 2\nundefined: rate"),
		edited("p1", "t2", "/home/dev/shop/rate.go", "a", "b"), ran("p1", "t3", "make check", "ok"),
		stop("p1", "I decided to keep the rate in one place, because two copies drifted apart."),
	)
	s.linkAll()
	ms, err := s.store.List(t.Context(), mem.Query{Kinds: []mem.Kind{mem.ErrorFix}, Within: "*"})
	if err != nil || len(ms) == 0 {
		t.Fatalf("no fix is kept: %v", err)
	}
	all := strings.Join(s.linked(ms[0].ID), "\n")
	wants(t, "links of the fix", all, ms[0].ID+" caused_by ", ms[0].ID+" part_of ")
}

func TestWhatIsNamedIsFound(t *testing.T) {
	s := newStage(t)
	s.lays(mem.Decision, "`sendWebhook()` posts to https://hooks.example.com/v1 and keeps its queue in Redis, as "+
		"agreed with Ada", "internal/send.go")
	s.lays(mem.Howto, "add github.com/jackc/pgx and left-pad@1.3.0; max_tries is read from the environment")
	if _, err := s.Curate.Add(t.Context(), curate.AddRequest{
		ProjectRef: shop, Text: "it holds the queue",
		Related: []curate.Relation{{Name: "Valkey", Type: "library", Relationship: "uses"}},
	}); err != nil {
		t.Fatal(err)
	}
	s.linkAll()
	found, err := s.store.Entities(t.Context(), mem.EntityQuery{Project: "p_shop", Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range found {
		got = append(got, string(e.Kind)+" "+e.Name)
	}
	slices.Sort(got)
	want := []string{
		"file internal/send.go", "package Valkey", "package github.com/jackc/pgx", "package left-pad", "person Ada",
		"service hooks.example.com", "service redis", "symbol max_tries", "symbol sendWebhook",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestTwoSpellingsOfANameBecomeOne(t *testing.T) {
	s := newStage(t)
	s.lays(mem.Fact, "`sendWebhook` retries three times")
	s.lays(mem.Fact, "`send_webhook` is the old spelling in the scripts")
	s.lays(mem.Fact, "`sendWebhook2` is another thing altogether")
	s.lays(mem.Fact, "nobody documented `sendWebhook` so far")
	s.linkAll()
	s.clock = s.clock.Add(25 * time.Hour)
	s.work()
	found, err := s.store.Entities(t.Context(), mem.EntityQuery{Limit: 10})
	if err != nil || len(found) != 2 || found[0].Name != "sendWebhook" || found[0].Mentions != 3 {
		t.Errorf("got %+v, %v; want sendWebhook named by three, and sendWebhook2", found, err)
	}
}

// link runs so many of the waiting jobs, and returns how many times each memory was linked.
func (s *stage) link(jobs int) map[string]int {
	s.t.Helper()
	s.clock = s.clock.Add(time.Minute)
	out := map[string]int{}
	for range jobs {
		j, err := s.store.Lease(s.t.Context(), mem.JobKinds{}, s.clock, time.Minute, 1)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(j) == 0 {
			return out
		}
		b, err := s.Work(s.t.Context(), j[0])
		if err != nil {
			s.t.Fatal(err)
		}
		for _, w := range b.Links {
			out[w.Memory]++
		}
		b.FinishedJobs = append(b.FinishedJobs, j[0].ID)
		s.applies(b)
	}
	return out
}

// A bustle, or what comes from long ago, does not have all that was ever kept
// looked at again, nor any of it twice.
func TestWhatIsNewIsLinkedOnceAndNothingElse(t *testing.T) {
	s := newStage(t)
	now := s.clock
	lay := func(what string, at time.Time, n int) map[string]int {
		ids := map[string]int{}
		for i := range n {
			s.clock = at.Add(time.Duration(i) * time.Second)
			ids[s.knows(mem.Fact, fmt.Sprintf("%s %d is kept in drawer %d", what, at.Unix()+int64(i), i))] = 1
		}
		s.clock = now.Add(time.Hour)
		return ids
	}
	for _, at := range []time.Time{now, now.Add(time.Minute), now.AddDate(-1, 0, 0)} {
		want := lay("coupon", at, 60)
		got := s.link(1) // and more comes in before the rest of that is done
		maps.Copy(want, lay("voucher", at.Add(60*time.Second), 20))
		for id, n := range s.link(100) {
			got[id] += n
		}
		if !maps.Equal(got, want) {
			t.Errorf("kept at %v: of %d memories %d were linked: %v", at, len(want), len(got), got)
		}
	}
}

// sour is a store that cannot look for what is like one memory.
type sour struct{ *index.Store }

func (s sour) Match(ctx context.Context, q mem.Query) ([]mem.Hit, error) {
	if strings.Contains(q.Text, "sour") {
		return nil, errors.New("malformed")
	}
	return s.Store.Match(ctx, q)
}

func TestOneThatCannotBeLinkedHoldsUpNoOther(t *testing.T) {
	s := newStage(t)
	old := s.lays(mem.Decision, "the webhook sender in send.go calls `postHook` with a timeout of ten seconds", "send.go")
	like := s.lays(mem.Decision, "the webhook sender in send.go calls `postHook` with a timeout and a retry", "send.go")
	s.lays(mem.Fact, "`sourDough` rises in the sour cellar")
	s.Store = sour{s.store}
	s.Engine.Reconnect()
	for range 2 {
		s.clock = s.clock.Add(time.Minute)
		s.work()
	}
	if got, want := s.linked(like), like+" similar_to "+old; !slices.Contains(got, want) {
		t.Errorf("links %v, want %s", got, want)
	}
	left, err := s.store.List(t.Context(), mem.Query{LinksOutdated: true, Within: "*"})
	if err != nil || len(left) != 0 {
		t.Errorf("%d are left, %v", len(left), err)
	}
	if names, err := s.store.Entities(t.Context(), mem.EntityQuery{Name: "sourDough"}); err != nil || len(names) != 1 {
		t.Errorf("names %v, %v, want that of the one without links", names, err)
	}
}
