package daemon

import (
	"encoding/json"
	"log/slog"

	"remanence/internal/config"
	"remanence/internal/curate"
)

// tray keeps that count in a file. It is made anew before long, so that what
// cannot be read or written is none.
type reviewCountFile struct {
	file string
	log  *slog.Logger
}

// Read implements engine.Tray.
func (t reviewCountFile) Read() map[string]curate.ReviewCounts {
	var by map[string]curate.ReviewCounts
	if b, err := config.ReadUpTo(t.file, 1<<20); err != nil || json.Unmarshal(b, &by) != nil {
		return nil
	}
	return by
}

// Write implements engine.Tray.
func (t reviewCountFile) Write(by map[string]curate.ReviewCounts) {
	b, err := json.Marshal(by)
	if err == nil {
		err = config.ReplaceFile(t.file, b)
	}
	if err != nil {
		t.log.Warn("the count of what waits for review is not kept", "error", err)
	}
}
