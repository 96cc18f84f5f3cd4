package sqlite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// everyFilter has every filter of a query.
var everyFilter = mem.Query{
	Terms: []string{"alpha"}, Scopes: []mem.Scope{mem.ScopeProject}, Kinds: []mem.Kind{mem.Fact},
	NotKinds: []mem.Kind{mem.Todo}, Project: "p_1",
	Session: "one", PromptID: "p1", File: ".go", Tags: []string{"x"}, Command: "make", Agent: "claude-code",
	Branch: "main",
	After:  storetest.Clock(), Before: storetest.Clock(), MinImportance: 0.1, MinTrust: 1, Open: true,
}

// TestOnlyTheBestCandidatesAreFiltered reads query plans: the list of candidates
// must be the outer loop with any filter, and each memory be found by its number.
func TestOnlyTheBestCandidatesAreFiltered(t *testing.T) {
	s := openStore(t)
	if _, err := s.conn.ExecContext(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]mem.Query{
		"no filter": {}, "every filter": everyFilter, "project": {Project: "p_1"}, "within": {Within: "one"},
		"kind":      {Kinds: []mem.Kind{mem.Fact}},
		"utterance": {Kinds: []mem.Kind{mem.Utterance}}, "day": {After: storetest.Clock()}, "file": {File: "a.go"},
		"command": {Command: "make"},
	} {
		plan := explain(t, s, indexOf(q).passQuery([]candidate{{number: 1}, {number: 2}}, memoryFilter(q)))
		line := func(start string) int {
			return slices.IndexFunc(plan, func(l string) bool { return strings.HasPrefix(l, start) })
		}
		if m := line("SEARCH m USING INTEGER PRIMARY KEY"); line("SCAN head VIRTUAL TABLE") != 0 || m < 1 ||
			line("SEARCH size USING INTEGER PRIMARY KEY") < m {
			t.Errorf("%s: plan %q, want the list before the memories, found by number", name, plan)
		}
	}
}

func explain(t *testing.T, s *Store, query statement) []string {
	t.Helper()
	plan, err := rows(t.Context(), s.read, stmt("EXPLAIN QUERY PLAN "+query.text, query.args...),
		into(func(line *string) []any { return []any{new(int), new(int), new(int), line} }))
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestATermBecomesAQuotedWord(t *testing.T) {
	for term, want := range map[string]string{
		"": "", " ": "", "\"": "", "--": "", "\x00": "", "foo": `"foo"`, "bar baz": `"bar baz"`,
		`say "hi" NEAR(x)`: `"say ""hi"" NEAR(x)"`, "a\x00b\nc": `"a b c"`, "a\xffb": `"a b"`,
	} {
		if got := matchTerm(term); got != want {
			t.Errorf("matchTerm(%q) is %s, want %s", term, got, want)
		}
	}
	if got := matchTerm(strings.Repeat("é", 10000)); len(got) > maxPhrase+2 {
		t.Errorf("a term of %d bytes is asked", len(got))
	}
}

func TestTheRarestTermsAreScored(t *testing.T) {
	var many []string
	var held []int
	for i := range 20_000 {
		many, held = append(many, fmt.Sprint("w", i)), append(held, 1)
	}
	for name, c := range map[string]struct {
		terms        []string
		holding      []int
		rare, common string
	}{
		"none":                  {},
		"unknown":               {[]string{"a", "b"}, []int{0, 3}, `"b"`, ""},
		"all rare":              {[]string{"a", "b"}, []int{scoredRecords - 10, 10}, `"b" "a"`, ""},
		"too many together":     {[]string{"a", "b"}, []int{scoredRecords - 10, 11}, `"b"`, `"a"`},
		"one alone":             {[]string{"a", "b"}, []int{scoredAlone, scoredAlone - 1}, `"b"`, `"a"`},
		"all common":            {[]string{"a", "b"}, []int{scoredAlone + 1, scoredAlone}, "", `"b" "a"`},
		"twice the same":        {[]string{"a", "a"}, []int{7, 7}, `"a"`, ""},
		"no words":              {[]string{"--", "a"}, []int{0, 1}, `"a"`, ""},
		"more than one can ask": {many, held, "", ""},
	} {
		rare, common := splitTerms(c.terms, mem.Corpus{Size: 1e6, DocFreq: c.holding})
		if len(c.terms) > mem.MaxTerms {
			if len(rare)+len(common) != mem.MaxTerms {
				t.Errorf("%s: %d terms are asked, want %d", name, len(rare)+len(common), mem.MaxTerms)
			}
			continue
		}
		if r, o := strings.Join(rare, " "), strings.Join(common, " "); r != c.rare || o != c.common {
			t.Errorf("%s: %s are scored and %s are common, want %s and %s", name, r, o, c.rare, c.common)
		}
	}
}

// TestCommonTermsCount searches terms that are too common for the index to score:
// memories with more of them rank higher; ties break by length.
func TestCommonTermsCount(t *testing.T) {
	s := openStore(t)
	var b mem.Batch
	note := func(title, body string) {
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p", Kind: mem.Fact, Title: title,
			Body: body,
		})
	}
	note("alpha beta", "both")
	note("alpha gamma", "and many other words that make this record longer than all others are")
	b.Memories[1].Created = time.Now().Add(time.Hour) // the length decides, not the age
	for i := range scoredAlone + 50 {
		note(fmt.Sprint("alpha ", i), "one and no other")
		note(fmt.Sprint("beta ", i), "one and no other")
	}
	for i := range 3 * scoredAlone {
		note(fmt.Sprint("delta ", i), "none")
	}
	note("alpha rare", "the rarest of all")
	note("rare", "the rarest of all")
	apply(t, s, b)
	for _, c := range []struct {
		terms []string
		first string
		worse string
	}{
		{[]string{"alpha", "beta"}, "alpha beta", "beta"},
		{[]string{"alpha", "rare"}, "alpha rare", "rare"}, // though the other is shorter
	} {
		hits, err := s.Match(t.Context(), mem.Query{Terms: c.terms, Project: "p", Limit: 100})
		if err != nil || len(hits) != 100 || hits[0].Memory.Title != c.first ||
			!strings.HasPrefix(hits[1].Memory.Title, c.worse) || hits[0].Score <= hits[1].Score {
			t.Errorf("%q: %d hits, %v, want %s first", c.terms, len(hits), err, c.first)
		}
		seen := map[string]bool{}
		for _, h := range hits {
			if seen[h.Memory.ID] {
				t.Errorf("%q: %s is found twice", c.terms, h.Memory.Title)
			}
			seen[h.Memory.ID] = true
		}
	}
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"alpha"}, Project: "p", Limit: scoredAlone + 53})
	if err != nil || len(hits) != scoredAlone+53 || hits[len(hits)-1].Memory.Title != "alpha gamma" {
		t.Errorf("%d hits, %v, want %d with the longest at the end", len(hits), err, scoredAlone+53)
	}
}

// The text of an utterance counts more than that of its neighbours.
func TestACommonTermCountsLessBesideARecord(t *testing.T) {
	s := openStore(t)
	var b mem.Batch
	for i := range 12 {
		text := fmt.Sprint("other words ", i)
		if i == 0 {
			text = "alpha"
		}
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeProject, Project: "p", Session: "one", Kind: mem.Utterance, Title: text, Body: text,
			Created: storetest.Clock().Add(time.Duration(i) * time.Second),
		})
	}
	apply(t, s, b)
	sums := map[int64]float64{}
	if err := s.addCommon(t.Context(), indexOf(mem.Query{Kinds: []mem.Kind{mem.Utterance}}), `"alpha"`, len(b.Memories),
		sums); err != nil {
		t.Fatal(err)
	}
	if len(sums) != 3 || sums[2] <= 0 || sums[1] <= sums[2] || sums[2] != sums[3] {
		t.Errorf("the terms count %v, want the first utterance before its two neighbours", sums)
	}
}

func FuzzAnyTextIsALegalTerm(f *testing.F) {
	for _, s := range []string{"foo-bar", `"`, "a AND b", "NEAR(", "x*", "\x00", "\xff", "漢字", "col:x", "^a"} {
		f.Add(s, s+" "+s)
	}
	s := openStore(f)
	apply(f, s, mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeProject, Title: "foo bar near and x"}}})
	f.Fuzz(func(t *testing.T, a, b string) {
		if _, err := s.Match(t.Context(), mem.Query{Terms: []string{a, b}}); err != nil {
			t.Errorf("terms %q, %q: %v", a, b, err)
		}
		if _, err := s.List(t.Context(), mem.Query{File: a, Tags: []string{b}, Project: a}); err != nil {
			t.Errorf("filters %q, %q: %v", a, b, err)
		}
	})
}

// storeWithTerms returns a store with n memories of common and rare words.
func storeWithTerms(b testing.TB, n int) *Store {
	b.Helper()
	s := openStore(b)
	r := rand.New(rand.NewPCG(3, 4))
	word := func() string { return fmt.Sprint("word", int(1/(r.Float64()+1e-4))) } // Zipf, more or less
	var batches []mem.Batch
	for i := range n {
		var words []string
		for range 40 {
			words = append(words, word())
		}
		batches = append(batches, mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: fmt.Sprint("p_", i%5), Session: fmt.Sprint("s", i/200), Kind: mem.Fact,
			Title: strings.Join(words[:6], " "),
			Body:  strings.Join(words, " "), Files: []string{fmt.Sprintf("dir%d/file%d.go", i%50, i%999)}, Tags: []string{"t"},
			Created: storetest.Clock().Add(time.Duration(i) * time.Second),
		}}})
	}
	apply(b, s, batches...)
	return s
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		if n > 10_000 && testing.Short() {
			continue
		}
		s := storeWithTerms(b, n)
		for name, terms := range map[string][]string{
			"rare": {"word5001", "word7003"}, "prompt": {"word40", "word77", "word131", "word256", "word999", "word3001"},
			"common": {"word1", "word2"},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, name), func(b *testing.B) {
				for b.Loop() {
					if _, err := s.Match(b.Context(), mem.Query{Terms: terms, Project: "p_1", Limit: 60}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkList(b *testing.B) {
	if testing.Short() {
		b.Skip("fills 100,000 memories")
	}
	s := storeWithTerms(b, 100_000)
	rules := []mem.Kind{mem.Gotcha, mem.Convention}
	for name, q := range map[string]mem.Query{
		"newest": {Project: "p_1"}, "unknown project": {Project: "p_none"},
		"importance": {Project: "p_1", Order: mem.ByImportance},
		"kind":       {Project: "p_1", Kinds: []mem.Kind{mem.Todo}, Open: true},
		"user":       {Project: "p_1", Scopes: []mem.Scope{mem.ScopeUser}},
		"session":    {Project: "p_1", Session: "s33", Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate},
		"command":    {Project: "p_1", Command: "make", Kinds: rules},
		"file":       {Project: "p_1", File: "dir3/file3.go"}, "directory": {
			Project: "p_1", File: "dir3/", Kinds: rules,
			Order: mem.ByImportance,
		},
		"extension": {Project: "p_1", File: ".go", Kinds: rules, Order: mem.ByImportance},
		"tag":       {Session: "s33", Tags: []string{"t"}, Offset: 99},
		"proposed":  {Proposed: true, Hidden: true, Within: "*", Limit: 500},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := s.List(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("stats", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Stats(b.Context(), "p_1", storetest.Clock()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
