package mind

import (
	"os"
	"path/filepath"
	"testing"

	"remanence/internal/mem"
	"remanence/internal/workstate"
)

// BenchmarkLook is what an event pays for state files that did not change, and
// for some that did.
func BenchmarkLook(b *testing.B) {
	root := b.TempDir()
	if err := os.CopyFS(filepath.Join(root, workstate.Dir), os.DirFS("testdata/forge")); err != nil {
		b.Fatal(err)
	}
	files, p := New(Config{Trusted: func(mem.Project) bool { return true }}), mem.Project{Root: root}
	b.Run("unchanged", func(b *testing.B) {
		for b.Loop() {
			if _, err := files.Look(p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("changed", func(b *testing.B) {
		for b.Loop() {
			files.known[root].stamps[0].size++
			if _, err := files.Look(p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("none", func(b *testing.B) {
		bare := mem.Project{Root: b.TempDir()}
		for b.Loop() {
			if _, err := files.Look(bare); err != nil {
				b.Fatal(err)
			}
		}
	})
}
