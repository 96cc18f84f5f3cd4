package sqlite

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// bounded are text columns with ids of the store, hashes, values of a fixed set, and
// ids of sessions and agents, which are checked when they arrive. All others are scanned.
var bounded = []string{
	"change.other", "change.rule", "change.was", "change.became", "checkpoint.id", "checkpoint.project",
	"checkpoint.trigger",
	"dismissed.other", "dismissed.rule", "entity.id", "entity.kind", "entity.project", "event.id", "event.key",
	"event.kind",
	"job.id", "job.key", "job.kind", "memory.head", "memory.id", "memory.kind", "memory.merged_into", "memory.origin",
	"memory.project",
	"memory.scope", "memory.status", "memory.supersedes", "memory.who", "memory.words", "memory_file.dir",
	"memory_file.ext",
	"memory_file.path", "memory_tag.tag", "pause.target", "project.head", "project.key", "project_alias.key",
	"project_alias.known",
	"project_common.key", "project_root.key", "receipt.id", "receipt.outcome", "receipt.project", "receipt_item.memory",
	"relation.kind",
	"run.id", "run.kind", "run.project", "session.checked_hash", "session.id", "session.parent", "session.project",
	"session.short",
	"session.status", "silence.target", "spent.day", "told.mark", "vector.model",
}

// A secret that an older version stored is removed from any column.
func TestScrubScansEveryTextColumn(t *testing.T) {
	s := openStore(t)
	for _, b := range storetest.SecretBatches() {
		apply(t, s, b)
	}
	ids := apply(t, s, mem.Batch{
		Memories: []mem.Memory{{
			Scope: mem.ScopeProject, Project: "p_1", Session: "four", Kind: mem.Fact,
			Title: "what lives in the sea",
		}},
		Project: &mem.Project{
			Key: "p_1", Name: "till", Root: "/till", Common: "/till/.git", Origin: "example.org/till",
			Branch: "main",
		},
		Jobs:        []mem.Job{{Kind: "x", Session: "four", Key: "k", Data: "d"}},
		Receipts:    []mem.Receipt{{ID: "r_all", Session: "four", Text: "t"}},
		Checkpoints: []mem.Checkpoint{{Session: "four", Project: "p_1"}},
	})
	apply(t, s,
		mem.Batch{Links: []mem.MemoryLinks{{
			Memory:   ids[0].IDs[0],
			Entities: []mem.NamedEntity{{Kind: "tool", Name: "hammer", Confidence: 1}},
		}}})
	db := raw(t, s.path)
	run(t, db, "INSERT INTO run (id, kind, project, at, looked) VALUES ('n_1', 'x', 'p_1', 1, 1)")
	run(t, db, "INSERT INTO change (run, memory, other, rule, reason, was, became, undone) SELECT 1, min(number), '', "+
		"'x', 'why', '{}', '{}', 0 FROM memory")
	rows, err := s.read.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.sql NOT LIKE '%VIRTUAL%' AND m.name NOT LIKE '%\_fts\_%' ESCAPE '\'
		AND c.type = 'TEXT' ORDER BY 1, 2`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var places [][2]string
	for rows.Next() {
		var p [2]string
		if err := rows.Scan(&p[0], &p[1]); err != nil {
			t.Fatal(err)
		}
		places = append(places, p)
	}
	if err := rows.Err(); err != nil || len(places) < 80 {
		t.Fatalf("%d columns, %v", len(places), err)
	}
	for _, p := range places {
		if name := p[0] + "." + p[1]; !slices.Contains(bounded, name) {
			t.Run(name, func(t *testing.T) { scrubColumn(t, s, db, p[0], p[1]) })
		}
	}
}

// scrubColumn writes a word into a column and scrubs the store.
func scrubColumn(t *testing.T, s *Store, db *sql.DB, table, column string) {
	value := "'a swordfish'"
	if column == "facts" || column == "concepts" || column == "tags" || column == "files" || column == "modified" ||
		column == "supersedes" {
		value = `'["swordfish"]'`
	}
	if column == "doc" || column == "summary" || column == "standing" || column == "payload" || column == "anchors" {
		value = `'{"x":"swordfish"}'`
	}
	var first string
	if err := s.read.QueryRowContext(t.Context(), "SELECT "+column+" FROM "+table+" LIMIT 1").Scan(&first); err != nil {
		t.Fatalf("no row: %v", err)
	}
	where := " WHERE " + column + " = '" + strings.ReplaceAll(first, "'", "''") + "'"
	run(t, db, "UPDATE OR REPLACE "+table+" SET "+column+"="+value+where)
	got, err := s.Scrub(t.Context(), false, nil, removeWord("swordfish"))
	if err != nil || len(got.Finds) == 0 {
		t.Errorf("Scrub = %+v, %v; want it found", got, err)
	}
	if got, err = s.Scrub(t.Context(), true, nil, removeWord("swordfish")); err != nil || !got.Fixed {
		t.Errorf("Scrub = %+v, %v; want it fixed", got, err)
	}
	var left int
	err = s.read.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+column+
		" LIKE '%swordfish%'").Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("left in %d rows, %v", left, err)
	}
}
