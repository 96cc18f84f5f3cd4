package project

import (
	"os"
	"path/filepath"
	"time"

	"remanence/internal/mem"
)

// settled is how long after a memory was kept its file may still be written
// without counting as changed since: the same call keeps and writes.
const settled = 2 * time.Second

// Changed reports whether a file of the project, named as Rel does, was written
// after a time. Nothing outside of the project's root is looked at, wherever
// links lead.
func Changed(p mem.Project, file string, since time.Time) bool {
	root, err := os.OpenRoot(p.Root)
	if err != nil {
		return false
	}
	defer root.Close()
	info, err := root.Stat(filepath.FromSlash(file))
	return err == nil && info.ModTime().After(since.Add(settled))
}
