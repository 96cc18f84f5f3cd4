package capture

import "remanence/internal/mem"

// Outcome is the outcome of handling an event.
type Outcome struct {
	Outcome string `json:"outcome"` // one of the Report… names
	// number of the prompt in its session; 0 if the event is no person's prompt, or not new
	Prompt  int         `json:"prompt,omitempty"`
	Session mem.Session `json:"session"` // as it is now; zero if it is not known
}

// New reports whether the event was not known, and is now.
func (r Outcome) New() bool { return r.Outcome != ReportOff && r.Outcome != ReportDuplicate }

// The outcomes.
const (
	ReportKept      = "kept"
	ReportDuplicate = "duplicate" // already stored
	ReportPrivate   = "private"   // that it happened is kept, and no word of it
	ReportOff       = "excluded"  // the session, project or file is paused or excluded: nothing is kept
	ReportSkipped   = "tool"      // it is kept and makes no memory: its tool is on the list of those that do not
)
