package views

import "remanence/internal/mem"

// DriftRequest looks for work of a session that is not recorded: see the drift rules of curate.
type DriftRequest struct {
	mem.ProjectRef
	Session string `json:"session,omitempty"` // as in SaveRequest
	Agent   string `json:"agent,omitempty"`
}
