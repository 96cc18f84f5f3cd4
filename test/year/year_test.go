package main

import (
	"path/filepath"
	"testing"
)

// A year in 40 sessions: what stays active grows by far less than what is kept, and what is needed again is injected.
func TestAYearKeepsMemoryBoundedAndInjectsWhatIsNeeded(t *testing.T) {
	const sessions = 40
	w, err := newWorld(t.Context(), filepath.Join(t.TempDir(), "remanence.db"), 1, sessions, true)
	if err != nil {
		t.Fatal(err)
	}
	defer w.store.Close()
	looks, err := w.year(t.Context(), sessions, sessions/2)
	if err != nil {
		t.Fatal(err)
	}
	first, last := looks[0], looks[1]
	for _, l := range looks {
		if l.needed < 0.9 || l.fresh < 0.9 || l.old < 0.9 {
			t.Errorf("after %d sessions %.2f of what was needed again was injected, and in the exam %.2f and %.2f of what is "+
				"asked for; want 0.9 of each", l.sessions, l.needed, l.fresh, l.old)
		}
	}
	active := last.active - first.active
	if kept := active + last.archived + last.merged - first.archived - first.merged; 4*active > kept {
		t.Errorf("of %d memories of the second half of the year %d stay active", kept, active)
	}
}
