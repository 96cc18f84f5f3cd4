package mem

import (
	"time"
)

// EventHeader identifies a stored event without its payload.
type EventHeader struct {
	Kind      EventKind
	At        time.Time
	PromptID  string
	ToolUseID string
	Source    string // of SessionStart and Stop only
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

// Backfilled is the Source of a session start that no client reported: the session took place before, and its
// transcript is read in.
const Backfilled = "backfill"

// Imported is the Source of the start of a session that another memory tool had kept, without its transcript.
const Imported = "import"

// ImportedPrompt begins the prompt ids of an imported session; behind it stands the number of the prompt.
const ImportedPrompt = "import-"

// BackfillTag is the tag of memories that only backfilled sessions made. It is one word that no text contains, so that
// a search finds none of them by it.
const BackfillTag = "madebybackfill"

// TranscriptFile is an agent's transcript of one session on disk.
type TranscriptFile struct {
	Agent   string // the client that wrote it
	Session string // the agent's id
	Path    string
	Cwd     string    // directory in which the session began
	Began   time.Time // of the first message
	Ended   time.Time // of the newest entry
	Bytes   int64     // with the transcripts of its subagents
}
