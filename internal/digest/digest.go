package digest

import (
	"time"

	"remanence/internal/mem"
)

// Request asks what waits for a model and, with Redo, has turns digested again.
type Request struct {
	mem.ProjectRef
	Redo    bool      `json:"redo,omitempty"`
	Session string    `json:"session,omitempty"` // of these turns: an id or a prefix
	Since   time.Time `json:"since,omitzero"`    // or of all sessions of the place since then
	DryRun  bool      `json:"dry_run,omitempty"`
}
