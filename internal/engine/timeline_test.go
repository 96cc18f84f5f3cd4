package engine_test

import (
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"remanence/internal/curate"
	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// What is kept at one moment, as all that one answer teaches is, stands in the
// order in which it was kept, and the anchor among it.
func TestTimelineContainsItsAnchorAmongMemoriesOfTheSameTime(t *testing.T) {
	s := newStage(t)
	var b mem.Batch
	for _, title := range []string{"one", "two", "three", "four", "five", "six", "seven"} {
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: title,
			Created: s.clock, Trust: mem.TrustUser,
		})
	}
	if _, err := s.store.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		anchor string
		around int
		want   []string
		more   bool
	}{
		{"m_5", 1, []string{"four", "five", "six"}, true},
		{"m_1", 2, []string{"one", "two", "three"}, true},
		{"m_7", 2, []string{"five", "six", "seven"}, true},
		{"m_4", 3, []string{"one", "two", "three", "four", "five", "six", "seven"}, false},
		{"m_4", math.MaxInt, []string{"one", "two", "three", "four", "five", "six", "seven"}, false},
		{"", 3, []string{"five", "six", "seven"}, true},
		{"", 7, []string{"one", "two", "three", "four", "five", "six", "seven"}, false},
		{s.clock.Local().Format("2006-01-02"), 3, []string{"one", "two", "three", "four"}, true},
	} {
		got, err := s.Views.Timeline(t.Context(), views.TimelineRequest{ProjectRef: shop, Anchor: c.anchor, Around: c.around})
		if err != nil {
			t.Fatal(err)
		}
		var titles []string
		for _, m := range got.Entries {
			titles = append(titles, m.Title)
		}
		if !slices.Equal(titles, c.want) {
			t.Errorf("%d around %q: got %q, want %q", c.around, c.anchor, titles, c.want)
		}
		if got.More != c.more {
			t.Errorf("%d around %q: more is %t, want %t", c.around, c.anchor, got.More, c.more)
		}
	}
}

func TestATimelineIsOfTheLocalDayThatItsTimeIsOn(t *testing.T) {
	zone := time.Local
	time.Local = time.UTC
	defer func() { time.Local = zone }()
	s := newStage(t)
	var b mem.Batch
	for _, day := range []int{13, 14, 15, 16} {
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: strconv.Itoa(day),
			Created: time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC), Trust: mem.TrustUser,
		})
	}
	if _, err := s.store.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	for anchor, want := range map[string][]string{
		"2026-03-14T23:30:00-08:00": {"14", "15", "16"}, "2026-03-15": {"14", "15", "16"}, "20260315": {"14", "15", "16"},
		"2026-03-15T01:00:00+09:00": {"13", "14", "15"},
	} {
		got, err := s.Views.Timeline(t.Context(), views.TimelineRequest{ProjectRef: shop, Anchor: anchor, Around: 1})
		var titles []string
		for _, m := range got.Entries {
			titles = append(titles, m.Title)
		}
		if err != nil || !slices.Equal(titles, want) {
			t.Errorf("%s: got %q, %v, want %q", anchor, titles, err, want)
		}
	}
}

func TestAFileIsFoundHoweverItIsNamed(t *testing.T) {
	s := newStage(t)
	s.Rel = func(p mem.Project, file string) string { return path.Clean(strings.TrimPrefix(file, p.Root+"/")) }
	s.Engine.Reconnect()
	root := shop.Dir
	if _, err := s.store.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{
		{
			Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: "it is sent twice",
			Files: []string{"net/send.go"}, Created: s.clock, Trust: mem.TrustNone,
		},
		{
			Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Fact, Title: "elsewhere", Files: []string{"nets.go"},
			Created: s.clock, Trust: mem.TrustNone,
		},
	}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"net/send.go", "./net/send.go", root + "/net/send.go", "net/", "./net/", root +
		"/net/"} {
		got, err := s.Views.Timeline(t.Context(), views.TimelineRequest{ProjectRef: shop, Anchor: name})
		if err != nil || len(got.Entries) != 1 || got.Entries[0].Title != "it is sent twice" {
			t.Errorf("timeline of %s: %+v, %v", name, got.Entries, err)
		}
		found, err := s.Recall.Search(t.Context(), recall.SearchRequest{ProjectRef: shop, Query: mem.Query{File: name}})
		if err != nil || len(found.Hits) != 1 || found.Hits[0].Memory.Title != "it is sent twice" {
			t.Errorf("search in %s: %d hits, %v", name, len(found.Hits), err)
		}
		inbox, err := s.Curate.Review(t.Context(), curate.ReviewRequest{
			ProjectRef:   shop,
			MemoryFilter: curate.MemoryFilter{File: name},
		})
		if err != nil || inbox.Examined != 1 {
			t.Errorf("review of %s: %d looked at, %v", name, inbox.Examined, err)
		}
	}
}
