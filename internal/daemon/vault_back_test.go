package daemon

import (
	"os"
	"strings"
	"testing"
	"time"

	"remanence/internal/engine"
	"remanence/internal/mem"
)

// As when another branch is checked out in the vault, and then this one again.
func TestAFileThatComesBackIsWhatItIsThen(t *testing.T) {
	for name, later := range map[string]struct {
		text   string
		worker bool // is another one by then
	}{
		"the same":                      {friday, false},
		"the same for another worker":   {friday, true},
		"another":                       {strings.Replace(friday, "Never", "Not", 1), false},
		"another, said to be forgotten": {strings.Replace(friday, "x:", "status: forgotten\nx:", 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDen(t)
			d.write("memory/feedback_friday.md", friday)
			written := time.Now().Add(-time.Hour) // and has its time again, as of a wastebasket
			if err := os.Chtimes(d.path("memory/feedback_friday.md"), written, written); err != nil {
				t.Fatal(err)
			}
			d.starts("one")
			m := d.note("memory/feedback_friday.md")
			if err := os.Remove(d.path(m.Note.File)); err != nil {
				t.Fatal(err)
			}
			d.starts("two")
			if got := d.note(m.Note.File); got.ID != m.ID || got.Status != mem.Forgotten {
				t.Fatalf("gone: %s %s", got.ID, got.Status)
			}
			if later.worker {
				d.liveVault.now = nil
			}
			d.write(m.Note.File, later.text)
			if err := os.Chtimes(d.path(m.Note.File), written, written); err != nil {
				t.Fatal(err)
			}
			briefing := d.starts("three")
			d.writesVault()
			want := mem.Active
			if strings.Contains(later.text, "forgotten") {
				want = mem.Forgotten
			}
			if got := d.note(m.Note.File); got.ID != m.ID || got.Status != want ||
				strings.Contains(briefing, "on a Friday") != (want == mem.Active) {
				t.Errorf("back: %s %s; briefing:\n%s", got.ID, got.Status, briefing)
			}
			if got := strings.Replace(d.read(m.Note.File), "id: "+m.ID+"\n", "", 1); got != later.text {
				t.Errorf("written:\n%s", got)
			}
			if s, err := d.vault().State(nil); err != nil || len(s.Conflicts) > 0 {
				t.Errorf("a copy waits: %v, %v", s.Conflicts, err)
			}
		})
	}
}

func TestAFileThatComesBackInTimeIsNotErasedByRule(t *testing.T) {
	d := newDen(t)
	d.write("memory/feedback_friday.md", friday)
	d.starts("one")
	if err := os.Remove(d.path("memory/feedback_friday.md")); err != nil {
		t.Fatal(err)
	}
	d.starts("two")
	d.write("memory/feedback_friday.md", friday)
	c := d.Engine.Config
	c.Now = func() time.Time { return time.Now().AddDate(0, 0, 31) } // forgotten memories are kept for 30 days
	d.Engine = engine.New(c)
	if gone, err := d.Engine.Curate.ApplyRetention(t.Context(), 0, false); err != nil || gone.Memories > 0 {
		t.Errorf("let go: %+v, %v", gone, err)
	}
	if m := d.note("memory/feedback_friday.md"); m.Status != mem.Active || d.read(m.Note.File) != friday {
		t.Errorf("got %+v", m)
	}
}
