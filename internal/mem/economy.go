package mem

import (
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
