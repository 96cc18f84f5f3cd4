package daemon

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"remanence/internal/event"
	"remanence/internal/index"
	"remanence/internal/mem"
)

// appliesSeen records whether each event was written in a transaction with others.
type appliesSeen struct {
	*index.Store
	together map[mem.EventKind]bool
}

func (s appliesSeen) Apply(ctx context.Context, batches ...mem.Batch) ([]mem.Result, error) {
	for _, b := range batches {
		if b.Event != nil {
			s.together[b.Event.Kind] = mem.TransactionOf(ctx) != nil
		}
	}
	return s.Store.Apply(ctx, batches...)
}

// Hooks wait until a transaction has ended, so an event for which files may be read is not in one.
func TestSpooledEventsOfTurnsAreWrittenTogether(t *testing.T) {
	h, _ := openDaemon(t)
	defer h.Store.Close()
	seen := appliesSeen{h.indexed, map[mem.EventKind]bool{}}
	h.Engine.Store = seen
	events := backlog(t, h, t.TempDir())
	if left, err := h.DrainSpool(t.Context()); err != nil || left > 0 {
		t.Fatalf("%d events left, %v", left, err)
	}
	want := map[mem.EventKind]bool{
		mem.SessionStart: false, mem.UserPromptSubmit: true, mem.PostToolUse: true, mem.Stop: true,
	}
	if !maps.Equal(seen.together, want) {
		t.Errorf("written together: %v, want %v", seen.together, want)
	}
	if kept, err := h.Store.Events(t.Context(), mem.EventQuery{Limit: 10_000}); err != nil || len(kept) != events {
		t.Errorf("%d of %d events are kept, %v", len(kept), events, err)
	}
}

// An event that the store refuses, whatever else works.
func TestAnEventThatCanNeverBeKeptHoldsUpNoErasing(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	db, err := sql.Open("sqlite", p.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TRIGGER poison BEFORE INSERT ON event WHEN NEW.id = 'e_poison' BEGIN SELECT " +
		"RAISE(ABORT, 'never'); END"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Store.Apply(t.Context(),
		mem.Batch{Memories: []mem.Memory{{
			Scope: mem.ScopeUser, Kind: mem.Fact,
			Title: "the till rounds half cents up",
		}}}); err != nil {
		t.Fatal(err)
	}
	spooled := func(id string) {
		t.Helper()
		e := mem.Event{ID: id, Agent: "claude-code", Kind: mem.PostToolUse, Tool: "Bash", Session: "one", At: time.Now()}
		if _, err := h.spool.Handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	spooled("e_poison")
	for i := range 250 { // more than are handed over at a time
		spooled(fmt.Sprint("e_", i))
	}
	if _, err := h.previewPurge(t.Context(), event.PurgeRequest{IDs: []string{"m_1"}}); err != nil {
		t.Errorf("what would be erased: %v", err)
	}
	got, err := h.purge(t.Context(), event.PurgeRequest{IDs: []string{"m_1"}})
	if err != nil || got.Purged.Memories != 1 {
		t.Fatalf("erased %+v, %v, want the memory", got.Purged, err)
	}
	if said := strings.Join(got.Unreached, "\n"); !strings.Contains(said, "1 event") ||
		!strings.Contains(said, p.Spool()) {
		t.Errorf("not reached: %s\nwant the event in the spool among it", said)
	}
	if kept, err := h.Store.Events(t.Context(), mem.EventQuery{Limit: 1000}); err != nil || len(kept) != 250 {
		t.Errorf("%d events are kept, %v, want the others, 250", len(kept), err)
	}
	if st, err := h.spool.Stat(); err != nil || st.Records != 1 {
		t.Errorf("%d events are spooled, %v, want the one", st.Records, err)
	}
	if _, err := db.Exec("DROP TRIGGER poison"); err != nil {
		t.Fatal(err)
	}
	got, err = h.previewPurge(t.Context(), event.PurgeRequest{IDs: []string{"one"}})
	if err != nil || got.Purged.Events != 251 ||
		strings.Contains(strings.Join(got.Unreached, "\n"), p.Spool()) {
		t.Errorf("once it can be kept: %+v, %v, want all in", got, err)
	}
}

// What was spooled is marked as done only after one sync of all of it has worked.
func TestSpooledEventsStayUntilTheStoreIsSynced(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	e := mem.Event{ID: "e_1", Agent: "claude-code", Kind: mem.PostToolUse, Tool: "Bash", Session: "one", At: time.Now()}
	if _, err := h.spool.Handle(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	database := h.Paths.Data
	h.Paths.Data = t.TempDir()
	if err := os.Mkdir(h.Paths.Database()+"-wal", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := h.spool.Drain(t.Context(), 0, h.replay); err == nil || h.spool.Empty() {
		t.Errorf("the log cannot be synced: error %v, spool empty %v; want an error, and the event still there", err,
			h.spool.Empty())
	}
	h.Paths.Data = database
	if n, err := h.spool.Drain(t.Context(), 0, h.replay); err != nil || n != 1 || !h.spool.Empty() {
		t.Errorf("once it can: %d events, %v", n, err)
	}
	if kept, err := h.Store.Events(t.Context(), mem.EventQuery{Limit: 10}); err != nil || len(kept) != 1 {
		t.Errorf("%d events are kept in %s, %v; want the one, once", len(kept), p.Database(), err)
	}
}
