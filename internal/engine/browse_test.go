package engine_test

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

func TestStoryListsTheSessionsInjections(t *testing.T) {
	s := newStage(t)
	s.learned(mem.Memory{Title: "Orders are numbered per warehouse and year"})
	s.play(start("startup"))
	got, err := s.Views.SessionStory(t.Context(), views.MemoryRequest{ID: "one"})
	if err != nil || len(got.Entries) == 0 {
		t.Fatal(got.Entries, err)
	}
	b := got.Entries[len(got.Entries)-1]
	if want := `^1 item, \d+ tokens: \d+ for items \(budget 1,200\), \d+ around them$`; b.Lane != views.LaneInjection ||
		!regexp.MustCompile(want).MatchString(b.Detail) {
		t.Errorf("%s: got %q, want %s", b.Lane, b.Detail, want)
	}
}

func TestASessionsStoryIsInOrderAndInLanes(t *testing.T) {
	s := newStage(t)
	s.play(
		start("startup"), prompt("p1", "make the retry test pass"),
		failed("p1", "t1", "go test ./net", "Exit code 1\nFAIL: TestRetry"), edited("p1", "t2", "/home/dev/shop/net/retry.go",
			"a", "b"), ran("p1", "t3", "go test ./net", "ok"),
		ran("p1", "t4", "ls", "ok"), stop("p1", "The cause was the missing jitter."),
		mem.Event{Kind: mem.PreCompact, Source: "auto"},
	)
	got, err := s.Views.SessionStory(t.Context(), views.MemoryRequest{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	titles := map[string][]string{}
	for i, b := range got.Entries {
		titles[b.Lane] = append(titles[b.Lane], b.Title)
		if i > 0 && b.At.Before(got.Entries[i-1].At) {
			t.Errorf("%q comes before what was earlier", b.Title)
		}
	}
	for lane, want := range map[string][]string{
		views.LanePrompt:     {"session started, startup", "make the retry test pass", "answered"},
		views.LaneTest:       {"Bash go test ./net", "Bash go test ./net"},
		views.LaneEdit:       {"Edit net/retry.go"},
		views.LaneTool:       {"Bash ls"},
		views.LaneCompaction: {"before, auto"},
	} {
		if !slices.Equal(titles[lane], want) {
			t.Errorf("lane %s: got %q, want %q", lane, titles[lane], want)
		}
	}
	if len(titles[views.LaneMemory]) == 0 || len(titles[views.LaneCheckpoint]) != 1 {
		t.Errorf("got %d memories and %d checkpoints, want some and one", len(titles[views.LaneMemory]),
			len(titles[views.LaneCheckpoint]))
	}
	i := slices.IndexFunc(got.Entries, func(b views.StoryEntry) bool { return b.Lane == views.LaneTest })
	if b := got.Entries[i]; !b.Failed || b.Prompt != 1 || !strings.Contains(b.Detail, "TestRetry") {
		t.Errorf("failed test: got %+v, want it failed, in prompt 1, with its error", b)
	}
	if got.Session.Memories == 0 || got.Session.Files == 0 {
		t.Errorf("session: %d memories on %d files, want some", got.Session.Memories, got.Session.Files)
	}
}

func TestAMemorysStorySaysWhereItComesFromAndWhatBecameOfIt(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "why does the export fail?"),
		failed("p1", "t1", "make export", "Exit code 2\nno space left"))
	ms, err := s.store.List(t.Context(), mem.Query{Session: "one", Within: "*"})
	if err != nil || len(ms) == 0 {
		t.Fatalf("got %d memories, %v, want some", len(ms), err)
	}
	got, err := s.Views.MemoryStory(t.Context(), views.MemoryRequest{ID: ms[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	want := "Learned from Claude Code session s_1 “why does the export fail?”, 2 Mar 2026 09:00, after `make export` " +
		"failed with exit code 2, from tool output; injected never, used never."
	if got.Provenance != want {
		t.Errorf("got  %s\nwant %s", got.Provenance, want)
	}
	if got.Prompt != "why does the export fail?" {
		t.Errorf("asked %q", got.Prompt)
	}

	old := s.remember(curate.AddRequest{Text: "the lock is fair"})
	now := s.remember(curate.AddRequest{Text: "the lock is not fair", Supersedes: old.ID})
	s.play(mem.Event{Kind: mem.SessionStart, Source: "startup", Session: "two"})
	for id, kin := range map[string]func(views.MemoryStory) *mem.Memory{
		old.ID: func(m views.MemoryStory) *mem.Memory { return m.ReplacedBy },
		now.ID: func(m views.MemoryStory) *mem.Memory { return m.Replaces },
	} {
		story, err := s.Views.MemoryStory(t.Context(), views.MemoryRequest{ID: id})
		if err != nil || kin(story) == nil || !strings.HasPrefix(story.Provenance, "Added by you, 2 Mar 2026") {
			t.Errorf("%s: kin %v, %q, %v, want the other one and the person's word", id, kin(story), story.Provenance, err)
		}
		if injected := len(story.Injections); (injected == 1) != (id == now.ID) {
			t.Errorf("%s was injected %d times", id, injected)
		}
	}
}

func TestTheFeedHasTheNewestOfEverySortFirst(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "add a retry to the sender"), edited("p1", "t1", "/home/dev/shop/net/send.go",
		"a", "b"), stop("p1", "Done."))
	s.play(prompt("p2", "<private>nobody is told</private>"))
	s.play(mem.Event{Kind: mem.SessionEnd, Source: "exit"})
	got, err := s.Views.Feed(t.Context(), views.FeedRequest{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for i, m := range got.Entries {
		kinds[m.What] = true
		if i > 0 && m.At.After(got.Entries[i-1].At) {
			t.Errorf("%q is newer than what comes before it", m.Title)
		}
		if m.Session != "s_1" || m.ProjectName != "shop" {
			t.Errorf("%q: session %q in %q, want s_1 in shop", m.Title, m.Session, m.ProjectName)
		}
		if strings.Contains(m.Title, "nobody") {
			t.Errorf("a private prompt is shown: %q", m.Title)
		}
	}
	for _, want := range []string{"prompt", "session_end", string(mem.Change)} {
		if !kinds[want] {
			t.Errorf("no %s among %v", want, kinds)
		}
	}
	few, err := s.Views.Feed(t.Context(), views.FeedRequest{Limit: 2})
	if err != nil || len(few.Entries) != 2 || few.Entries[0].What != got.Entries[0].What {
		t.Errorf("two: got %+v, %v", few.Entries, err)
	}
	all := len(got.Entries)
	for offset, want := range map[int]int{math.MinInt: all, -1: all, 1: all - 1, math.MaxInt: 0} {
		part, err := s.Views.Feed(t.Context(), views.FeedRequest{Offset: offset})
		if err != nil || len(part.Entries) != want || part.More {
			t.Errorf("offset %d: got %d entries, more %v, %v; want %d", offset, len(part.Entries), part.More, err, want)
		}
	}
}

func TestFacetsCountWhatWasFoundAndMarksSayWhere(t *testing.T) {
	s := newStage(t)
	for _, ask := range []curate.AddRequest{
		{
			Text: "🎯 retries back off with jitter\nThe sender retries twice.", Kind: mem.Decision,
			Files: []string{"net/send.go"},
		},
		{Text: "the gateway wants a retry after 429", Kind: mem.Gotcha},
		{Text: "the roster is in the desk", Kind: mem.Fact},
	} {
		ask.ProjectRef = shop
		if _, err := s.Curate.Add(t.Context(), ask); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		ProjectRef: shop,
		Query:      mem.Query{Text: "retry", Limit: 1}, Facets: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []mem.Count{{Value: "decision", N: 1}, {Value: "gotcha", N: 1}}
	if len(got.Hits) != 1 || got.Counted != 2 || !slices.Equal(got.Facets["kind"], want) {
		t.Errorf("got %d hits of %d, kinds %v, want 1 of 2 and %v", len(got.Hits), got.Counted, got.Facets["kind"], want)
	}
	all, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		ProjectRef: shop, Query: mem.Query{Text: "retry"},
		Facets: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range all.Hits {
		if h.Memory.Kind == mem.Decision {
			// The target takes two units of UTF-16.
			if m := all.Marks[h.Memory.ID]; !slices.Equal(m.Title, [][2]int{{3, 10}}) || len(m.In) == 0 ||
				!strings.Contains(m.Excerpt, "sender retries") {
				t.Errorf("marks %+v of %q, want the word at 3 and in the excerpt", m, h.Memory.Title)
			}
		}
	}
	listed, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		ProjectRef: shop,
		Query:      mem.Query{Limit: 2, Offset: 1}, Facets: true,
	})
	if err != nil || len(listed.Hits) != 2 || listed.Counted != 3 || len(listed.Facets["kind"]) != 3 {
		t.Errorf("without words: %d hits of %d, facets %v, %v, want 2 of 3 and 3 kinds", len(listed.Hits), listed.Counted,
			listed.Facets, err)
	}
	for _, words := range []string{"", "retry"} {
		for _, facets := range []bool{false, true} {
			if got, err := s.Recall.Search(t.Context(), recall.SearchRequest{
				ProjectRef: shop,
				Query:      mem.Query{Text: words, Limit: -1, Offset: -1}, Facets: facets,
			}); err != nil || len(got.Hits) < 2 {
				t.Errorf("from before the first, %q, facets %v: %d hits, %v", words, facets, len(got.Hits), err)
			}
		}
	}
	if plain, err := s.Recall.Search(t.Context(), recall.SearchRequest{
		ProjectRef: shop,
		Query:      mem.Query{Text: "retry"},
	}); err != nil || plain.Facets != nil || plain.Marks != nil {
		t.Errorf("facets without a request: got %v, %v, %v", plain.Facets, plain.Marks, err)
	}
}

func TestAStoryCountsWhatWasDoneAndWhenNothingWas(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"), prompt("p1", "look into the cache"), ran("p1", "t1", "ls", "a.go"))
	s.clock = s.clock.Add(45 * time.Minute)
	s.play(prompt("p2", "and the index"), ran("p2", "t2", "ls", "a.go"), ran("p2", "t3", "pwd", "/"),
		stop("p2", "Both are fine."))
	got, err := s.Views.SessionStory(t.Context(), views.MemoryRequest{ID: "one"})
	if err != nil {
		t.Fatal(err)
	}
	a := got.Activity
	if idle := time.Duration(a.IdleS) * time.Second; a.Prompts != 2 || a.Tools != 3 || a.Gaps != 1 ||
		idle < 45*time.Minute || idle > 50*time.Minute {
		t.Errorf("activity %+v, want 2 prompts, 3 tools and a gap of 45 minutes", a)
	}
}

func TestATimelineIsAboutWhatLiesNextToItsAnchorHoweverMuchCameLater(t *testing.T) {
	s := newStage(t)
	s.play(start("startup"))
	var b mem.Batch
	for i := range 1200 {
		at := s.clock.Add(time.Duration(i) * time.Minute)
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: fmt.Sprint("fact ", i), Trust: mem.TrustUser,
			Created: at, Updated: at,
		})
	}
	kept, err := s.store.Apply(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Views.Timeline(t.Context(), views.TimelineRequest{
		ProjectRef: mem.ProjectRef{Project: "all"},
		Anchor:     kept[0].IDs[100], Around: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, m := range got.Entries {
		titles = append(titles, m.Title)
	}
	if want := []string{"fact 98", "fact 99", "fact 100", "fact 101", "fact 102"}; !slices.Equal(titles, want) {
		t.Errorf("got %q, want %q", titles, want)
	}
}

func TestALongSessionsStorySaysHowManyEventsItLeavesOut(t *testing.T) {
	s := newStage(t)
	var bs []mem.Batch
	for i := range 4007 {
		e := mem.Event{
			Agent: "claude-code", Kind: mem.PostToolUse, Session: "one", ToolUseID: fmt.Sprint(i), Tool: "Bash",
			At: s.clock.Add(time.Duration(i) * time.Second),
		}
		e.Identify("n")
		bs = append(bs, mem.Batch{Event: &e})
	}
	if _, err := s.store.Apply(t.Context(), bs...); err != nil {
		t.Fatal(err)
	}
	got, err := s.Views.SessionStory(t.Context(), views.MemoryRequest{ID: "one"})
	if err != nil || len(got.Entries) != 4000 || got.Cut != 7 {
		t.Errorf("%d moments, %d older ones left out, %v; want 4000 and 7", len(got.Entries), got.Cut, err)
	}
}
