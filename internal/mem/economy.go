package mem

import (
	"context"
	"time"
)

// FileRow is one file with counts of the memories about it.
type FileRow struct {
	Path     string    `json:"path"`
	Memories int       `json:"memories"` // active memories about it, without changes
	Changes  int       `json:"changes"`  // how often sessions changed it
	Recalls  int       `json:"recalls"`  // how often a memory about it was injected
	Last     time.Time `json:"last"`     // time of the newest memory about it
}

// FileCounter is a Store that can count memories by file.
type FileCounter interface {
	// FileCounts returns the files that active memories of a project are about,
	// of all projects with an empty key, most memories first, and how many there are.
	FileCounts(ctx context.Context, project, under string, limit int) ([]FileRow, int, error)
}
