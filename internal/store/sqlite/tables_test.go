package sqlite

import (
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestTablesOfAnotherProgramAreOnlyRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE observations (id INTEGER, title TEXT, facts BLOB, gone TEXT); INSERT INTO ` +
		`observations VALUES (1, 'a lock', '["one"]', NULL)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Tables(t.Context(), file, map[string]string{"observations": "seen", "session_summaries": "summed"})
	if err != nil || len(got) != 1 || len(got["seen"]) != 1 {
		t.Fatalf("got %v, %v, want one row of one table", got, err)
	}
	row := got["seen"][0]
	if _, there := row["gone"]; there || row["title"] != "a lock" || row["id"] != int64(1) {
		t.Errorf("row %v", row)
	}
	t.Chdir(filepath.Dir(file))
	got, err = Tables(t.Context(), "other.db", map[string]string{"observations": "seen"})
	if err != nil || len(got) != 1 {
		t.Errorf("by a relative path: %v, %v, want the same table", got, err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed, %v", err)
	}
	if _, err := Tables(t.Context(), filepath.Join(t.TempDir(), "none.db"), map[string]string{"a": "a"}); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestRowsOfInternalTablesAreNotCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	for _, stmt := range []string{
		`CREATE TABLE "odd "" name" (a)`, `INSERT INTO "odd "" name" VALUES (1), (2)`, "CREATE TABLE empty (a)",
		"CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT)", "INSERT INTO n VALUES (7)",
		"CREATE VIRTUAL TABLE words USING fts5(a)", "INSERT INTO words VALUES ('x')", "CREATE VIEW v AS SELECT * FROM n",
	} {
		if _, err := db.Exec(stmt); err != nil {
			t.Fatalf("%s: %v", stmt, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := RowCounts(t.Context(), file)
	if want := map[string]int{`odd " name`: 2, "n": 1}; err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := RowCounts(t.Context(), filepath.Join(t.TempDir(), "none.db")); err == nil {
		t.Error("a database that is not there was counted")
	}
}
