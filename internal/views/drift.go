package views

import "remanence/internal/mem"

// DriftAsk looks for work of a session that nobody laid down.
type DriftRequest struct {
	mem.Place
	Session string `json:"session,omitempty"` // as in SaveAsk
	Agent   string `json:"agent,omitempty"`
}
