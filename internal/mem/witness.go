package mem

import (
	"context"
	"time"
)

// Witness is the ability of a store to tell what was reported of a session, so
// that what was not can be found in the agent's own record.
type Witness interface {
	// Heard lists the reports of a session in the order in which they came,
	// without what they say: those of the main conversation, and the calls of
	// subagents. Erased ones are left out.
	Heard(ctx context.Context, session string) ([]EventHeader, error)
	// Checked tells how far the session's record was compared; the zero value if
	// it never was. Batch.Checked sets it.
	Checked(ctx context.Context, session string) (Checked, error)
	// Silences are the times in which nothing was to be captured of the targets,
	// by pauses that are over or in force.
	Silences(ctx context.Context, targets ...string) ([]Silence, error)
}

// Heard is one report, without what it says.
type EventHeader struct {
	Kind      EventKind
	At        time.Time
	PromptID  string
	ToolUseID string
	Source    string // of a SessionStart only
}

// Checked is how far the agent's record of a session was compared with what was
// reported of it.
type Checked struct {
	Session string // the agent's id
	To      int64  // bytes of the record
	Hash    string // of what comes right before that place; "" at the beginning
}

// Silence is a time in which nothing was to be captured.
type Silence struct {
	Begun time.Time
	Ended time.Time // zero: it goes on
}

// Covers reports whether at lies in the silence, its ends included.
func (s Silence) Covers(at time.Time) bool {
	return !at.Before(s.Begun) && (s.Ended.IsZero() || !at.After(s.Ended))
}
