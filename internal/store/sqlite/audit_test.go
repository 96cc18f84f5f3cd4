package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/mem"
)

func TestAWrongIndexIsNoDamageAndIsRebuilt(t *testing.T) {
	for name, spoil := range map[string]string{
		"rows are missing": "DELETE FROM memory_fts WHERE rowid IN (SELECT number FROM memory ORDER BY number DESC " +
			"LIMIT 5)",
		"rows without memory": "INSERT INTO memory_fts (rowid, body, title, ident) VALUES (9999, 'lighthouse', 'ghost', '')",
		"its pages are damaged": "UPDATE memory_fts_data SET block = zeroblob(length(block)) WHERE id = (SELECT max(id) " +
			"FROM memory_fts_data)",
		"its format is lost":    "UPDATE memory_fts_config SET v=0 WHERE k='version'",
		"its pages are deleted": "DELETE FROM memory_fts_data WHERE id > 10",
	} {
		t.Run(name, func(t *testing.T) {
			path := databaseWithSecret(t, 40)
			db := raw(t, path)
			run(t, db, spoil)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, path)
			defer closeStore(t, s)
			for _, full := range []bool{false, true} {
				a, err := s.Audit(t.Context(), full)
				if err != nil || len(a.Index) == 0 || len(a.Damage) > 0 {
					t.Errorf("full %v: got %+v, %v, want a fault of the index alone", full, a, err)
				}
			}
			n, err := s.Reindex(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			sound(t, s)
			hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"lighthouse"}, Limit: 1000})
			if err != nil || len(hits) != 40 || n < 40 {
				t.Errorf("%d of %d memories found, %v, want 40", len(hits), n, err)
			}
			if hits, err := s.Match(t.Context(), mem.Query{
				Terms: []string{"keeper"}, Tags: []string{"coast"}, File: "log/7.md",
				Limit: 1000,
			}); err != nil || len(hits) != 1 {
				t.Errorf("by file and tag: %d, %v, want 1", len(hits), err)
			}
			var erases int
			if err := s.conn.QueryRowContext(t.Context(),
				"SELECT v FROM memory_fts_config WHERE k='secure-delete'").Scan(&erases); err != nil || erases != 1 {
				t.Errorf("secure-delete is %d, %v, want 1", erases, err)
			}
		})
	}
}

// sound fails unless a full audit finds nothing.
func sound(t *testing.T, s *Store) {
	t.Helper()
	if a, err := s.Audit(t.Context(), true); err != nil || !a.OK() {
		t.Errorf("audit: %+v, %v, want ok", a, err)
	}
}

func TestAStoreThatGrowsBetweenTwoAuditsIsSound(t *testing.T) {
	s := openStore(t)
	for i := range 3 {
		m := mem.Memory{Scope: mem.ScopeProject, Project: "p_1", Kind: mem.Fact, Title: string(rune('a'+i)) +
			" something to be found"}
		apply(t, s, mem.Batch{Memories: []mem.Memory{m}})
		sound(t, s)
	}
}

func TestDanglingRowsAreCounted(t *testing.T) {
	path := databaseWithSecret(t, 2)
	db := raw(t, path)
	run(t, db, "DELETE FROM session")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path)
	defer closeStore(t, s)
	if a, err := s.Audit(t.Context(), false); err != nil || a.Dangling == 0 || a.OK() {
		t.Errorf("got %+v, %v, want dangling rows", a, err)
	}
}

func TestAReadErrorIsNoDamage(t *testing.T) {
	const mem0 = "/proc/self/mem" // reading its beginning is an error of input and output
	if _, err := os.Stat(mem0); err != nil {
		t.Skip(err)
	}
	sound, failing := databaseWithSecret(t, 1), filepath.Join(t.TempDir(), "m.db")
	if err := os.Symlink(mem0, failing); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, line string
		want       error
	}{
		{sound, "Tree 4 page 9: btreeInitPage() returns error code 11", nil},
		{sound, "Tree 4 page 9: unable to get the page. error code=11", nil},
		{sound, "Tree 4 page 7: unable to get the page. error code=8458", mem.ErrDisk},
		{failing, "Tree 4 page 9: btreeInitPage() returns error code 11", mem.ErrDisk},
	} {
		if err := (Audit{Damage: []string{c.line}}).readError(c.path); !errors.Is(err, c.want) {
			t.Errorf("%s, %s: %v, want %v", filepath.Base(c.path), c.line, err, c.want)
		}
	}
}
