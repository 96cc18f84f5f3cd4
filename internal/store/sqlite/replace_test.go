package sqlite

import (
	"context"
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

// databaseWithSecret returns the path of a closed database with the secret and n more memories.
func databaseWithSecret(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.db")
	s := openAt(t, path)
	defer closeStore(t, s)
	apply(t, s, storetest.SecretBatches()...)
	var batches []mem.Batch
	for i := range n {
		batches = append(batches, mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeUser, Kind: mem.Fact, Title: fmt.Sprintf("lighthouse %d", i),
			Body: strings.Repeat(fmt.Sprintf("keeper %d ", i), 60),
			Tags: []string{"coast"}, Files: []string{fmt.Sprintf("log/%d.md", i)},
		}}})
	}
	apply(t, s, batches...)
	return path
}

// found counts the hits of a search in the database of a path, which must be sound.
func found(t *testing.T, path, word string) int {
	t.Helper()
	s := openAt(t, path)
	defer closeStore(t, s)
	sound(t, s)
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{word}, Limit: 10000})
	if err != nil {
		t.Fatal(err)
	}
	return len(hits)
}

func TestARestoredBackupReplacesTheDatabaseWhichIsKept(t *testing.T) {
	path := databaseWithSecret(t, 3)
	s := openAt(t, path)
	kept, err := s.Keep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	apply(t, s, mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: "lighthouse of later"}}})
	closeStore(t, s)
	got, err := Restore(t.Context(), path, kept.Path, storetest.Clock())
	if err != nil {
		t.Fatal(err)
	}
	if n := found(t, path, "lighthouse"); n != 3 {
		t.Errorf("restored: %d memories, want the 3 of the backup", n)
	}
	if n := found(t, got.Aside, "lighthouse"); n != 4 {
		t.Errorf("aside: %d memories, want 4", n)
	}
	for _, f := range []string{path, got.Aside, kept.Path} {
		if info, err := os.Stat(f); err != nil || info.Mode() != 0o600 {
			t.Errorf("mode of %s is %v, %v, want 0600", f, info.Mode(), err)
		}
	}
	left, err := filepath.Glob(path + ".next*")
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNothingChangesWhenAFileCannotBeRestored(t *testing.T) {
	for name, c := range map[string]struct {
		file func(t *testing.T) string
		want error
	}{
		"missing":   {func(t *testing.T) string { return filepath.Join(t.TempDir(), "none.db") }, fs.ErrNotExist},
		"directory": {func(t *testing.T) string { return t.TempDir() }, mem.ErrForeign},
		"text": {func(t *testing.T) string {
			f := filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(f, []byte(strings.Repeat("no database\n", 400)), 0o600); err != nil {
				t.Fatal(err)
			}
			return f
		}, mem.ErrForeign},
		"empty": {func(t *testing.T) string {
			f := filepath.Join(t.TempDir(), "empty")
			if err := os.WriteFile(f, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return f
		}, mem.ErrForeign},
		"another program's": {func(t *testing.T) string {
			f := filepath.Join(t.TempDir(), "other.db")
			run(t, raw(t, f), "CREATE TABLE bookmark (url TEXT)")
			return f
		}, mem.ErrForeign},
		"newer": {func(t *testing.T) string {
			f := databaseWithSecret(t, 0)
			run(t, raw(t, f), "PRAGMA user_version=999")
			return f
		}, mem.ErrNewer},
		"damaged": {func(t *testing.T) string {
			f := databaseWithSecret(t, 200)
			overwrite(t, f, 4096*5, 4096*40)
			return f
		}, mem.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			path := databaseWithSecret(t, 2)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Restore(t.Context(), path, c.file(t), storetest.Clock()); !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			after, err := os.ReadFile(path)
			if err != nil || !slices.Equal(before, after) {
				t.Errorf("the database has changed (%v)", err)
			}
			if list, err := filepath.Glob(path + ".*"); err != nil || len(list) > 0 {
				t.Errorf("left: %v, %v", list, err)
			}
		})
	}
}

// overwrite overwrites part of a file with bytes that are no page.
func overwrite(t *testing.T, file string, from, to int64) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("\xa5\x5a", int(to-from)/2)), from); err != nil {
		t.Fatal(err)
	}
}

func TestADatabaseInUseIsNotReplaced(t *testing.T) {
	path, copied := databaseWithSecret(t, 2), databaseWithSecret(t, 1)
	db := raw(t, path)
	run(t, db, "PRAGMA locking_mode=EXCLUSIVE")
	run(t, db, "BEGIN IMMEDIATE; CREATE TABLE mine (x)")
	ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
	defer stop()
	if _, err := Restore(ctx, path, copied, storetest.Clock()); !errors.Is(err, mem.ErrLocked) {
		t.Errorf("got %v, want %v", err, mem.ErrLocked)
	}
}

func TestVacuumRemovesFreePagesOnly(t *testing.T) {
	path := databaseWithSecret(t, 400)
	s := openAt(t, path)
	all, err := s.List(t.Context(), mem.Query{Within: "*", Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, m := range all {
		if strings.HasPrefix(m.Title, "lighthouse") && !strings.HasSuffix(m.Title, "7") {
			ids = append(ids, m.ID)
		}
	}
	if _, err := s.Purge(t.Context(), ids...); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	before, after, err := Vacuum(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != after || after*2 > before {
		t.Errorf("from %d to %d bytes, %d on the disk, want less than half", before, after, info.Size())
	}
	if n := found(t, path, "lighthouse"); n != 400-len(ids) {
		t.Errorf("%d memories, want %d", n, 400-len(ids))
	}
}

func TestVacuumLeavesADamagedDatabaseAlone(t *testing.T) {
	path := databaseWithSecret(t, 200)
	overwrite(t, path, 4096*5, 4096*40)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Vacuum(t.Context(), path); !errors.Is(err, mem.ErrCorrupt) {
		t.Errorf("got %v, want %v", err, mem.ErrCorrupt)
	}
	if after, err := os.ReadFile(path); err != nil || !slices.Equal(before, after) {
		t.Errorf("the database has changed (%v)", err)
	}
}

func TestPurgeErasesCopies(t *testing.T) {
	path := databaseWithSecret(t, 3)
	s := openAt(t, path)
	if _, err := s.Keep(t.Context()); err != nil {
		t.Fatal(err)
	}
	closeStore(t, s)
	for range 2 { // the first keeps the former database
		copies, err := Copies(path)
		if err != nil || len(copies) == 0 {
			t.Fatalf("%v, %v", copies, err)
		}
		if _, err := Restore(t.Context(), path, copies[len(copies)-1].Path, storetest.Clock()); err != nil {
			t.Fatal(err)
		}
	}
	s = openAt(t, path)
	defer closeStore(t, s)
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"lighthouse 1"}})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	if _, err := s.Purge(t.Context(), hits[0].Memory.ID); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if b, err := os.ReadFile(f); err != nil || strings.Contains(string(b), "keeper 1 ") {
			t.Errorf("%s holds it still (%v)", f, err)
		}
	}
}

func TestACopyBegunBeforeAPurgeIsDeleted(t *testing.T) {
	path := databaseWithSecret(t, 3)
	s := openAt(t, path)
	defer closeStore(t, s)
	next, name, before := path+".backup-x.part", path+".backup-x", s.purges.Load()
	if err := s.makeCopy(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	copied, err := os.ReadFile(next)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"lighthouse 1"}})
	if err != nil || len(hits) != 1 {
		t.Fatalf("%d hits, %v", len(hits), err)
	}
	if _, err := s.Purge(t.Context(), hits[0].Memory.ID); err != nil {
		t.Fatal(err)
	}
	write(t, next, copied) // it is finished only now
	kept, err := s.keep(t.Context(), next, name, before)
	if err != nil || kept || !isMissing(next) || !isMissing(name) {
		t.Errorf("kept %v, %v, want it gone", kept, err)
	}
	if _, err := s.keepAs(t.Context(), name); err != nil || isMissing(name) {
		t.Errorf("a new copy: %v, missing %v", err, isMissing(name))
	}
}
