package vault

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"remanence/internal/mem"
	"remanence/internal/vaultfile"
)

// A file with the same size and time as before is not read again, unless it was so fresh that they prove nothing.
func TestALaterProcessReadsWhatMayHaveChanged(t *testing.T) {
	long, fresh := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	for _, c := range []struct {
		name          string
		first, second time.Time
		text          string
		read          bool
	}{
		{"as it was", long, long, "two", false},
		{"another time", long, long.Add(time.Second), "two", true},
		{"another size", long, long, "three", true},
		{"fresh", fresh, fresh, "two", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := newVault(t)
			file := filepath.Join(v.Dir, memoryDir, "fact_a.md")
			put := func(text string, at time.Time) {
				t.Helper()
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Chtimes(file, at, at); err != nil {
					t.Fatal(err)
				}
			}
			var kept []mem.Note
			look := func(v *Vault) {
				t.Helper()
				known := kept
				err := v.Look(func() ([]mem.Note, error) { return known, nil }, func(l vaultfile.Changes) error {
					for _, n := range l.Notes {
						kept = append(kept, n.Note)
					}
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			put("one", c.first)
			look(v)
			if len(kept) != 1 {
				t.Fatalf("got %v, want one note", kept)
			}
			put(c.text, c.second)
			look(&Vault{Dir: v.Dir})
			if got := len(kept) == 2; got != c.read {
				t.Errorf("read again: %v, want %v", got, c.read)
			}
		})
	}
}

// BenchmarkLook is a look at 500 memories of which none changed, by the process
// that knows them and by one that was just started.
func BenchmarkLook(b *testing.B) {
	v := &Vault{Dir: b.TempDir()}
	if err := os.MkdirAll(filepath.Join(v.Dir, memoryDir), 0o700); err != nil {
		b.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for i := range 500 {
		file := filepath.Join(v.Dir, memoryDir, fmt.Sprintf("fact_%d.md", i))
		if err := os.WriteFile(file, fmt.Appendf(nil, "---\nname: fact %d\n---\nso it is\n", i), 0o600); err != nil {
			b.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			b.Fatal(err)
		}
	}
	var notes []mem.Note
	look := func(v *Vault) {
		err := v.Look(func() ([]mem.Note, error) { return notes, nil }, func(l vaultfile.Changes) error {
			for _, n := range l.Notes {
				notes = append(notes, n.Note)
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	look(v)
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			look(v)
		}
	})
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			look(&Vault{Dir: v.Dir})
		}
	})
}

// TestAFileThatIsNotListedIsNotGone: which files of a folder that holds too many
// are listed is up to the file system.
func TestAFileThatIsNotListedIsNotGone(t *testing.T) {
	v := newVault(t)
	dir := filepath.Join(v.Dir, memoryDir)
	put := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		put(fmt.Sprintf("fact_%d.md", i))
	}
	var gone []string
	look := func() {
		t.Helper()
		err := v.Look(func() ([]mem.Note, error) { return nil, nil }, func(l vaultfile.Changes) error {
			gone = append(gone, l.Gone...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	look()
	for i := range maxFiles {
		put(fmt.Sprintf("%d.txt", i))
	}
	look()
	if len(gone) > 0 {
		t.Errorf("%d files are taken for gone, the first is %s", len(gone), gone[0])
	}
	if err := os.Remove(filepath.Join(dir, "fact_7.md")); err != nil {
		t.Fatal(err)
	}
	for i := range maxFiles {
		if err := os.Remove(filepath.Join(dir, fmt.Sprintf("%d.txt", i))); err != nil {
			t.Fatal(err)
		}
	}
	if look(); len(gone) != 1 || gone[0] != memoryDir+"/fact_7.md" {
		t.Errorf("got %q gone, want the one that was removed", gone)
	}
}
