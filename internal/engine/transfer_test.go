package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/recall"
	"remanence/internal/views"
)

// brought keeps memories that come from elsewhere.
func (s *stage) brought(ms ...mem.Memory) []string {
	s.t.Helper()
	ids, err := s.Curate.AddMany(s.t.Context(), ms)
	if err != nil {
		s.t.Fatal(err)
	}
	return ids
}

func note(title, body string) mem.Memory {
	return mem.Memory{
		Scope: mem.ScopeProject, Project: "p_shop", Kind: mem.Decision, Trust: mem.TrustUser, Title: title,
		Body: body,
	}
}

func TestManyMemoriesAreKeptAtOnceAndFoundByTheirWords(t *testing.T) {
	s := newStage(t)
	var ms []mem.Memory
	for i := range 600 {
		ms = append(ms, note("", fmt.Sprintf("shelf number%d holds cellos", i)))
	}
	ids := s.brought(ms...)
	if distinct := len(slices.Compact(slices.Sorted(slices.Values(ids)))); len(ids) != 600 || distinct != 600 {
		t.Fatalf("got %d ids, %d of them distinct, want 600", len(ids), distinct)
	}
	found, err := s.Recall.Search(t.Context(), recall.SearchRequest{ProjectRef: shop, Query: mem.Query{Text: "number417"}})
	if err != nil || len(found.Hits) != 1 || found.Hits[0].Memory.ID != ids[417] {
		t.Errorf("got %+v, %v, want %s", found.Hits, err, ids[417])
	}
}

func TestImportedTextIsRedacted(t *testing.T) {
	s := newStage(t)
	m := note("the key", "use ghp_0123456789abcdefghijklmnopqrstuvwxyz <private>at night</private>")
	m.Facts, m.Files, m.Tags = []string{"password is hunter2"}, []string{"a.go"}, []string{"<private>x</private>"}
	ids := s.brought(note("", "<private>all of it</private>"), m)
	if ids[0] != "" || ids[1] == "" {
		t.Fatalf("got ids %q, want none for what is private as a whole", ids)
	}
	kept := s.memory(ids[1])
	all := fmt.Sprint(kept)
	for _, word := range []string{"ghp_0123", "hunter2", "night", "private"} {
		if strings.Contains(all, word) {
			t.Errorf("%q is kept: %s", word, all)
		}
	}
	if !slices.Equal(kept.Files, []string{"a.go"}) || len(kept.Tags) != 0 || kept.Title != "the key" {
		t.Errorf("got %+v", kept)
	}
}

func TestWhatComesWithoutATitleGetsItsFirstLine(t *testing.T) {
	s := newStage(t)
	ids := s.brought(note("", "one line only"), note("", "first line\nand more"),
		note(strings.Repeat("long ", 60), "body"))
	want := [][2]string{{"one line only", ""}, {"first line", "first line\nand more"}}
	for i, w := range want {
		if got := s.memory(ids[i]); got.Title != w[0] || got.Body != w[1] {
			t.Errorf("got %q, %q, want %q", got.Title, got.Body, w)
		}
	}
	if got := s.memory(ids[2]); len([]rune(got.Title)) > 160 || got.Body != "body" || got.Importance != 0.7 {
		t.Errorf("got %+v, want a title cut to 160 and the importance of its kind", got)
	}
}

func TestPromptCanBeSearchedAsOfATime(t *testing.T) {
	s := newStage(t)
	old, late := note("", "the harpsichord is tuned to 415 hertz"), note("",
		"the harpsichord was tuned to 440 hertz again")
	old.Created, late.Created = s.clock.Add(-2*day), s.clock.Add(-day)
	ids := s.brought(old, late)
	injected := func(before time.Time) (out []string) {
		r, err := s.Next(t.Context(), views.NextRequest{ProjectRef: shop, Prompt: "to how many hertz is the harpsichord " +
			"tuned?", Before: before})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range r.Items {
			out = append(out, it.ID)
		}
		slices.Sort(out)
		return out
	}
	if got := injected(time.Time{}); !slices.Equal(got, ids) {
		t.Errorf("now: injected %v, want %v", got, ids)
	}
	if got := injected(late.Created); !slices.Equal(got, ids[:1]) {
		t.Errorf("as of then: injected %v, want %v", got, ids[:1])
	}
}
