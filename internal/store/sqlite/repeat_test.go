package sqlite

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"modernc.org/libc"
	code "modernc.org/sqlite/lib"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// indexBytes returns the content of the full-text index.
func indexBytes(t *testing.T, s *Store) (all string) {
	t.Helper()
	if err := s.read.QueryRowContext(t.Context(),
		"SELECT group_concat(id || hex(block)) FROM (SELECT * FROM memory_fts_data ORDER BY id)").Scan(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// A command that runs many times repeats its memory. Writing its index rows again
// would cost more than the rest of the event.
func TestARepetitionWithTheSameTextIsNotIndexedAgain(t *testing.T) {
	s := openStore(t)
	count := 0
	repeat := func(m mem.Memory) {
		t.Helper()
		count++
		m.Session, m.Key, m.Kind, m.Scope, m.Trust = "one", "worked:go test", mem.Command, mem.ScopeSession, mem.TrustTool
		ev := mem.Event{
			ID: fmt.Sprint("e_", count), Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(),
			Session: "one", PromptID: "p1",
		}
		apply(t, s, mem.Batch{Event: &ev, Memories: []mem.Memory{m}})
	}
	found := func(q mem.Query) int {
		t.Helper()
		q.Within = "one"
		hits, err := s.Match(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	first := mem.Memory{Title: "the tests pass", Body: "walrus", Files: []string{"a.go"}, Tags: []string{"auto"}}
	repeat(first)
	before := indexBytes(t, s)
	repeat(first)
	if indexBytes(t, s) != before {
		t.Error("the same words were written to the index again")
	}
	for _, m := range []mem.Memory{
		{Title: first.Title, Body: "heron", Files: first.Files, Tags: first.Tags},
		{Title: "the tests fail", Body: "heron", Files: []string{"b.go"}, Tags: []string{"late"}},
	} {
		repeat(m)
	}
	for word, want := range map[string]int{"walrus": 0, "heron": 1, "pass": 0, "fail": 1} {
		if got := found(mem.Query{Terms: []string{word}}); got != want {
			t.Errorf("%s: found %d, want %d", word, got, want)
		}
	}
	for _, q := range []mem.Query{{File: "a.go"}, {File: "b.go"}, {Tags: []string{"auto"}}, {Tags: []string{"late"}}} {
		q.Terms = []string{"heron"}
		if got := found(q); got != 1 {
			t.Errorf("by file %q and tags %q: found %d, want 1", q.File, q.Tags, got)
		}
	}
}

// No indexed column changes when a command runs again. Each index that is written
// is another page to sync.
func TestARepetitionWritesFewPages(t *testing.T) {
	s := openStore(t)
	for i := range 3 {
		before := fileSize(s.path + "-wal")
		ev := mem.Event{
			ID: fmt.Sprint("e_", i), Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(),
			Session: "one", PromptID: "p1",
		}
		m := mem.Memory{
			Session: "one", Key: "worked:go test", Kind: mem.Command, Scope: mem.ScopeSession, Trust: mem.TrustTool,
			Title: "the tests pass", Command: "go test", Project: "p_one", Source: mem.Source{Session: "one", PromptID: "p1"},
		}
		apply(t, s, mem.Batch{Event: &ev, Memories: []mem.Memory{m}})
		const page, most = 4096 + 24, 8
		if n := (fileSize(s.path+"-wal") - before) / page; i > 1 && n > most {
			t.Errorf("a command that was run again: got %d pages written, want at most %d", n, most)
		}
	}
}

// Most lookups of an event find nothing, and a memory has many columns.
func TestNoColumnsAreReadWithoutRows(t *testing.T) {
	s := openStore(t)
	if _, err := s.List(t.Context(), mem.Query{Session: "one", Kinds: []mem.Kind{mem.Command}}); err != nil {
		t.Fatal(err)
	}
	for query := range s.read.stmts {
		if strings.Contains(query, memoryColumns) {
			t.Errorf("nothing is there, and all columns were asked for: %s", query)
		}
	}
}

// The project of an event is known as a rule.
func TestAKnownProjectIsNotWrittenAgain(t *testing.T) {
	s := openStore(t)
	p := mem.Project{
		Key: "p_one", Name: "till", Root: "/src/till", Common: "/src/till/.git", Origin: "example.org/till",
		Branch: "main", Commit: "a1",
	}
	happen := func(id string) {
		t.Helper()
		ev := mem.Event{
			ID: id, Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(), Session: "one",
			PromptID: "p1",
		}
		apply(t, s, mem.Batch{Event: &ev, Project: &p, Session: &mem.SessionChange{Project: p.Key}})
	}
	written := func() (n int) {
		for query, st := range s.stmts {
			if strings.HasPrefix(query, "INSERT INTO project") {
				n += runs(st)
			}
		}
		return n
	}
	happen("e_1")
	before := written()
	happen("e_2")
	if n := written() - before; before == 0 || n != 0 {
		t.Errorf("got %d writes of a project that is known, %d of a new one; want none and some", n, before)
	}
	p.Branch, p.Commit = "", "b2"
	happen("e_3")
	found, err := s.Projects(t.Context(), p.Key)
	if err != nil || len(found) != 1 || found[0].Commit != "b2" || found[0].Branch != "main" {
		t.Errorf("got %+v, %v; want the new commit on the branch before", found, err)
	}
}

// runs is how often SQLite ran a statement.
func runs(st *sql.Stmt) (n int) {
	tls := libc.NewTLS()
	defer tls.Close()
	for _, handle := range handles(st) {
		const run = 6 // SQLITE_STMTSTATUS_RUN
		n += int(code.Xsqlite3_stmt_status(tls, handle, run, 0))
	}
	return n
}
