package engine

import (
	"time"

	"remanence/internal/mem"
)

// NextAsk asks what the next session of the place would be told, or, with a
// prompt, what that prompt would.
type NextRequest struct {
	mem.Place
	Prompt  string    `json:"prompt,omitempty"`
	Before  time.Time `json:"before,omitzero"`   // the prompt is told only what was made before; the zero time means all
	Session string    `json:"session,omitempty"` // that the prompt would be given in, by id; "" means a new one
	Budget  int       `json:"budget,omitempty"`  // tokens; 0 means the configured one
	Source  string    `json:"source,omitempty"`  // as SessionStart; "" means startup
	Without []string  `json:"without,omitempty"` // as SearchAsk, of what the prompt recalls
}
