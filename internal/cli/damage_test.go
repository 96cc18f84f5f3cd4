package cli

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/spool"
	"remanence/internal/store/sqlite"
)

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
	h := &house{log: slog.New(slog.DiscardHandler), spool: spool.Open(spool.Config{Dir: dir})}
	if err := h.giveUp(e, broken); err == nil || len(spool.Counters(dir)) > 0 {
		t.Errorf("the event was given up for %v", broken)
	}
	if err := h.giveUp(e, errors.New("a defect of ours")); err != nil || spool.Counters(dir)["defect"] != 1 {
		t.Errorf("an event that can never be kept stays: %v, %v", err, spool.Counters(dir))
	}
}
