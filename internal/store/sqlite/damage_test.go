package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"remanence/internal/mem"
)

// TestAKnownDatabaseIsDamagedNotForeign opens files in the place of a
// database that existed before. They are not changed.
func TestAKnownDatabaseIsDamagedNotForeign(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string)
	}{
		{"nothing", func(t *testing.T, path string) { write(t, path, nil) }},
		{"text", func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("not a database\n"), 500)) }},
		{"another program's", func(t *testing.T, path string) { run(t, raw(t, path), "CREATE TABLE theirs (x)") }},
		{"ours without its mark", func(t *testing.T, path string) {
			makeDatabase(t, path)
			run(t, raw(t, path), "PRAGMA application_id=7")
		}},
		{"ours of no schema", func(t *testing.T, path string) {
			makeDatabase(t, path)
			run(t, raw(t, path), "PRAGMA user_version=0")
		}},
		{"ours of an impossible schema", func(t *testing.T, path string) {
			makeDatabase(t, path)
			run(t, raw(t, path), "PRAGMA user_version=-5")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "m.db")
			c.make(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s, err := Open(t.Context(), Config{Path: path, Known: true})
			if err == nil {
				closeStore(t, s)
			}
			if !errors.Is(err, mem.ErrCorrupt) || errors.Is(err, mem.ErrForeign) {
				t.Errorf("error %v, want %v alone", err, mem.ErrCorrupt)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed, %v", err)
			}
		})
	}
}

func TestAMissingKnownDatabaseIsMadeAgain(t *testing.T) {
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "m.db"), Known: true})
	if err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
}

// SQLite would delete the log and make a new database.
func TestAnEmptyFileWithALogIsDamaged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	write(t, path, nil)
	log := strings.Repeat("what was kept", 500)
	write(t, path+"-wal", []byte(log))
	if _, err := at(t, path); !errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("error %v, want %v", err, mem.ErrCorrupt)
	}
	if b, err := os.ReadFile(path + "-wal"); err != nil || string(b) != log {
		t.Errorf("the log was changed, %v", err)
	}
}

func TestErrorsOfTheStoreAreNotErrorsOfTheEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.db")
	makeDatabase(t, path)
	s := openAt(t, path)
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	run(t, other, "BEGIN IMMEDIATE")
	_, locked := s.Apply(t.Context(), mem.Batch{Event: &mem.Event{ID: "e_1", Session: "one"}})
	run(t, other, "ROLLBACK")
	_, wrong := s.conn.ExecContext(t.Context(), "INSERT INTO pause (nonsense) VALUES (1)")
	_, misfit := s.conn.ExecContext(t.Context(), "INSERT INTO project_root (root, key) VALUES ('a', 'b'), ('a', 'b')")
	closeStore(t, s)
	_, gone := s.Apply(t.Context(), mem.Batch{Event: &mem.Event{ID: "e_1", Session: "one"}})
	for _, c := range []struct {
		err  error
		want bool
	}{
		{locked, true},
		{gone, true},
		{wrong, false},
		{misfit, false},
		{context.Canceled, false},
		{fmt.Errorf("panic: %v", 1), false},
	} {
		if got := AtFault(c.err); got != c.want {
			t.Errorf("AtFault(%v) is %v, want %v", c.err, got, c.want)
		}
	}
}
