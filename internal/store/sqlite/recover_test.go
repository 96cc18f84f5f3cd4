package sqlite

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// resized changes the length of a file.
func resized(t *testing.T, path string, to func(size int64) int64) {
	t.Helper()
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, to(info.Size()))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// zeroed makes a part of a file zeros; to of -1 means its end.
func zeroed(t *testing.T, path string, from, to int64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if to < 0 {
		to = int64(len(b))
	}
	clear(b[from:to])
	write(t, path, b)
}

// unreadableFiles are databases of which nothing can be read. Recover replaces those that were ours.
var unreadableFiles = []struct {
	name string
	do   func(t *testing.T, path string)
	ours bool
}{
	{"zero length", func(t *testing.T, path string) { resized(t, path, func(int64) int64 { return 0 }) }, true},
	{"zeros", func(t *testing.T, path string) { zeroed(t, path, 0, -1) }, true},
	{"a few bytes", func(t *testing.T, path string) { resized(t, path, func(int64) int64 { return 50 }) }, true},
	{"the header alone", func(t *testing.T, path string) { zeroed(t, path, 100, -1) }, true},
	{"text", func(t *testing.T, path string) { write(t, path, bytes.Repeat([]byte("no database\n"), 900)) }, false},
	{"another program's", func(t *testing.T, path string) {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		db := raw(t, path)
		run(t, db, "CREATE TABLE theirs (x)")
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}, false},
	{"a directory", func(t *testing.T, path string) {
		if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
			t.Fatal(err)
		}
	}, false},
}

func TestAnUnreadableDatabaseIsReplacedAndKept(t *testing.T) {
	for _, c := range unreadableFiles {
		t.Run(c.name, func(t *testing.T) {
			path := databaseWithSecret(t, 3)
			c.do(t, path)
			before, _ := os.ReadFile(path) // of a directory: nothing
			write(t, path+"-wal", []byte("a log"))
			write(t, path+"-shm", []byte("its index"))
			got, err := Salvage(t.Context(), path, storetest.Clock())
			if err != nil || !got.Empty {
				t.Fatalf("got %+v, %v, want an empty database", got, err)
			}
			after, _ := os.ReadFile(got.Aside)
			if !bytes.Equal(before, after) {
				t.Error("the old one was not kept as it was")
			}
			if b, err := os.ReadFile(got.Aside + "-wal"); err != nil || string(b) != "a log" {
				t.Errorf("the log aside holds %q, %v", b, err)
			}
			if isMissing(got.Aside + "-shm") {
				t.Error("the log's index is not aside")
			}
			if n := found(t, path, "lighthouse"); n != 0 {
				t.Errorf("%d memories are found in the new database", n)
			}
		})
	}
}

// The tables are intact, but their first pages are unknown.
func TestRowsAreSalvagedIfTheSchemaTableIsLost(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(t *testing.T, path string)
		table string // of which rows are left
	}{
		{"the first half is left", func(t *testing.T, path string) {
			resized(t, path, func(n int64) int64 { return n / 2 })
		}, "event"},
		{"pages of it are zeros", func(t *testing.T, path string) { zeroed(t, path, 4096, 11*4096) }, "memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := databaseWithSecret(t, 5)
			c.do(t, path)
			got, err := Salvage(t.Context(), path, storetest.Clock())
			if err != nil || got.Empty || got.Rows[c.table] == 0 {
				t.Errorf("got %+v, %v, want rows of table %s", got, err, c.table)
			}
			found(t, path, "lighthouse")
		})
	}
}

// The last rows are only in the log.
func TestTheLogOfAnEmptyDatabaseIsSalvaged(t *testing.T) {
	path := databaseWithSecret(t, 1)
	s := openAt(t, path)
	apply(t, s, mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: "lighthouse at last"}}})
	log, err := os.ReadFile(path + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("a log of %d bytes, %v", len(log), err)
	}
	closeStore(t, s)
	write(t, path, nil)
	write(t, path+"-wal", log)
	got, err := Salvage(t.Context(), path, storetest.Clock())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(got.Aside + "-wal"); err != nil || !bytes.Equal(b, log) {
		t.Errorf("the log was not kept as it was (%v)", err)
	}
	if n := found(t, path, "lighthouse"); n == 0 {
		t.Errorf("%d memories are found, want the one of the log; %+v", n, got)
	}
}

func TestRecoverLeavesDecisionsToThePerson(t *testing.T) {
	type damaged struct {
		name string
		do   func(t *testing.T, path string)
		want error
	}
	cases := []damaged{
		{"the first half is left", func(t *testing.T, path string) {
			resized(t, path, func(n int64) int64 { return n / 2 })
		}, nil},
		{"the first page is zeros", func(t *testing.T, path string) { zeroed(t, path, 0, 4096) }, mem.ErrCorrupt},
		{"a newer version's", func(t *testing.T, path string) {
			db := raw(t, path)
			run(t, db, "PRAGMA user_version=999")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, mem.ErrNewer},
	}
	for _, r := range unreadableFiles {
		c := damaged{r.name, r.do, nil}
		if !r.ours {
			c.want = mem.ErrForeign
		}
		cases = append(cases, c)
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := databaseWithSecret(t, 5)
			c.do(t, path)
			before, _ := os.ReadFile(path) // of a directory: nothing
			got, err := Recover(t.Context(), path, storetest.Clock())
			if !errors.Is(err, c.want) {
				t.Fatalf("got %+v, %v, want error %v", got, err, c.want)
			}
			kept := path
			if c.want == nil {
				kept = got.Aside
				found(t, path, "lighthouse")
			}
			if after, _ := os.ReadFile(kept); !bytes.Equal(before, after) {
				t.Errorf("%s is not as it was", filepath.Base(kept))
			}
			if left, err := filepath.Glob(path + ".[ns]*"); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A writer that hangs keeps its lock.
func TestADatabaseIsReadWhileAWriterHangs(t *testing.T) {
	path := databaseWithSecret(t, 4)
	other := raw(t, path)
	other.SetMaxOpenConns(1)
	run(t, other, "BEGIN IMMEDIATE")
	run(t, other, "DELETE FROM memory")
	s, err := OpenForReading(t.Context(), path, 10*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore(t, s)
	st, err := s.Stats(t.Context(), "", storetest.Clock())
	if err != nil || st.Memories < 4 {
		t.Errorf("got %d memories, %v, want at least 4", st.Memories, err)
	}
	run(t, other, "ROLLBACK")
	if _, err := OpenForReading(t.Context(), path+".none", time.Second); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("where there is none: got %v", err)
	}
}
