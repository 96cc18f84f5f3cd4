package sqlite

import (
	"slices"
	"strings"
	"testing"

	"remanence/internal/mem"
)

func partsOf(t *testing.T, s *Store) map[mem.PartName]mem.Part {
	t.Helper()
	parts, err := s.Sizes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := map[mem.PartName]mem.Part{}
	for _, p := range parts {
		if p.Bytes < 0 {
			t.Errorf("%s takes %d bytes", p.Name, p.Bytes)
		}
		by[p.Name] = p
	}
	return by
}

func TestThePartsAddUpToTheSize(t *testing.T) {
	s := storeWithSecret(t)
	// After a checkpoint the size of the file is the sum of the parts.
	if _, err := s.conn.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	parts := partsOf(t, s)
	sum := int64(0)
	for _, p := range parts {
		sum += p.Bytes
	}
	if want := fileSize(s.path) + fileSize(s.path+"-wal"); sum != want {
		t.Errorf("the parts make %d bytes, the files are %d", sum, want)
	}
	for _, name := range []mem.PartName{
		mem.PartPayloads, mem.PartEvents, mem.PartMemories, mem.PartSessions, mem.PartReceipts,
		mem.PartCheckpoints,
	} {
		if p := parts[name]; p.Bytes == 0 || p.Count == 0 {
			t.Errorf("%s: got %d bytes, %d records, want some of both", name, p.Bytes, p.Count)
		}
	}
	if parts[mem.PartIndex].Bytes == 0 {
		t.Error("the index takes no room")
	}
}

func TestPayloadsAreCountedWithoutTheirRows(t *testing.T) {
	s := openStore(t)
	e := mem.Event{
		ID: "e_1", Agent: "claude-code", Kind: mem.PostToolUse, Session: "one",
		Text: strings.Repeat("x", 200_000),
	}
	apply(t, s, mem.Batch{Event: &e})
	parts := partsOf(t, s)
	if p := parts[mem.PartPayloads]; p.Bytes < 200_000 || p.Bytes > 201_000 || p.Count != 1 {
		t.Errorf("payloads: got %d bytes of %d, want a little over 200000 of 1", p.Bytes, p.Count)
	}
	if p := parts[mem.PartEvents]; p.Bytes > 30_000 || p.Count != 1 {
		t.Errorf("events: got %d bytes of %d without their payloads, want a few pages of 1", p.Bytes, p.Count)
	}
}

// The growth of a table without a part would be hidden.
func TestEveryTableBelongsToAPart(t *testing.T) {
	s := openStore(t)
	tables, err := rows(t.Context(), s.read, stmt("SELECT name FROM sqlite_schema WHERE type='table'"), one[string])
	if err != nil {
		t.Fatal(err)
	}
	small := []string{
		"project", "project_common", "project_root", "project_alias", "job", "pause", "silence", "spent",
		"sqlite_sequence",
	}
	for _, name := range tables {
		if part(name) == "" && !slices.Contains(small, name) {
			t.Errorf("table %s belongs to no part", name)
		}
	}
}
