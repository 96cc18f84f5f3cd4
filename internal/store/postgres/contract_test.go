//go:build backends

package postgres

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
	"remanence/test/pgserver"
)

// server is the server of all tests of the package. Without one they fail.
var server *pgserver.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = pgserver.New(true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := errors.Join(server.Remove(), removeVectorServer()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// openStore returns an empty store with the suite's clock.
func openStore(t testing.TB) *Store {
	t.Helper()
	s := open(t, Config{})
	empty(t, s)
	return s
}

// empty empties a store. Making a schema for each test, or truncating all tables of one, takes longer than most tests.
func empty(t testing.TB, s *Store) {
	t.Helper()
	_, err := s.pool.Exec(t.Context(), `DELETE FROM memory; DO $$ BEGIN EXECUTE (SELECT string_agg('DELETE FROM ' ||
		quote_ident(tablename), '; ') FROM pg_tables WHERE schemaname = current_schema AND tablename <> 'counter'); END $$;
		DELETE FROM counter WHERE name <> 'schema'`)
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a store of the server with the suite's clock.
func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	return openOn(t, server, cfg)
}

func openOn(t testing.TB, server *pgserver.Server, cfg Config) *Store {
	t.Helper()
	cfg.DSN, cfg.Now = server.WithPassword(), storetest.Clock
	s, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestPostgreSQLKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mem.Store { return openStore(t) })
}

func TestPostgreSQLKeepsTheContractOfRecords(t *testing.T) {
	n := 0
	storetest.RunRecords(t, func(t *testing.T) mem.Store {
		n++ // two stores are open at once
		return open(t, Config{Schema: fmt.Sprintf("records_%d", n)})
	})
}
