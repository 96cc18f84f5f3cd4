//go:build backends

package surreal

import (
	"fmt"
	"os"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
	"remanence/test/surrealserver"
)

// server is the server of all tests of the package. Without one they fail.
var server *surrealserver.Server

func TestMain(m *testing.M) {
	var err error
	if server, err = surrealserver.New(true); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := server.Remove(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

var databases int

// openStore returns an empty store with the suite's clock.
func openStore(t testing.TB) *Store {
	t.Helper()
	databases++
	return open(t, Config{DSN: server.DSN("test", fmt.Sprintf("db%d", databases))})
}

// open opens a store of the server with the suite's clock.
func open(t testing.TB, cfg Config) *Store {
	t.Helper()
	cfg.Getenv, cfg.Now = server.Getenv, storetest.Clock
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

func TestSurrealDBKeepsTheContract(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mem.Store { return openStore(t) })
}

func TestSurrealDBKeepsTheContractOfRecords(t *testing.T) {
	storetest.RunRecords(t, func(t *testing.T) mem.Store { return openStore(t) })
}
