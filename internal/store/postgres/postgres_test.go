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

	"remanence/internal/mem"
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
	found, err := s.Scrub(t.Context(), false, clean)
	if err != nil || found.WithSecrets == 0 || found.Fixed {
		t.Fatalf("looking: %+v, %v", found, err)
	}
	fixed, err := s.Scrub(t.Context(), true, clean)
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
	if again, err := s.Scrub(t.Context(), false, clean); err != nil || again.WithSecrets != 0 {
		t.Errorf("looking again: %+v, %v, want nothing", again, err)
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
	if _, err := s.Apply(t.Context(), mem.Batch{Memories: []mem.Memory{{Title: "x"}}}); !errors.Is(err, mem.ErrReadOnly) {
		t.Errorf("error %v, want %v", err, mem.ErrReadOnly)
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
	if err != nil || got.Version == "" || got.Latency <= 0 || got.Superuser || got.Bytes == 0 || got.Number != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
	if got.Durable {
		t.Error("a server without fsync counts as durable")
	}
}
