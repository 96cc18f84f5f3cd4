package mem

import "time"

// ArchivedUtterance is one utterance of a session, redacted, as the transcript archive
// stores it outside the store.
type ArchivedUtterance struct {
	ID       string    `json:"id"`               // unique in its session
	PromptID string    `json:"prompt,omitempty"` // of its turn
	Who      string    `json:"who"`              // "user" or "assistant"
	At       time.Time `json:"at,omitzero"`      // zero if unknown
	Branch   string    `json:"branch,omitempty"`
	Text     string    `json:"text"`
}

// Verdict decides whether an utterance is stored.
type Verdict int

// The verdicts. The zero value stores nothing.
const (
	Skip Verdict = iota
	Keep
	Defer // undecided: the utterance and those after it are examined again later
)
