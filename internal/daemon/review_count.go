package daemon

import (
	"encoding/json"
	"log/slog"

	"remanence/internal/config"
	"remanence/internal/curate"
)

// reviewCountFile stores the count of the review queue in a file. It is recounted soon, so an unreadable file
// counts as none.
type reviewCountFile struct {
	file string
	log  *slog.Logger
}

// Read implements curate.CountStore.
func (t reviewCountFile) Read() map[string]curate.ReviewCounts {
	var by map[string]curate.ReviewCounts
	if b, err := config.ReadUpTo(t.file, 1<<20); err != nil || json.Unmarshal(b, &by) != nil {
		return nil
	}
	return by
}

// Write implements curate.CountStore.
func (t reviewCountFile) Write(by map[string]curate.ReviewCounts) {
	b, err := json.Marshal(by)
	if err == nil {
		err = config.ReplaceFile(t.file, b)
	}
	if err != nil {
		t.log.Warn("the count of what waits for review is not kept", "error", err)
	}
}
