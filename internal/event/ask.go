package event

import (
	"time"

	"remanence/internal/mem"
)

// IDs names records by id or unique prefix.
type IDs struct {
	mem.ProjectRef
	IDs   []string `json:"ids"`
	Agent string   `json:"agent,omitempty" query:"-"` // as in AddAsk: what an agent reads whole is used in its turn
}

// UnknownAgent is the session of an agent that does not say which it is in.
const UnknownAgent = "?"

// PurgeResponse says what was erased, or would be, and what no command of ours can reach.
type PurgeResponse struct {
	Purged    mem.Purged   `json:"purged"`
	Memories  []mem.Memory `json:"memories,omitempty"` // that would be; what was erased is named no more
	Unreached []string     `json:"unreached"`
}

// ScanRequest has what is stored searched for private spans and secrets by today's
// rules and, with Fix, what is found taken out for good.
type ScanRequest struct {
	Fix bool `json:"fix,omitempty"`
}

// PauseRequest pauses or resumes capture and injection.
type PauseRequest struct {
	mem.ProjectRef
	Scope      string        `json:"scope"` // session, project, all
	Session    string        `json:"session,omitempty"`
	For        time.Duration `json:"for,omitempty"` // 0 means until resumed
	InjectOnly bool          `json:"inject_only,omitempty"`
	Resume     bool          `json:"resume,omitempty"`
}

// PauseResponse are the pauses in force.
type PauseResponse struct {
	Pauses []mem.Pause `json:"pauses"`
}
