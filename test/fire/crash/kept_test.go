//go:build fire

package crash

import (
	"database/sql"
	"path/filepath"
	"regexp"
	"testing"

	_ "modernc.org/sqlite"

	"remanence/test/world"
)

// openDatabase opens a person's database. The daemon has to be stopped before rows are counted, as it may be writing.
func openDatabase(t *testing.T, p *world.Person) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(p.Data(), "remanence.db")+"?_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// marked counts the rows of a query's one text column by the mark in them.
func marked(t *testing.T, db *sql.DB, query string) map[string]int {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	word := regexp.MustCompile(`kestrel[0-9]{8}q`)
	found := map[string]int{}
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		found[word.FindString(text)]++
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// stored counts the kept events by their mark; those without one count under "".
func stored(t *testing.T, db *sql.DB) map[string]int {
	t.Helper()
	return marked(t, db, "SELECT tool_use_id || ' ' || payload FROM event")
}

// number asks for one number.
func number(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// checkWhole fails the test if the database is damaged or if the effects of an
// event are not there exactly once: what counts events has to agree with them.
func checkWhole(t *testing.T, db *sql.DB) {
	t.Helper()
	var said string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&said); err != nil || said != "ok" {
		t.Errorf("integrity check: %q, %v, want ok", said, err)
	}
	for what, query := range map[string]string{
		"rows whose parent is missing": "SELECT count(*) FROM pragma_foreign_key_check",
		"sessions that count other prompts than they have": `SELECT count(*) FROM session s WHERE prompts <>
			(SELECT count(*) FROM event e WHERE e.session = s.number AND kind = 'UserPromptSubmit')`,
		"sessions that count other notices than they have": `SELECT count(*) FROM session s WHERE notifications <>
			(SELECT count(*) FROM event e WHERE e.session = s.number AND kind = 'Notification')`,
		"memories that are there twice": `SELECT count(*) FROM (SELECT 1 FROM memory WHERE title LIKE '%kestrel%' GROUP ` +
			`BY kind, title HAVING count(*) > 1)`,
	} {
		if n := number(t, db, query); n != 0 {
			t.Errorf("%s: got %d, want none", what, n)
		}
	}
}
