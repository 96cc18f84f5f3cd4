//go:build backends

package postgres

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"remanence/internal/mem"
	"remanence/internal/store/stored"
	"remanence/internal/store/storetest"
	"remanence/test/pgserver"
)

func apply(t testing.TB, s *Store, batches ...mem.Batch) []mem.Result {
	t.Helper()
	got, err := s.Apply(t.Context(), batches...)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// filesWith returns the files of the server's tables that contain a text.
func filesWith(t *testing.T, text string) (found []string) {
	t.Helper()
	if err := server.SQL("postgres", "CHECKPOINT"); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(filepath.Join(server.Dir, "data", "base"), func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(p)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if bytes.Contains(b, []byte(text)) {
			found = append(found, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNoTableHasAByteOfAPurgedMemory(t *testing.T) {
	s := openStore(t)
	apply(t, s, storetest.SecretBatches()...)
	if got := filesWith(t, "swordfish"); len(got) == 0 {
		t.Fatal("the text is in no file: this proves nothing")
	}
	if _, err := s.Purge(t.Context(), "m_1"); err != nil {
		t.Fatal(err)
	}
	if got := filesWith(t, "swordfish"); len(got) > 0 {
		t.Errorf("the text is still in %v", got)
	}
}

func TestScrubbedTextLeavesTheTables(t *testing.T) {
	s := openStore(t)
	apply(t, s, storetest.SecretBatches()...)
	clean := func(doc []byte) ([]byte, map[string]int, error) {
		n := bytes.Count(doc, []byte("swordfish"))
		if n == 0 {
			return doc, nil, nil
		}
		return bytes.ReplaceAll(doc, []byte("swordfish"), []byte("[removed]")), map[string]int{"fish": n}, nil
	}
	found, err := s.Scrub(t.Context(), false, nil, clean)
	if err != nil || found.WithSecrets == 0 || found.Fixed {
		t.Fatalf("looking: %+v, %v", found, err)
	}
	fixed, err := s.Scrub(t.Context(), true, nil, clean)
	if err != nil || fixed.WithSecrets != found.WithSecrets || !fixed.Fixed {
		t.Fatalf("fixing: %+v, %v, want what looking found: %+v", fixed, err, found)
	}
	if got := filesWith(t, "swordfish"); len(got) > 0 {
		t.Errorf("the text is still in %v", got)
	}
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"launch"}, Within: "*"})
	if err != nil || len(hits) != 2 {
		t.Errorf("%d memories are found by the words beside it, %v, want 2", len(hits), err)
	}
	if again, err := s.Scrub(t.Context(), false, nil, clean); err != nil || again.WithSecrets != 0 {
		t.Errorf("looking again: %+v, %v, want nothing", again, err)
	}
}

// The server counts memories by an index alone only while it knows that all see the same rows of their table.
func TestAPurgeLeavesCountsToTheIndexes(t *testing.T) {
	s := openStore(t)
	apply(t, s, storetest.SecretBatches()...)
	if _, err := s.Purge(t.Context(), "m_1"); err != nil {
		t.Fatal(err)
	}
	var pages, visible int
	if err := get(t.Context(), s.pool, query("SELECT relpages, relallvisible FROM pg_class "+
		"WHERE oid = to_regclass('memory')"), &pages, &visible); err != nil || pages == 0 || visible != pages {
		t.Errorf("%d of %d pages are known to be visible, %v", visible, pages, err)
	}
}

// Memories of user scope are of no project: for them alone, those of the project are not read.
func TestAListReadsNoMoreThanItsScopes(t *testing.T) {
	for _, tc := range []struct {
		scopes []mem.Scope
		want   int
	}{
		{nil, 2},
		{[]mem.Scope{mem.ScopeUser}, 1},
		{[]mem.Scope{mem.ScopeProject}, 1},
		{[]mem.Scope{mem.ScopeProject, mem.ScopeUser}, 2},
	} {
		if got := listParts(mem.Query{Project: "p_000000000001", Scopes: tc.scopes}); len(got) != tc.want {
			t.Errorf("%v is read in %d parts, want %d", tc.scopes, len(got), tc.want)
		}
	}
}

func TestProcessesMigrateOneAfterTheOther(t *testing.T) {
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			s, err := Open(t.Context(), Config{DSN: server.WithPassword(), Schema: "many at once"})
			if errs[i] = err; err == nil {
				errs[i] = s.Close()
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

func TestSchemasOfOthersAreLeftAlone(t *testing.T) {
	ctx := t.Context()
	s := open(t, Config{Schema: "later"})
	for _, sql := range []string{
		"UPDATE counter SET n = 999 WHERE name = 'schema'", "CREATE SCHEMA other", "CREATE TABLE other.letters (a text)",
	} {
		if _, err := s.pool.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	for schema, want := range map[string]error{"later": mem.ErrNewer, "other": mem.ErrForeign} {
		if _, err := Open(ctx, Config{DSN: server.WithPassword(), Schema: schema}); !errors.Is(err, want) {
			t.Errorf("schema %s: %v, want %v", schema, err, want)
		}
	}
	var tables int
	err := s.pool.QueryRow(ctx, "SELECT count(*) FROM pg_tables WHERE schemaname = 'other'").Scan(&tables)
	if err != nil || tables != 1 {
		t.Errorf("%d tables, %v, want 1", tables, err)
	}
}

func TestErrorsDoNotContainThePassword(t *testing.T) {
	for _, dsn := range []string{
		strings.Replace(server.WithPassword(), server.Password, "hunter2-secret", 1),
		"postgres://remanence:hunter2-secret@127.0.0.1:1/x", "postgres://remanence:hunter2-secret@127.0.0.1:no/x",
		"host=127.0.0.1 password=hunter2-secret port=1 sslmode=perhaps",
	} {
		_, err := Open(t.Context(), Config{DSN: dsn})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("error %v, want one without the password", err)
		}
	}
}

func TestAPasswordFileThatOthersCanReadIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pass")
	if err := os.WriteFile(file, []byte("127.0.0.1:*:*:remanence:"+server.Password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, want := range map[os.FileMode]error{0o600: nil, 0o640: mem.ErrUnsafe} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		s, err := Open(t.Context(), Config{DSN: server.DSN() + "&passfile=" + file})
		if !errors.Is(err, want) {
			t.Errorf("mode %o: %v, want %v", mode, err, want)
		}
		if err == nil {
			_ = s.Close()
		}
	}
}

func TestARoleThatMayNotWriteIsNamed(t *testing.T) {
	open(t, Config{Schema: "strict"})
	if err := server.SQL("remanence", "CREATE ROLE reader LOGIN PASSWORD 'r'; GRANT USAGE ON SCHEMA strict TO reader; "+
		"GRANT SELECT ON ALL TABLES IN SCHEMA strict TO reader"); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Config{
		DSN:    fmt.Sprintf("postgres://reader:r@127.0.0.1:%d/remanence", server.Port),
		Schema: "strict",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, err = s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{{Title: "x"}}})
	if !errors.Is(err, mem.ErrReadOnly) || !AtFault(err) {
		t.Errorf("error %v, fault of the store %v, want %v of the store: its event must wait", err, AtFault(err),
			mem.ErrReadOnly)
	}
	if v, err := s.Server(t.Context()); err != nil || !v.ReadOnly || !v.CannotMigrate {
		t.Errorf("doctor sees %+v, %v, want that it may neither write nor migrate", v, err)
	}
}

func TestLeasesOfOtherDaemonsDoNotEnd(t *testing.T) {
	mine := openStore(t)
	other := open(t, Config{Owner: "other"})
	apply(t, mine, mem.Batch{Jobs: []mem.Job{{Kind: "a", Key: "1"}, {Kind: "a", Key: "2"}}})
	for _, s := range []*Store{mine, other} {
		if jobs, err := s.Lease(t.Context(), mem.JobKinds{}, storetest.Clock(), time.Hour, 1); err != nil || len(jobs) != 1 {
			t.Fatalf("%d jobs, %v", len(jobs), err)
		}
	}
	if err := mine.EndLeases(t.Context()); err != nil {
		t.Fatal(err)
	}
	jobs, err := mine.Lease(t.Context(), mem.JobKinds{}, storetest.Clock(), time.Hour, 9)
	if err != nil || len(jobs) != 1 || jobs[0].Key != "1" {
		t.Errorf("due after the end of own leases: %+v, %v, want job 1", jobs, err)
	}
}

// Many daemons write at the same time: nothing is lost, and nothing is stored twice.
func TestTwentyDaemonsWriteTogether(t *testing.T) {
	const daemons, each = 20, 50
	openStore(t)
	var wg sync.WaitGroup
	errs := make([]error, daemons)
	for d := range daemons {
		s := open(t, Config{Owner: fmt.Sprint("daemon ", d), MaxConns: 2})
		wg.Go(func() {
			for i := range each {
				e := mem.Event{
					ID: fmt.Sprint("e_", d, "_", i), Agent: "codex", Kind: mem.PostToolUse, At: storetest.Clock(),
					Session: fmt.Sprint("s", d), PromptID: "p",
				}
				m := mem.Memory{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: fmt.Sprint("fact ", d, " ", i)}
				same := mem.Memory{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "all say this"}
				b := mem.Batch{
					Event: &e, Session: &mem.SessionChange{Project: "p_1", Notification: "n"},
					Memories: []mem.Memory{m, same},
				}
				for range 2 { // each is delivered twice
					_, err := s.Apply(t.Context(), b)
					errs[d] = errors.Join(errs[d], err)
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s := open(t, Config{})
	st, err := s.Stats(t.Context(), "p_1", storetest.Clock())
	if err != nil || st.Events != daemons*each || st.Memories != daemons*each+1 || st.Sessions != daemons {
		t.Errorf("%d events, %d memories, %d sessions, %v, want %d, %d, %d", st.Events, st.Memories, st.Sessions, err,
			daemons*each, daemons*each+1, daemons)
	}
	shared, err := s.List(t.Context(), mem.Query{Order: mem.ByUpdate, Limit: daemons*each + 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range shared {
		if m.Title == "all say this" && m.Repeats != daemons*each-1 {
			t.Errorf("%d repetitions, want %d", m.Repeats, daemons*each-1)
		}
	}
}

// A server that is killed loses no acknowledged batch, and the store goes on when it is back.
func TestAcknowledgedBatchesSurviveTheServer(t *testing.T) {
	own, err := pgserver.New(false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Remove(); err != nil {
			t.Error(err)
		}
	})
	s, err := Open(t.Context(), Config{DSN: own.WithPassword(), Now: storetest.Clock})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	acknowledged := 0
	for round := range 2 {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		var last error
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				e := mem.Event{
					ID: fmt.Sprint("e_", round, "_", i), Agent: "codex", Kind: mem.PostToolUse, At: storetest.Clock(), Session: "one",
				}
				if _, err := s.Apply(context.WithoutCancel(t.Context()), mem.Batch{Event: &e}); err != nil {
					last = err
					return
				}
				acknowledged++
			}
		})
		time.Sleep(300 * time.Millisecond)
		if err := own.Kill(); err != nil {
			t.Fatal(err)
		}
		close(stop)
		wg.Wait()
		if last != nil && (!errors.Is(last, mem.ErrAway) || !AtFault(last)) {
			t.Errorf("error %v of a store without a server, want %v", last, mem.ErrAway)
		}
		if _, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{{Title: "x"}}}); !errors.Is(err, mem.ErrAway) {
			t.Errorf("error %v while the server is away, want %v", err, mem.ErrAway)
		}
		if err := own.Start(); err != nil {
			t.Fatal(err)
		}
	}
	n, err := s.CountEvents(t.Context(), "one")
	if err != nil || n < acknowledged || acknowledged == 0 {
		t.Errorf("%d events, %v, want at least %d", n, err, acknowledged)
	}
}

func TestTheServerIsDescribed(t *testing.T) {
	got, err := openStore(t).Server(t.Context())
	if want := strings.TrimSuffix(server.DSN(), "?sslmode=disable"); got.Address != want || !got.Local || got.Encrypted {
		t.Errorf("address %s, local %v, encrypted %v, want %s, on this machine, not encrypted", got.Address, got.Local,
			got.Encrypted, want)
	}
	if err != nil || got.Version == "" || got.Latency <= 0 || got.Superuser || got.Bytes == 0 || got.Number != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got.ReadOnly || got.CannotMigrate || got.Ahead.Abs() > time.Minute {
		t.Errorf("the owner may all, at the same time: %+v", got)
	}
	if got.Durable {
		t.Error("a server without fsync counts as durable")
	}
}

func TestTheServersFaultsAreNotTheEvents(t *testing.T) {
	for code, want := range map[string]bool{
		"22P05": false, "23505": false, "54000": false, "42601": false,
		"42501": true, // a right was revoked
		"42P01": true, // a table is missing, as while the server is restored
		"42703": true, // a newer program changed the schema
		"53100": true, "57P01": true, "40P01": true,
	} {
		err := fmt.Errorf("apply: %w", translate(&pgconn.PgError{Code: code}))
		if got := AtFault(err); got != want {
			t.Errorf("AtFault of %s is %v, want %v", code, got, want)
		}
	}
}

// A worker may have read its input before the cause of the new job was stored: it must not take the job before that.
func TestAJobThatABatchCountsOnIsNotLeasedBeforeItsEnd(t *testing.T) {
	s, other := openStore(t), open(t, Config{Owner: "other"})
	job := mem.Job{Kind: "a", Key: "1"}
	apply(t, s, mem.Batch{Jobs: []mem.Job{job}})
	lease := func() []mem.Job {
		t.Helper()
		jobs, err := other.Lease(t.Context(), mem.JobKinds{}, storetest.Clock(), time.Hour, 9)
		if err != nil {
			t.Fatal(err)
		}
		return jobs
	}
	err := s.transact(t.Context(), func(tx *transaction) error {
		if err := newEntry(tx).PutJob(t.Context(), nil, job); err != nil {
			return err
		}
		if jobs := lease(); len(jobs) != 0 {
			t.Errorf("leased before the batch is stored: %+v", jobs)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if jobs := lease(); len(jobs) != 1 {
		t.Errorf("%d jobs are leased after the batch is stored, want 1", len(jobs))
	}
}

// While one daemon writes the tables anew, another one purges: its rows are not yet gone.
func TestAPurgeThatAnotherDaemonBeganIsNotForgotten(t *testing.T) {
	ctx := t.Context()
	s, other := openStore(t), open(t, Config{Wait: 2 * time.Minute, Limit: 5 * time.Minute})
	began := func(tx *transaction) error { return tx.PutTombstone(ctx, stored.UnfinishedPurge) }
	if err := s.transact(ctx, began); err != nil {
		t.Fatal(err)
	}
	finished := make(chan error, 1)
	err := s.transact(ctx, func(tx *transaction) error {
		if err := began(tx); err != nil { // it holds a lock for which the other one waits
			return err
		}
		go func() { finished <- other.finishPurge(ctx) }()
		for waits := 0; waits == 0; {
			if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE NOT granted "+
				"AND mode = 'AccessExclusiveLock'").Scan(&waits); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, <-finished); err != nil {
		t.Fatal(err)
	}
	var left int
	counted := s.pool.QueryRow(ctx, "SELECT count(*) FROM event WHERE id = $1", stored.UnfinishedPurge)
	if err := counted.Scan(&left); err != nil || left != 1 {
		t.Errorf("%d marks of an unfinished purge, %v, want 1", left, err)
	}
	if err := s.finishPurge(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.pool.QueryRow(ctx, "SELECT count(*) FROM event").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d marks after the purge was finished, %v, want none", left, err)
	}
}

// A scan must not write a memory anew whose document it cannot read, and must not read the whole table for each row.
func TestScrubbingKeepsWhatItCannotRead(t *testing.T) {
	ctx := t.Context()
	s := openStore(t)
	apply(t, s, mem.Batch{Memories: []mem.Memory{{
		Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: "launch", Body: "code swordfish", Pinned: true,
		Command: "fire swordfish", Tags: []string{"swordfish"}, Files: []string{"swordfish.go"},
	}}})
	if _, err := s.pool.Exec(ctx, "UPDATE memory SET doc = 'damaged ' || doc"); err != nil {
		t.Fatal(err)
	}
	clean := func(doc []byte) ([]byte, map[string]int, error) {
		n := strings.Count(string(doc), "swordfish")
		if n == 0 {
			return doc, nil, nil
		}
		return []byte(strings.ReplaceAll(string(doc), "swordfish", "[removed]")), map[string]int{"fish": n}, nil
	}
	if _, err := s.Scrub(ctx, true, nil, clean); err != nil {
		t.Fatal(err)
	}
	var row, project, doc string
	var pinned bool
	if err := s.pool.QueryRow(ctx, "SELECT m::text, project, doc, pinned FROM memory m").Scan(&row, &project, &doc,
		&pinned); err != nil {
		t.Fatal(err)
	}
	if project != "p_1" || !pinned || !strings.Contains(doc, "launch") || !strings.Contains(doc, "[removed]") {
		t.Errorf("the row is now %s", row)
	}
	if strings.Contains(row, "swordfish") {
		t.Errorf("the secret is still in %s", row)
	}
}

func TestATurnThatChangesKeepsMemoriesThatCannotBeRead(t *testing.T) {
	s := openStore(t)
	event := mem.Event{ID: "e_1", Session: "one", PromptID: "p1", Kind: mem.PostToolUse, At: storetest.Clock()}
	m := mem.Memory{Session: "one", Title: "launch", Trust: mem.TrustAssistant, Source: mem.Source{PromptID: "p1"}}
	readable := m
	readable.Title = "landing"
	ids := apply(t, s, mem.Batch{Event: &event, Memories: []mem.Memory{m, readable}})[0].IDs
	if _, err := s.pool.Exec(t.Context(), "UPDATE memory SET doc = 'damaged ' || doc WHERE id = $1", ids[0]); err != nil {
		t.Fatal(err)
	}
	event.ID = "e_2"
	apply(t, s, mem.Batch{Event: &event, Turn: &mem.TurnChange{Person: true, Tainted: true, Taint: mem.TrustNone}})
	var doc string
	if err := s.pool.QueryRow(t.Context(), "SELECT doc FROM memory WHERE id = $1", ids[0]).Scan(&doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc, "damaged ") || !strings.Contains(doc, "launch") {
		t.Errorf("the damaged document is now %s", doc)
	}
	found, err := s.List(t.Context(), mem.Query{IDs: ids[1:]})
	if err != nil || found[0].Trust != mem.TrustNone || found[0].Source.Prompt != 1 {
		t.Errorf("%+v, %v, want the trust and the prompt of the turn", found, err)
	}
}

func TestScrubbingFindsARowByItsKey(t *testing.T) {
	s := openStore(t)
	for _, table := range textTables() {
		err := s.transact(t.Context(), func(tx *transaction) error {
			if err := tx.exec(t.Context(), query("SET LOCAL enable_seqscan = off")); err != nil {
				return err
			}
			q := query("EXPLAIN " + recordsOf(table)).append(withKey(table, "1"))
			plan, err := rows(t.Context(), tx.tx, q, one[string])
			if text := strings.Join(plan, "\n"); strings.Contains(text, "Seq Scan on "+table.Table) &&
				isNumbered(table) {
				t.Errorf("the whole of %s is read for one row:\n%s", table.Table, text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
