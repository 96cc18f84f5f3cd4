package mem

import "time"

// Reported is what became of an event.
type Reported struct {
	Outcome string  `json:"outcome"`          // one of the Report… names
	Prompt  int     `json:"prompt,omitempty"` // number of the prompt in its session; 0 if the event is no person's prompt, or not new
	Session Session `json:"session"`          // as it is now; zero if it is not known
}

// New reports whether the event was not known, and is now.
func (r Reported) New() bool { return r.Outcome != ReportOff && r.Outcome != ReportDuplicate }

// The outcomes.
const (
	ReportKept      = "kept"
	ReportDuplicate = "duplicate" // it was kept before
	ReportPrivate   = "private"   // that it happened is kept, and no word of it
	ReportOff       = "excluded"  // the session, project or file is paused or excluded: nothing is kept
	ReportSkipped   = "tool"      // it is kept and makes no memory: its tool is on the list of those that do not
)

// PromptsAsk asks for prompts of persons, newest first.
type PromptsAsk struct {
	Place
	ID     string `json:"id,omitempty"`    // of one, exact; the rest is then ignored
	Limit  int    `json:"limit,omitempty"` // 0 means DefaultLimit
	Offset int    `json:"offset,omitempty"`
}

// Prompts lists prompts.
type Prompts struct {
	Prompts []Prompt `json:"prompts"`
}

// Prompt is one that a person gave.
type Prompt struct {
	ID      string    `json:"id"` // of its event
	Session string    `json:"session"`
	Turn    string    `json:"prompt_id,omitempty"`
	Text    string    `json:"text,omitempty"` // none if it was private, or its time is over
	Private bool      `json:"private,omitempty"`
	At      time.Time `json:"at"`
}

// Working says whether anything is being worked on.
type Working struct {
	IsProcessing bool `json:"isProcessing"` // whether any session works on a prompt
	QueueDepth   int  `json:"queueDepth"`   // jobs waiting
}
