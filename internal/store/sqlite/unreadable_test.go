package sqlite

import (
	"errors"
	"strings"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/store/storetest"
)

// storeWithUnreadableRows returns a store with sound pages and one unreadable row of each kind:
// memory m_3, event e_2, the receipt r_1 and the only checkpoint.
func storeWithUnreadableRows(t *testing.T) (s *Store, path string) {
	t.Helper()
	path = databaseWithSecret(t, 5)
	db := raw(t, path)
	for _, q := range []string{
		"UPDATE memory SET facts='[\"half a li', source=char(173) || source WHERE id='m_3'",
		"UPDATE event SET payload=char(173) || payload WHERE id='e_2'",
		"UPDATE receipt SET doc=substr(doc, 1, 20) WHERE id='r_1'",
		"UPDATE checkpoint SET doc=replace(doc, '\"at\":\"2', '\"at\":\"x')",
	} {
		run(t, db, q)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	t.Cleanup(func() { _ = s.Close() })
	return s, path
}

func TestListsLeaveOutUnreadableRows(t *testing.T) {
	s, _ := storeWithUnreadableRows(t)
	events, err := s.Events(t.Context(), mem.EventQuery{})
	if err != nil || len(events) != 3 {
		t.Errorf("%d events, %v, want the other 3", len(events), err)
	}
	memories, err := s.List(t.Context(), mem.Query{Within: "*", Limit: 100})
	if err != nil || len(memories) != 7 {
		t.Errorf("%d memories, %v, want the other 7", len(memories), err)
	}
	hits, err := s.Match(t.Context(), mem.Query{Terms: []string{"unrelated", "lighthouse"}, Limit: 100})
	if err != nil || len(hits) != 5 {
		t.Errorf("%d hits, %v, want the 5 that can be read", len(hits), err)
	}
	receipts, err := s.Receipts(t.Context(), mem.ReceiptQuery{})
	if err != nil || len(receipts) != 1 || receipts[0].ID != "r_2" {
		t.Errorf("receipts %+v, %v, want r_2 alone", receipts, err)
	}
	if _, err := s.Receipts(t.Context(), mem.ReceiptQuery{Trigger: "prompt"}); err != nil {
		t.Errorf("receipts of a trigger: %v", err)
	}
	checkpoints, err := s.Checkpoints(t.Context(), mem.CheckpointQuery{})
	if err != nil || len(checkpoints) != 0 {
		t.Errorf("checkpoints %+v, %v, want none", checkpoints, err)
	}
}

func TestAnUnreadableMemoryIsNotReportedMissing(t *testing.T) {
	s, _ := storeWithUnreadableRows(t)
	_, err := s.List(t.Context(), mem.Query{IDs: []string{"m_3"}, Within: "*"})
	if !errors.Is(err, mem.ErrCorrupt) || !strings.Contains(err.Error(), "m_3") {
		t.Errorf("got %v, want %v and its id", err, mem.ErrCorrupt)
	}
}

func TestAuditNamesUnreadableRows(t *testing.T) {
	s, path := storeWithUnreadableRows(t)
	if a, err := s.Audit(t.Context(), false); err != nil || !a.OK() {
		t.Errorf("a quick look: %+v, %v, want it to read no rows", a, err)
	}
	a, err := s.Audit(t.Context(), true)
	if err != nil || a.OK() || len(a.Damage) > 0 || len(a.Unreadable) != 4 {
		t.Fatalf("got %+v, %v, want 4 rows of a sound database", a, err)
	}
	for i, want := range []string{"memory m_3: ", "event 2 (e_2): ", "checkpoint c_1: ", "receipt r_1: "} {
		if !strings.HasPrefix(a.Unreadable[i], want) {
			t.Errorf("got %q, want %q", a.Unreadable[i], want)
		}
	}
	if _, err := Inspect(t.Context(), path); err != nil {
		t.Errorf("as a backup: %v, want it good enough", err)
	}
	if _, err := s.Keep(t.Context()); err != nil {
		t.Errorf("backup: %v, want it made all the same", err)
	}
}

func TestSalvageLeavesOutUnreadableRows(t *testing.T) {
	s, path := storeWithUnreadableRows(t)
	closeStore(t, s)
	got, err := Salvage(t.Context(), path, storetest.Clock())
	if err != nil || got.Gaps < 4 || got.Rows["memory"] != 7 || got.Rows["event"] != 4 {
		t.Fatalf("got %+v, %v, want 7 memories, 4 events and the gaps", got, err)
	}
	if n := found(t, path, "lighthouse"); n != 5 { // it audits in full
		t.Errorf("%d found, want 5", n)
	}
}

// An event that repeats an unreadable memory must not fail: it would fail each time.
func TestARepetitionRepairsAnUnreadableRow(t *testing.T) {
	s, _ := storeWithUnreadableRows(t)
	first := storetest.SecretBatches()[0].Memories[2]
	got := apply(t, s, mem.Batch{
		Event:    &mem.Event{ID: "e_9", Agent: "claude-code", Kind: mem.PostToolUse, At: storetest.Clock(), Session: "one"},
		Memories: []mem.Memory{first}, Edits: []mem.Edit{{ID: "m_3", Used: 1}},
	})
	ms, err := s.List(t.Context(), mem.Query{IDs: []string{"m_3"}, Within: "*"})
	if err != nil || len(ms) != 1 || ms[0].Title != first.Title || ms[0].Uses != 1 {
		t.Errorf("got %+v, %v after %+v, want it back, used once", ms, err, got)
	}
}

func TestPurgeErasesUnreadableRows(t *testing.T) {
	s, _ := storeWithUnreadableRows(t)
	if _, err := s.Purge(t.Context(), "m_3"); err != nil {
		t.Errorf("the memory: %v", err)
	}
	if _, err := s.List(t.Context(), mem.Query{IDs: []string{"m_3"}, Within: "*"}); !errors.Is(err, mem.ErrNotFound) {
		t.Errorf("afterwards: %v, want %v", err, mem.ErrNotFound)
	}
	if _, err := s.Purge(t.Context(), "m_1"); err != nil { // the receipt and the checkpoint held its text
		t.Errorf("another one: %v", err)
	}
	if n := bytesLeft(t, s, "swordfish"); n > 0 {
		t.Errorf("its text is still there %d times", n)
	}
}

func TestPayloadsAreDroppedBesideAnUnreadableOne(t *testing.T) {
	s, _ := storeWithUnreadableRows(t)
	if _, n, err := s.DropPayloads(t.Context(), storetest.Clock().Add(1), 0, 100); err != nil || n != 3 {
		t.Errorf("dropped %d, %v, want 3", n, err)
	}
}

func TestScrubCleansUnreadableRows(t *testing.T) {
	s, _ := storeWithUnreadableRows(t)
	if _, err := s.Scrub(t.Context(), true, nil, removeWord("swordfish")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scrub(t.Context(), true, nil, removeWord("unrelated")); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"swordfish", "unrelated"} {
		if n := bytesLeft(t, s, word); n > 0 {
			t.Errorf("%s is still there %d times", word, n)
		}
	}
}
