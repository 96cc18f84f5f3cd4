package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// at opens the database of a path with a short wait for locks.
func at(t *testing.T, path string) (*Store, error) {
	t.Helper()
	return Open(t.Context(), Config{Path: path, Now: storetest.Clock, Busy: 50 * time.Millisecond})
}

// openAt opens the database of a path, which must succeed.
func openAt(t *testing.T, path string) *Store {
	t.Helper()
	s, err := at(t, path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// raw opens a file with SQLite's default settings.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // a second one does nothing
	return db
}

func run(t *testing.T, db *sql.DB, query string) {
	t.Helper()
	if _, err := db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func closeStore(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func TestRowsAreThereAfterReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "odd name? #1 %41 é", "sub", "m.db")
	s := openAt(t, path)
	apply(t, s, storetest.SecretBatches()...)
	closeStore(t, s)
	s = openAt(t, path)
	defer closeStore(t, s)
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"swordfish"}})
	if err != nil || len(hits) != 2 {
		t.Errorf("%d hits, %v, want 2", len(hits), err)
	}
	r, err := s.Apply(t.Context(), storetest.SecretBatches()[0])
	if err != nil || !r[0].Duplicate {
		t.Errorf("got %+v, %v, want a duplicate", r, err)
	}
}

func TestAcknowledgedBatchesSurviveTheEndOfTheProcess(t *testing.T) {
	s := openStore(t)
	apply(t, s, storetest.SecretBatches()...)
	// A killed process leaves database and log as they are now.
	path := filepath.Join(t.TempDir(), "killed.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(s.path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+suffix, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := openAt(t, path)
	defer closeStore(t, again)
	sound(t, again)
	got, err := again.Events(t.Context(), mem.EventQuery{})
	if err != nil || len(got) != 4 {
		t.Errorf("%d events, %v, want 4", len(got), err)
	}
}

func TestOtherUsersCannotReadTheFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made")
	s := openAt(t, filepath.Join(dir, "m.db"))
	defer closeStore(t, s)
	apply(t, s, storetest.SecretBatches()...)
	if err := s.Backup(t.Context(), filepath.Join(dir, "copy.db")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{
		"": 0o700 | fs.ModeDir, "m.db": 0o600, "m.db-wal": 0o600,
		"m.db-shm": 0o600, "copy.db": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("mode of %q is %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestAFileWithLooseModeIsRestricted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	defer closeStore(t, s)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + suffix); err != nil || info.Mode() != 0o600 {
			t.Errorf("mode of m.db%s is %v, %v, want 0600", suffix, info.Mode(), err)
		}
	}
}

func TestEveryConnectionHasTheSafeSettings(t *testing.T) {
	s := openStore(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal", "synchronous": "2", "secure_delete": "1", "foreign_keys": "1", "mmap_size": "0",
		"temp_store": "2", "busy_timeout": "5000",
	} {
		for name, row := range map[string]*sql.Row{
			"writer": s.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma), "reader": s.read.QueryRowContext(t.Context(),
				"PRAGMA "+pragma),
		} {
			var got string
			if err := row.Scan(&got); err != nil || got != want {
				t.Errorf("%s of the %s is %q, %v, want %q", pragma, name, got, err, want)
			}
		}
	}
	if _, err := s.read.ExecContext(t.Context(), "DELETE FROM pause"); err == nil {
		t.Error("a reader can write")
	}
	var erases int
	if err := s.conn.QueryRowContext(t.Context(),
		"SELECT v FROM memory_fts_config WHERE k='secure-delete'").Scan(&erases); err != nil || erases != 1 {
		t.Errorf("secure-delete of the search index is %d, %v, want 1", erases, err)
	}
}

func TestTheLinkedSQLiteHasTheLogResetFix(t *testing.T) {
	var got string
	if err := openStore(t).conn.QueryRowContext(t.Context(), "SELECT sqlite_version()").Scan(&got); err != nil {
		t.Fatal(err)
	}
	var v [3]int
	if _, err := fmt.Sscanf(got, "%d.%d.%d", &v[0], &v[1], &v[2]); err != nil {
		t.Fatal(err)
	}
	if v[0]*1e6+v[1]*1e3+v[2] < 3051003 {
		t.Errorf("SQLite %s, want 3.51.3 or newer", got)
	}
}

// TestOpenRefuses opens files that must not be changed, and checks that they are not.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
		want error
	}{
		{"another program's database", func(t *testing.T, path string) {
			run(t, raw(t, path), "CREATE TABLE theirs (x)")
		}, mem.ErrForeign},
		{"another program's id", func(t *testing.T, path string) {
			run(t, raw(t, path), "PRAGMA application_id=7")
		}, mem.ErrForeign},
		{"a file that is no database", func(t *testing.T, path string) {
			write(t, path, bytes.Repeat([]byte("notes of a person\n"), 200))
		}, mem.ErrForeign},
		{"a database whose beginning was lost", func(t *testing.T, path string) {
			write(t, path, make([]byte, 8192))
		}, mem.ErrCorrupt},
		{"a newer schema", func(t *testing.T, path string) {
			makeDatabase(t, path)
			run(t, raw(t, path), "PRAGMA user_version=9999")
		}, mem.ErrNewer},
		{"a damaged database", func(t *testing.T, path string) {
			makeDatabase(t, path)
			b, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			copy(b[100:4000], bytes.Repeat([]byte{0xff}, 3900)) // the page of the schema
			write(t, path, b)
		}, mem.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.db")
			c.make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			s, err := at(t, path)
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if err == nil {
				closeStore(t, s)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed, %v", err)
			}
			if info, err := os.Stat(path); err != nil || info.Mode() != 0o640 {
				t.Errorf("its mode is %v, %v, want it as it was", info.Mode(), err)
			}
		})
	}
}

// makeDatabase makes a database at path and closes it.
func makeDatabase(t *testing.T, path string) {
	t.Helper()
	s := openAt(t, path)
	apply(t, s, storetest.SecretBatches()...)
	closeStore(t, s)
}

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestALockOfAnotherProgramIsErrLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	makeDatabase(t, path)
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	run(t, other, "BEGIN IMMEDIATE")
	if _, err := at(t, path); !errors.Is(err, mem.ErrLocked) {
		t.Errorf("error %v, want %v", err, mem.ErrLocked)
	}
	run(t, other, "ROLLBACK")
	s := openAt(t, path)
	defer closeStore(t, s)
	run(t, other, "BEGIN IMMEDIATE")
	late := mem.Batch{Event: &mem.Event{ID: "e_late", Session: "one"}}
	if _, err := s.Apply(t.Context(), late); !errors.Is(err, mem.ErrLocked) {
		t.Errorf("Apply: %v, want %v", err, mem.ErrLocked)
	}
	run(t, other, "ROLLBACK")
	if r, err := s.Apply(t.Context(), late); err != nil || r[0].Duplicate {
		t.Errorf("Apply after the lock: %+v, %v", r, err)
	}
}

func TestADirectoryThatCannotBeMadeIsAPlainError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, nil)
	if _, err := at(t, filepath.Join(file, "m.db")); err == nil || errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("error %v", err)
	}
	if _, err := at(t, t.TempDir()); err == nil || errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("a directory: error %v", err)
	}
}

func TestADatabaseIsCopiedBeforeAMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	makeDatabase(t, path)
	s := openAt(t, path)
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	next := append(slices.Clone(steps), "CREATE TABLE later (x INTEGER) STRICT")
	if err := s.migrateTo(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if _, err := s.conn.ExecContext(t.Context(), "INSERT INTO later VALUES (1)"); err != nil {
		t.Error(err)
	}
	closeStore(t, s)
	if _, err := at(t, path); !errors.Is(err, mem.ErrNewer) {
		t.Errorf("opening the newer one: %v, want %v", err, mem.ErrNewer)
	}
	old := openAt(t, fmt.Sprintf("%s.schema%d", path, len(steps)))
	defer closeStore(t, old)
	if got, err := old.Events(t.Context(), mem.EventQuery{}); err != nil || len(got) != 4 {
		t.Errorf("%d events in the copy, %v, want 4", len(got), err)
	}
}

func TestMemoriesHiddenByARuleBecomeArchived(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	s := openAt(t, path)
	var b mem.Batch
	for _, title := range []string{"hidden by a rule", "forgotten by the person", "in use"} {
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeUser, Kind: mem.Fact, Title: title, Trust: mem.TrustUser,
			Origin: mem.FromUserCommand,
		})
	}
	apply(t, s, b)
	if _, err := s.conn.ExecContext(t.Context(),
		`UPDATE memory SET status='forgotten', hidden=1 WHERE id IN ('m_1', 'm_2');
		UPDATE memory SET standing='{"faded":true,"prevented":2}' WHERE id='m_1'`); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	s = openAt(t, olderDatabase(t, path, 5))
	defer closeStore(t, s)
	ms, err := s.List(t.Context(), mem.Query{Hidden: true})
	got := map[string]mem.Memory{}
	for _, m := range ms {
		got[m.ID] = m
	}
	if m := got["m_1"]; err != nil || m.Status != mem.Archived || !m.Hidden.IsZero() || m.Prevented != 2 {
		t.Errorf("hidden by a rule: %s since %v, prevented %d, error %v", m.Status, m.Hidden, m.Prevented, err)
	}
	if got["m_2"].Status != mem.Forgotten || got["m_3"].Status != mem.Active {
		t.Errorf("forgotten by the person: %s, in use: %s", got["m_2"].Status, got["m_3"].Status)
	}
}

// olderDatabase returns a database of an older schema with the memories and sessions of
// the one at path.
func olderDatabase(t *testing.T, path string, schema int) string {
	t.Helper()
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(t.TempDir(), "old.db")
	db := raw(t, old)
	db.SetMaxOpenConns(1)
	for _, step := range steps[:schema] {
		run(t, db, step)
	}
	run(t, db, fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, schema))
	run(t, db, "ATTACH '"+path+"' AS new")
	for _, table := range []string{"session", "memory"} {
		var columns string
		if err := db.QueryRowContext(t.Context(), "SELECT group_concat(name) FROM main.pragma_table_info(?)",
			table).Scan(&columns); err != nil {
			t.Fatal(err)
		}
		run(t, db, fmt.Sprintf("INSERT INTO %[1]s (%[2]s) SELECT %[2]s FROM new.%[1]s", table, columns))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return old
}

func TestMemoriesFromBeforeTheBranchIndexAreFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	s := openAt(t, path)
	var b mem.Batch
	b.Event = &mem.Event{ID: "e_1", Kind: mem.Stop, Session: "one", At: storetest.Clock()}
	for i, branch := range []string{"main", "retry", "main", ""} {
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeUser, Session: "one", Kind: mem.Fact,
			Title: fmt.Sprint("memory ", i), Branch: branch, Trust: mem.TrustUser, Origin: mem.FromUserCommand,
		})
	}
	apply(t, s, b)
	closeStore(t, s)
	s = openAt(t, olderDatabase(t, path, 6))
	defer closeStore(t, s)
	got, err := s.SessionPage(t.Context(), mem.SessionQuery{Branch: "retry"})
	if err != nil || len(got.Sessions) != 1 || fmt.Sprint(got.Branches) != "[{main 1} {retry 1}]" {
		t.Errorf("%d sessions on retry, branches %v, %v, want 1, main and retry", len(got.Sessions), got.Branches, err)
	}
	ms, err := s.List(t.Context(), mem.Query{Branch: "main"})
	if err != nil || len(ms) != 2 {
		t.Errorf("%d memories on main, %v, want 2", len(ms), err)
	}
}

func TestOutdatedLinksStayOutdatedAfterAMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	s := openAt(t, path)
	var b mem.Batch
	for i, kind := range []mem.Kind{mem.Fact, mem.Fact, mem.Command, mem.Todo} {
		at := storetest.Clock().Add(time.Duration(i) * time.Minute)
		b.Memories = append(b.Memories, mem.Memory{
			Scope: mem.ScopeUser, Kind: kind, Title: fmt.Sprint("memory ", i),
			Trust: mem.TrustUser, Created: at, Updated: at,
		})
	}
	apply(t, s, b)
	closeStore(t, s)
	since := storetest.Clock().Add(time.Minute).Format(time.RFC3339Nano)
	for _, tt := range []struct {
		key, data string
		want      []string
	}{
		{"tidy", "", nil},
		{"new", since, []string{"m_4", "m_2"}},
		{since, since + " 50", []string{"m_4", "m_2"}},
		{"all", "", []string{"m_4", "m_2", "m_1"}},
	} {
		old := olderDatabase(t, path, 7)
		db := raw(t, old)
		run(t, db, "INSERT INTO job (id, kind, key, data, not_before, attempts, created, error, dead, leased) VALUES "+
			"('j_1', 'weave', '"+tt.key+"', '"+tt.data+"', 0, 0, 0, '', 0, 0)")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		s := openAt(t, old)
		ms, err := s.List(t.Context(), mem.Query{LinksOutdated: true, Within: "*"})
		var got []string
		for _, m := range ms {
			got = append(got, m.ID)
		}
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("with a job %q about %q: %v, %v, want %v", tt.key, tt.data, got, err, tt.want)
		}
		closeStore(t, s)
	}
}

// TestBranchesAreLookedUpByIndex reads query plans: a query of one branch
// reads no memories of others.
func TestBranchesAreLookedUpByIndex(t *testing.T) {
	s := openStore(t)
	for name, q := range map[string]mem.Query{
		"alone": {Branch: "retry"}, "in a project": {Branch: "retry", Project: "p_1"},
		"of a kind": {Branch: "retry", Project: "p_1", Kinds: []mem.Kind{mem.Fact, mem.Todo}},
		"by agent":  {Branch: "retry", Agent: "codex", Kinds: []mem.Kind{mem.Fact}},
		"since":     {Branch: "retry", After: storetest.Clock()},
	} {
		query := listQuery(q)
		plan := strings.Join(explain(t, s, query), "\n")
		if n := strings.Count(query.text, "FROM memory m"); strings.Count(plan, "INDEX memory_of_branch (branch=?") != n ||
			strings.Contains(plan, "SCAN m\n") {
			t.Errorf("%s: plan %q, want %d walks along the branch", name, plan, n)
		}
	}
	sessions := stmt("SELECT s.number FROM session s").where(sessionFilter(mem.SessionQuery{Branch: "retry"}))
	plan := fmt.Sprint(explain(t, s, sessions))
	if !strings.Contains(plan, "INDEX memory_branch (session=? AND branch=?)") {
		t.Errorf("sessions on a branch: plan %q, want each looked up by its branch", plan)
	}
}

// TestProposalsAreLookedUpByIndex reads query plans: a query for memories with
// proposals reads no others.
func TestProposalsAreLookedUpByIndex(t *testing.T) {
	s := openStore(t)
	kinds := []mem.Kind{mem.Fact, mem.Decision}
	for name, query := range map[string]statement{
		"alone":         listQuery(mem.Query{Proposed: true, Within: "*", Hidden: true, Limit: 500}),
		"utterances":    listQuery(mem.Query{Proposed: true, Within: "*", Kinds: []mem.Kind{mem.Utterance}}),
		"in a project":  listQuery(mem.Query{Proposed: true, Project: "p_1"}),
		"of kinds":      listQuery(mem.Query{Proposed: true, Project: "p_1", Kinds: kinds, Tags: []string{"x"}}),
		"since":         listQuery(mem.Query{Proposed: true, After: storetest.Clock()}),
		"on a branch":   listQuery(mem.Query{Proposed: true, Project: "p_1", Branch: "retry"}),
		"of a purge":    stmt(selectMemories + " WHERE " + hasProposals),
		"by importance": listQuery(mem.Query{Proposed: true, Order: mem.ByImportance}),
	} {
		plan := strings.Join(explain(t, s, query), "\n")
		if n := strings.Count(query.text, "FROM memory m"); n == 0 ||
			strings.Count(plan, "m USING INDEX memory_proposed") != n {
			t.Errorf("%s: plan %q, want %d walks along the proposals", name, plan, n)
		}
	}
}

// TestUsesAreLookedUpByIndex reads query plans: a query for memories with uses reads no others.
func TestUsesAreLookedUpByIndex(t *testing.T) {
	s := openStore(t)
	for name, query := range map[string]statement{
		"alone":        listQuery(mem.Query{Used: true, Within: "*", Hidden: true, Limit: 500}),
		"in a project": listQuery(mem.Query{Used: true, Within: "*", Hidden: true, Project: "p_1"}),
		"of kinds":     listQuery(mem.Query{Used: true, Project: "p_1", Kinds: []mem.Kind{mem.Fact, mem.Decision}}),
		"since":        listQuery(mem.Query{Used: true, After: storetest.Clock()}),
	} {
		if plan := strings.Join(explain(t, s, query), "\n"); strings.Count(plan, "m USING INDEX memory_used") != 1 ||
			strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("%s: plan %q, want one walk along the uses", name, plan)
		}
	}
}

// TestWhatThePersonSaidIsLookedUpByIndex reads query plans: a briefing asks for it beside memories of all trust.
func TestWhatThePersonSaidIsLookedUpByIndex(t *testing.T) {
	if mem.TrustUser != 3 {
		t.Fatalf("the index is of trust from 3 on, a person's is %d", mem.TrustUser)
	}
	s := openStore(t)
	query := listQuery(mem.Query{
		Project: "p_1", Order: mem.ByImportance, MinTrust: mem.TrustUser, NotKinds: []mem.Kind{mem.Utterance}, Limit: 60,
	})
	plan := strings.Join(explain(t, s, query), "\n")
	if n := strings.Count(query.text, "FROM memory m"); n == 0 || strings.Count(plan, "INDEX memory_person") != n {
		t.Errorf("plan %q, want %d walks along what the person said", plan, n)
	}
}

func TestAFailedMigrationKeepsTheOldSchema(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	makeDatabase(t, path)
	s := openAt(t, path)
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.migrateTo(t.Context(), append(steps, "CREATE TABLE half (x INTEGER) STRICT; NONSENSE")); err == nil {
		t.Fatal("no error")
	}
	closeStore(t, s)
	s = openAt(t, path)
	defer closeStore(t, s)
	var n int
	if err := s.conn.QueryRowContext(t.Context(),
		"SELECT count(*) FROM sqlite_schema WHERE name='half'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d tables of the failed step, %v, want 0", n, err)
	}
}

func TestDescribeReturnsTheProperties(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	makeDatabase(t, path)
	s := openAt(t, path)
	h := s.Describe(t.Context())
	if h.Err != nil || h.Schema < 1 || h.Journal != "wal" || h.Bytes == 0 {
		t.Errorf("got %+v", h)
	}
	closeStore(t, s)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := 8; page < 20; page++ {
		copy(b[page*4096:], strings.Repeat("damage", 600))
	}
	write(t, path, b)
	s = openAt(t, path)
	defer func() { _ = s.Close() }() // of a damaged file
	if a, err := s.Audit(t.Context(), false); err != nil || len(a.Damage) == 0 {
		t.Errorf("got %+v, %v, want damage", a, err)
	}
}

func TestConcurrentOpensMakeOneDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	errs := make(chan error)
	for range 4 {
		go func() {
			s, err := Open(context.WithoutCancel(t.Context()), Config{Path: path, Busy: time.Minute})
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}
