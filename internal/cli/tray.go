package cli

import (
	"encoding/json"
	"log/slog"
	"path/filepath"

	"remanence/internal/curate"
)

// inbox is the path of the count of what waits for the person's judgement.
func (p Paths) inbox() string { return filepath.Join(p.Work, "inbox.json") }

// tray keeps that count in a file. It is made anew before long, so that what
// cannot be read or written is none.
type tray struct {
	file string
	log  *slog.Logger
}

// Read implements engine.Tray.
func (t tray) Read() map[string]curate.ReviewCounts {
	var by map[string]curate.ReviewCounts
	if b, err := readUpTo(t.file, 1<<20); err != nil || json.Unmarshal(b, &by) != nil {
		return nil
	}
	return by
}

// Write implements engine.Tray.
func (t tray) Write(by map[string]curate.ReviewCounts) {
	b, err := json.Marshal(by)
	if err == nil {
		err = replaceFile(t.file, b)
	}
	if err != nil {
		t.log.Warn("the count of what waits for review is not kept", "error", err)
	}
}
