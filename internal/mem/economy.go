package mem

import (
	"context"
	"time"
)

// FileLine is one file.
type FileLine struct {
	Path     string    `json:"path"`
	Memories int       `json:"memories"` // active ones about it, changes apart
	Changes  int       `json:"changes"`  // times it was changed in a session
	Recalls  int       `json:"recalls"`  // times a memory about it was told
	Last     time.Time `json:"last"`     // when something was learned of it
}

// FileCounter is a Store that can count memories by file.
type FileCounter interface {
	// FileCounts returns the files that active memories of a project are about,
	// of all projects with an empty key, most memories first, and how many there are.
	FileCounts(ctx context.Context, project, under string, limit int) ([]FileLine, int, error)
}
