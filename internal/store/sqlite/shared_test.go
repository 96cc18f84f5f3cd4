package sqlite

import (
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
	"remanence/test/tier"
)

// openShared opens a database as if its file system had no shared memory.
func openShared(t *testing.T, path string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Config{Path: path, Now: storetest.Clock, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // a second one does nothing
	return s
}

func TestTheContractHoldsWithoutALog(t *testing.T) {
	if !tier.IsLong() {
		t.Skip("only in the long run: it is the whole suite once more")
	}
	storetest.Run(t, func(t *testing.T) mem.Store { return openShared(t, filepath.Join(t.TempDir(), "m.db")) })
}

func TestASharedFileSystemHasNoLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	makeDatabase(t, path) // with a log, as on a local disk
	s := openShared(t, path)
	apply(t, s, mem.Batch{Event: &mem.Event{ID: "e_shared", Session: "one"}})
	for pragma, want := range map[string]string{"journal_mode": "delete", "synchronous": "3"} {
		var got string
		if err := s.conn.QueryRowContext(t.Context(), "PRAGMA "+pragma).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", pragma, got, err, want)
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		if !isMissing(path + suffix) {
			t.Errorf("there is a file m.db%s", suffix)
		}
	}
	closeStore(t, s)
	back := openAt(t, path)
	defer closeStore(t, back)
	sound(t, back)
	if h := back.Describe(t.Context()); h.Err != nil || h.Journal != "wal" {
		t.Errorf("back on a local disk: %+v", h)
	}
	if got, err := back.Events(t.Context(), mem.EventQuery{}); err != nil || len(got) != 5 {
		t.Errorf("%d events, %v, want 5", len(got), err)
	}
}
