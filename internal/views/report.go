package views

import (
	"time"

	"remanence/internal/mem"
)

// PromptsAsk asks for prompts of persons, newest first.
type PromptsRequest struct {
	mem.Place
	ID     string `json:"id,omitempty"`    // of one, exact; the rest is then ignored
	Limit  int    `json:"limit,omitempty"` // 0 means DefaultLimit
	Offset int    `json:"offset,omitempty"`
}

// Prompts lists prompts.
type PromptsResponse struct {
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
