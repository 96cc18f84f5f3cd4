package sqlite

import (
	"database/sql"
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
	if _, err := db.Exec(`CREATE TABLE observations (id INTEGER, title TEXT, facts BLOB, gone TEXT); INSERT INTO observations VALUES (1, 'a lock', '["one"]', NULL)`); err != nil {
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
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed, %v", err)
	}
	if _, err := Tables(t.Context(), filepath.Join(t.TempDir(), "none.db"), map[string]string{"a": "a"}); err == nil {
		t.Error("a file that is not there was read")
	}
}
