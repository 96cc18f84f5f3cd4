package sqlite

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// everyFilter asks for all that a query can ask for at once.
var everyFilter = mem.Query{
	Terms: []string{"alpha"}, Scopes: []mem.Scope{mem.ScopeProject}, Kinds: []mem.Kind{mem.Fact}, NotKinds: []mem.Kind{mem.Todo}, Project: "p_1",
	Session: "one", PromptID: "p1", File: ".go", Tags: []string{"x"}, Command: "make", Agent: "claude-code", Branch: "main",
	After: storetest.Clock(), Before: storetest.Clock(), MinImportance: 0.1, MinTrust: 1, Open: true,
}

// TestFullTextIsAskedOnce reads the planner's own words: the full-text table
// must be the outer loop. As the inner one it would be asked once per memory.
func TestFullTextIsAskedOnce(t *testing.T) {
	s := opened(t)
	if _, err := s.conn.ExecContext(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]mem.Query{
		"no filter": {}, "every filter": everyFilter, "project": {Project: "p_1"}, "within": {Within: "one"}, "kind": {Kinds: []mem.Kind{mem.Fact}},
		"day": {After: storetest.Clock()}, "file": {File: "a.go"}, "command": {Command: "make"},
	} {
		f := memoryFilter(q)
		plan := explain(t, s, indexOf(q).matchQuery(f), append(append([]any{`"alpha"`}, f.args...), 10, 0)...)
		fts, memory := -1, -1
		for i, line := range plan {
			if strings.Contains(line, "memory_fts") {
				if fts >= 0 {
					t.Errorf("%s: the full-text table is asked twice: %q", name, plan)
				}
				fts = i
			}
			if memory < 0 && strings.HasPrefix(line, "SEARCH m ") {
				memory = i
			}
		}
		if fts < 0 || memory < fts || !strings.Contains(plan[fts], "SCAN memory_fts VIRTUAL TABLE") || !strings.Contains(plan[memory], "INTEGER PRIMARY KEY") {
			t.Errorf("%s: plan %q, want the full-text table before the memories, found by number", name, plan)
		}
	}
}

func explain(t *testing.T, s *Store, query string, args ...any) []string {
	t.Helper()
	rs, err := s.read.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rs.Close()
	var plan []string
	for rs.Next() {
		var id, parent, unused int
		var line string
		if err := rs.Scan(&id, &parent, &unused, &line); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, line)
	}
	if err := rs.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestTermsBecomeQuotedWords(t *testing.T) {
	var many []string
	for i := range 20000 {
		many = append(many, fmt.Sprint("w", i))
	}
	for _, c := range []struct {
		terms []string
		want  string
	}{
		{nil, ""},
		{[]string{"", " ", "\"", "--", "\x00"}, ""},
		{[]string{"foo"}, `"foo"`},
		{[]string{"foo", "foo", "bar baz"}, `"foo" OR "bar baz"`},
		{[]string{`say "hi" NEAR(x)`}, `"say ""hi"" NEAR(x)"`},
		{[]string{"a\x00b\nc"}, `"a b c"`},
		{[]string{"a\xffb"}, `"a b"`},
	} {
		if got := matchTerms(c.terms); got != c.want {
			t.Errorf("matchTerms(%q) is %s, want %s", c.terms, got, c.want)
		}
	}
	if got := strings.Count(matchTerms(many), " OR ") + 1; got != maxTerms {
		t.Errorf("%d terms of 20,000 are asked, want %d", got, maxTerms)
	}
	if got := matchTerms([]string{strings.Repeat("é", 10000)}); len(got) > maxPhrase+2 {
		t.Errorf("a term of %d bytes is asked", len(got))
	}
}

func FuzzAnyTextIsALegalTerm(f *testing.F) {
	for _, s := range []string{"foo-bar", `"`, "a AND b", "NEAR(", "x*", "\x00", "\xff", "漢字", "col:x", "^a"} {
		f.Add(s, s+" "+s)
	}
	s := opened(f)
	if _, err := s.Apply(f.Context(), mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeProject, Title: "foo bar near and x"}}}); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if _, err := s.Match(t.Context(), mem.Query{Terms: []string{a, b}}); err != nil {
			t.Errorf("terms %q, %q: %v", a, b, err)
		}
		if _, err := s.List(t.Context(), mem.Query{File: a, Tags: []string{b}, Project: a}); err != nil {
			t.Errorf("filters %q, %q: %v", a, b, err)
		}
	})
}

// library has n memories of common and rare words.
func library(b testing.TB, n int) *Store {
	b.Helper()
	s := opened(b)
	r := rand.New(rand.NewPCG(3, 4))
	word := func() string { return fmt.Sprint("word", int(1/(r.Float64()+1e-4))) } // Zipf, more or less
	var batches []mem.Batch
	for i := range n {
		var words []string
		for range 40 {
			words = append(words, word())
		}
		batches = append(batches, mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: fmt.Sprint("p_", i%5), Session: fmt.Sprint("s", i/200), Kind: mem.Fact, Title: strings.Join(words[:6], " "),
			Body: strings.Join(words, " "), Files: []string{fmt.Sprintf("dir%d/file%d.go", i%50, i%999)}, Tags: []string{"t"}, Created: storetest.Clock().Add(time.Duration(i) * time.Second),
		}}})
	}
	if _, err := s.Apply(b.Context(), batches...); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkMatch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		if n > 10_000 && testing.Short() {
			continue
		}
		s := library(b, n)
		for name, terms := range map[string][]string{
			"rare": {"word5001", "word7003"}, "prompt": {"word40", "word77", "word131", "word256", "word999", "word3001"}, "common": {"word1", "word2"},
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
	s := library(b, 100_000)
	rules := []mem.Kind{mem.Gotcha, mem.Convention}
	for name, q := range map[string]mem.Query{
		"newest": {Project: "p_1"}, "unknown project": {Project: "p_none"}, "importance": {Project: "p_1", Order: mem.ByImportance},
		"kind": {Project: "p_1", Kinds: []mem.Kind{mem.Todo}, Open: true}, "user": {Project: "p_1", Scopes: []mem.Scope{mem.ScopeUser}},
		"session": {Project: "p_1", Session: "s33", Kinds: []mem.Kind{mem.Change}, Order: mem.ByUpdate}, "command": {Project: "p_1", Command: "make", Kinds: rules},
		"file": {Project: "p_1", File: "dir3/file3.go"}, "directory": {Project: "p_1", File: "dir3/", Kinds: rules, Order: mem.ByImportance},
		"extension": {Project: "p_1", File: ".go", Kinds: rules, Order: mem.ByImportance}, "tag": {Session: "s33", Tags: []string{"t"}, Offset: 99},
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
