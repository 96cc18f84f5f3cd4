//go:build unix

package transcript_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/mem"
)

// Folders that no user can read: a file in the place of one, and a
// link to itself.
func TestWhatCannotBeLookedThroughIsNotCalledRewritten(t *testing.T) {
	for name, spoil := range map[string]func(d *fixture) error{
		"the archive": func(d *fixture) error { return os.WriteFile(d.Dir, nil, 0o600) },
		"the folder of a project": func(d *fixture) error {
			d.writes("user p1: hello there")
			d.takes(all)
			return os.Symlink("loop", filepath.Join(d.Dir, "loop"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			if err := spoil(d); err != nil {
				t.Fatal(err)
			}
			keep := func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) { return s, true }
			for _, session := range []string{"one", ""} {
				if err := d.Rewrite(t.Context(), session, keep); err == nil {
					t.Errorf("session %q: no error", session)
				}
			}
			if _, err := d.DropBefore(t.Context(), time.Now()); err == nil {
				t.Error("dropped: no error")
			}
		})
	}
}

func TestOtherFilesBesideTheFoldersOfProjectsArePassedOver(t *testing.T) {
	d := newFixture(t)
	d.writes("user p1: hello there")
	d.takes(all)
	if err := os.WriteFile(filepath.Join(d.Dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("gone", filepath.Join(d.Dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := d.Rewrite(t.Context(), "one", func(s mem.ArchivedUtterance) (mem.ArchivedUtterance, bool) {
		return s, false
	}); err != nil {
		t.Fatal(err)
	}
	d.wants("after all was taken out")
}
