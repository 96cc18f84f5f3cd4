package project

import (
	"errors"
	"io/fs"
	"os"

	"remanence/internal/mem"
)

// Moved returns the key of the one of the known projects that a repository is: one
// whose directory is gone and whose last commit the repository has, or the
// directory itself from before it became a repository. Of several the first
// counts. Empty if it is none of them.
func Moved(p mem.Project, known []mem.Project) string {
	for _, o := range known {
		switch {
		case p.Common == "" || o.Origin != "" && o.Origin != p.Origin:
		case o.Common == "" && o.Root == p.Root, o.Common != "" && gone(o.Common) && Holds(p, o.Commit):
			return o.Key
		}
	}
	return ""
}

func gone(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
