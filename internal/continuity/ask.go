package continuity

// SessionRequest names a session by the agent's id.
type SessionRequest struct {
	ID string `json:"id"`
}
