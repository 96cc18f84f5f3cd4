package mem

import "time"

// Spoken is one thing said in a session, word for word but redacted, as it is
// kept outside the store.
type Spoken struct {
	ID       string    `json:"id"`               // unique in its session
	PromptID string    `json:"prompt,omitempty"` // of its turn
	Who      string    `json:"who"`              // "user" or "assistant"
	At       time.Time `json:"at,omitzero"`      // zero if unknown
	Branch   string    `json:"branch,omitempty"`
	Text     string    `json:"text"`
}

// Verdict is what becomes of something said.
type Verdict int

// The verdicts. The zero value keeps nothing.
const (
	LeaveOut Verdict = iota
	TakeIn
	AskAgain // nobody knows yet: it and what follows wait for the next time
)
