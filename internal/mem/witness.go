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
	Checked(ctx context.Context, session string) (TranscriptPosition, error)
	// Silences are the times in which nothing was to be captured of the targets,
	// by pauses that are over or in force.
	Silences(ctx context.Context, targets ...string) ([]PausedPeriod, error)
}

// EventHeader identifies a stored event without its payload.
type EventHeader struct {
	Kind      EventKind
	At        time.Time
	PromptID  string
	ToolUseID string
	Source    string // of a SessionStart only
}

// TranscriptPosition is the position up to which a session's transcript was compared with
// the stored events.
type TranscriptPosition struct {
	Session string // the agent's id
	To      int64  // bytes of the transcript
	Hash    string // of the bytes right before To; "" at the start
}

// PausedPeriod is a period in which capture was paused.
type PausedPeriod struct {
	Begun time.Time
	Ended time.Time // zero while the pause lasts
}

// Contains reports whether at lies in the period, both ends included.
func (s PausedPeriod) Contains(at time.Time) bool {
	return !at.Before(s.Begun) && (s.Ended.IsZero() || !at.After(s.Ended))
}
