package daemon

import (
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
)

func TestARequestDuringTheCheckForDamageReportsIt(t *testing.T) {
	h, p := openDaemon(t)
	if err := h.Store.Close(); err != nil { // its log is folded in
		t.Fatal(err)
	}
	h, err := New(t.Context(), h.Sys, p, discard(), Extension{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Store.Close()
	patch(t, p.Database(), 3*4096, make([]byte, 20<<10))
	ended := 0
	h.stop = func(error) { ended++ }
	said := make(chan error, 4)
	for range cap(said) {
		go func() { said <- h.checkDamage(fmt.Errorf("list: %w", mem.ErrCorrupt)) }()
	}
	first := <-said
	for range cap(said) - 1 {
		if err := <-said; err.Error() != first.Error() || !errors.Is(err, mem.ErrCorrupt) {
			t.Errorf("got %v and %v, want all to hear the same", first, err)
		}
	}
	if ended != 1 {
		t.Errorf("the worker was ended %d times, want 1", ended)
	}
}

// SQLite calls this a mere error, not damage.
func TestAnIndexThatCannotBeUsedIsMadeAnewWhenItIsMet(t *testing.T) {
	h, p := openDaemon(t)
	defer h.Store.Close()
	h.stop = func(err error) { t.Errorf("the worker ends: %v", err) }
	db, err := sql.Open("sqlite", p.Database())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("UPDATE memory_fts_config SET v=0 WHERE k='version'"); err != nil {
		t.Fatal(err)
	}
	keep := func(title string) error {
		_, err := h.Store.Apply(t.Context(),
			mem.Batch{Memories: []mem.Memory{{Scope: mem.ScopeUser, Kind: mem.Fact, Title: title}}})
		return err
	}
	met := keep("the first")
	if met == nil {
		t.Fatal("the index can be used")
	}
	_ = h.checkDamage(met)
	if err := keep("the second"); err != nil {
		t.Errorf("after it was met: %v, want it mended", err)
	}
}

func TestASpooledEventStaysWhileTheStoreFails(t *testing.T) {
	st, err := sqlite.Open(t.Context(), sqlite.Config{Path: filepath.Join(t.TempDir(), "m.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	e := mem.Event{ID: "e_1", Session: "one"}
	_, broken := st.Apply(t.Context(), mem.Batch{Event: &e})
	dir := t.TempDir()
	h := &Daemon{log: slog.New(slog.DiscardHandler), spool: spool.Open(spool.Config{Dir: dir})}
	if err := h.giveUp(e, broken); err == nil || len(spool.Counters(dir)) > 0 {
		t.Errorf("the event was given up for %v", broken)
	}
	if err := h.giveUp(e, errors.New("a defect of ours")); err != nil || spool.Counters(dir)["defect"] != 1 {
		t.Errorf("an event that can never be kept stays: %v, %v", err, spool.Counters(dir))
	}
}
