package sqlite

import (
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
	"remanence/test/tier"
)

func TestReadableRowsOfADamagedDatabaseAreSalvaged(t *testing.T) {
	const n = 400
	whole, err := os.Stat(databaseWithSecret(t, n))
	if err != nil {
		t.Fatal(err)
	}
	pages := whole.Size() / 4096
	for name, c := range map[string]struct {
		spoil func(t *testing.T, path string)
		least int // memories
	}{
		"a page in the middle": {func(t *testing.T, path string) {
			overwrite(t, path, pages/2*4096, (pages/2+1)*4096)
		}, n / 2},
		"the first page": {func(t *testing.T, path string) { overwrite(t, path, 0, 4096) }, n},
		"the first page, after a vacuum": {func(t *testing.T, path string) {
			if _, _, err := Vacuum(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			overwrite(t, path, 0, 4096)
		}, n},
		"the last third": {func(t *testing.T, path string) {
			if err := os.Truncate(path, pages*2/3*4096); err != nil {
				t.Fatal(err)
			}
		}, n / 8},
		"the index": {func(t *testing.T, path string) {
			db := raw(t, path)
			run(t, db, "DELETE FROM memory_fts_data WHERE id > 10")
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}, n},
		"only in the log": {func(t *testing.T, path string) {
			db := raw(t, path)
			run(t, db, "UPDATE memory SET title='cliff', body='', facts='x' WHERE title='lighthouse 7'")
			run(t, db, "UPDATE memory SET title='lighthouse 8b' WHERE title='lighthouse 8'")
		}, n - 1},
	} {
		t.Run(name, func(t *testing.T) {
			path := databaseWithSecret(t, n)
			c.spoil(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Salvage(t.Context(), path, storetest.Clock())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%+v", got)
			if after, err := os.ReadFile(got.Aside); err != nil || !slices.Equal(before, after) {
				t.Errorf("the damaged database was not kept as it was (%v)", err)
			}
			hits := found(t, path, "lighthouse")
			if hits < c.least || got.Rows["memory"] < hits {
				t.Errorf("%d memories are found, %d reported, want at least %d", hits, got.Rows["memory"], c.least)
			}
		})
	}
}

// SQLite ends a range at a number that is too large, and returns a row whose number
// is too small.
func TestADamagedNumberLosesOnlyItsRow(t *testing.T) {
	const n = 400
	for name, c := range map[string]struct {
		number [2]byte // as a varint
		at     func(leaves, cells int) (leaf, cell int)
	}{
		"too large":             {[2]byte{0xff, 0x7f}, func(leaves, cells int) (int, int) { return leaves / 2, cells / 2 }},
		"too small":             {[2]byte{0x81, 0x01}, func(leaves, cells int) (int, int) { return leaves / 2, cells / 2 }},
		"the last is too small": {[2]byte{0x81, 0x01}, func(leaves, cells int) (int, int) { return leaves - 1, cells - 1 }},
	} {
		t.Run(name, func(t *testing.T) {
			path := databaseWithSecret(t, n)
			db := raw(t, path)
			pages, err := rows(t.Context(), db,
				stmt("SELECT pageno FROM dbstat WHERE name='memory' AND pagetype='leaf' ORDER BY path"), one[int64])
			if err == nil {
				err = db.Close()
			}
			if err != nil || len(pages) < 4 {
				t.Fatalf("leaves of the table: %v, %v", pages, err)
			}
			all, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			cells := func(page int64) int { return int(binary.BigEndian.Uint16(all[(page-1)*4096+3:])) }
			leaf, _ := c.at(len(pages), 0)
			_, cell := c.at(0, cells(pages[leaf]))
			page := all[(pages[leaf]-1)*4096:][:4096]
			record := page[binary.BigEndian.Uint16(page[8+2*cell:]):]
			for record[0] >= 0x80 { // the record's size
				record = record[1:]
			}
			copy(record[1:], c.number[:])
			write(t, path, all)
			got, err := Salvage(t.Context(), path, storetest.Clock())
			if err != nil {
				t.Fatal(err)
			}
			if hits := found(t, path, "lighthouse"); hits < n-1 || got.Gaps == 0 {
				t.Errorf("%d of %d memories are found, %d gaps reported", hits, n, got.Gaps)
			}
		})
	}
}

func TestASoundDatabaseIsSalvagedCompletely(t *testing.T) {
	path := databaseWithSecret(t, 50)
	want := counts(t, path)
	got, err := Salvage(t.Context(), path, storetest.Clock())
	if err != nil {
		t.Fatal(err)
	}
	for table, n := range counts(t, path) {
		if n != want[table] {
			t.Errorf("%s: got %d rows, want %d", table, n, want[table])
		}
	}
	if got.Gaps != 0 {
		t.Errorf("got %d gaps, want 0", got.Gaps)
	}
}

// counts returns the row counts of all tables but those of the index.
func counts(t *testing.T, path string) map[string]int {
	t.Helper()
	db := raw(t, path)
	defer db.Close()
	names, err := rows(t.Context(), db,
		stmt("SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'memory_fts_%'"), one[string])
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	for _, name := range names {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM " + name).Scan(&n); err != nil {
			t.Fatal(err)
		}
		out[name] = n
	}
	return out
}

func TestAnUnreadableDatabaseIsSalvagedAsAnEmptyOne(t *testing.T) {
	path := databaseWithSecret(t, 20)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, path, 0, info.Size())
	got, err := Salvage(t.Context(), path, storetest.Clock())
	if err != nil || !got.Empty || len(got.Rows) > 0 {
		t.Errorf("got %+v, %v, want an empty database", got, err)
	}
}

func TestANonFileInTheDatabasesPlaceIsReplacedAndKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "remanence.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "diary"), []byte("not ours"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Config{Path: path}); !errors.Is(err, mem.ErrForeign) {
		t.Fatalf("open a directory: %v, want ErrForeign", err)
	}
	write(t, path+"-journal", []byte("of the one before"))
	got, err := Salvage(t.Context(), path, storetest.Clock())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(got.Aside + "-journal"); string(b) != "of the one before" || !isMissing(path+"-journal") {
		t.Errorf("journal aside: %q, %v, want it there and not beside the new one", b, err)
	}
	s, err := Open(t.Context(), Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	ids := apply(t, s,
		mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: "the new one works"}}})
	if _, err := s.Purge(t.Context(), ids[0].IDs...); err != nil {
		t.Errorf("purge beside it: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(got.Aside, "diary")); string(b) != "not ours" {
		t.Errorf("aside in %q: %q, %v", got.Aside, b, err)
	}
}

func TestNumbersOfAnEmptyTableAreNotUsedAgain(t *testing.T) {
	path := databaseWithSecret(t, 3)
	add := func() string {
		s := openAt(t, path)
		defer closeStore(t, s)
		ids := apply(t, s,
			mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: "the newest one"}}})
		return ids[0].IDs[0]
	}
	before := add()
	run(t, raw(t, path), "DELETE FROM memory")
	if _, err := Salvage(t.Context(), path, storetest.Clock()); err != nil {
		t.Fatal(err)
	}
	if after := add(); len(after) < len(before) || after <= before {
		t.Errorf("%s was given after %s", after, before)
	}
}

// Any damage ends with a sound database and the former one kept, or with an error
// and nothing changed.
func TestSalvageOfAnyDamageEndsWithASoundDatabase(t *testing.T) {
	r := tier.Rand(t)
	sound, err := os.ReadFile(databaseWithSecret(t, 60))
	if err != nil {
		t.Fatal(err)
	}
	for range tier.Runs(10, 500) {
		path := filepath.Join(t.TempDir(), "m.db")
		write(t, path, sound)
		for range 1 + r.IntN(4) {
			from := r.Int64N(int64(len(sound)) - 600)
			overwrite(t, path, from, from+2+r.Int64N(500)&^1)
		}
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Salvage(t.Context(), path, storetest.Clock())
		kept := got.Aside
		if err != nil {
			kept = path
		}
		if after, rerr := os.ReadFile(kept); rerr != nil || !slices.Equal(before, after) {
			t.Fatalf("the damaged database was not kept as it was (%v, %v)", rerr, err)
		}
		if err != nil {
			t.Logf("not salvaged: %v", err)
			continue
		}
		found(t, path, "lighthouse")
		s := openAt(t, path)
		if _, err := s.List(t.Context(), mem.Query{Within: "*", Limit: 1000}); err != nil {
			t.Errorf("list: %v", err)
		}
		if _, err := s.Events(t.Context(), mem.EventQuery{Limit: 1000}); err != nil {
			t.Errorf("events: %v", err)
		}
		closeStore(t, s)
	}
}
