package mem

import "time"

// StateRequest reads or changes the state of a project's work. The state is kept
// in the project's state files if it has trusted ones, else in the store. Only
// the field that Op names is used.
type StateRequest struct {
	ProjectRef
	Op    string `json:"op"`              // StateGet and so on
	Agent string `json:"agent,omitempty"` // as in AddRequest: limits the trust to that of the agent's turn

	Update   StateUpdate   `json:"update,omitzero"`
	Decision StateDecision `json:"decision,omitzero"`
	Progress StateProgress `json:"progress,omitzero"`
	Session  StateSession  `json:"session,omitzero"`
}

// The operations of a StateRequest.
const (
	StateGet          = "get"
	StateUpdates      = "update"
	StateDecides      = "decision"
	StateProgresses   = "progress"
	StateEndsASession = "session"
)

// StateUpdate changes fields of the current state. Nil leaves a field as it is;
// an empty text or list clears it.
type StateUpdate struct {
	Phase    *string   `json:"phase,omitempty"`
	Status   *string   `json:"status,omitempty"`
	Active   *[]string `json:"active_work,omitempty"`
	Blockers *[]string `json:"blockers,omitempty"`
	Next     *string   `json:"next_action,omitempty"`
	// Seen is the Version of the state that the writer read. Changes that a person
	// made since are kept, and the response says so. Empty means unknown.
	Seen string `json:"seen,omitempty"`
}

// StateDecision is one decision of the project.
type StateDecision struct {
	ID        string `json:"id,omitempty"` // DEC-012, or a memory's id; set when it is stored
	Title     string `json:"title"`
	Decision  string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
	By        string `json:"decided_by,omitempty"` // "" means agent
	Status    string `json:"status,omitempty"`     // Final, Open, Pending or Revisit; "" means Final
	Date      string `json:"date,omitempty"`       // YYYY-MM-DD; set when it is stored
}

// StateProgress adds a work item, or completes the item most similar to Task.
type StateProgress struct {
	Task    string `json:"task"`
	Action  string `json:"action"`            // add or complete
	Section string `json:"section,omitempty"` // of add; "" means "In Progress"
}

// StateSession is the log entry of a session that ended.
type StateSession struct {
	Title     string   `json:"title,omitempty"` // e.g. "Session 3 — 2026-05-01"; ignored in requests
	Summary   string   `json:"summary"`
	Completed []string `json:"completed,omitempty"`
	Decisions []string `json:"decisions,omitempty"`
	Blockers  []string `json:"blockers,omitempty"`
	Next      []string `json:"next,omitempty"`
}

// StateItem is one work item.
type StateItem struct {
	ID      string `json:"id,omitempty"` // of the memory, if the store keeps it
	Section string `json:"section"`      // In Progress, Blocked, Not Started, What's Next, Completed, or a person's own
	Text    string `json:"text"`
	Done    bool   `json:"done"`
}

// WorkState is the state of a project's work, and the result of a change of it.
type WorkState struct {
	Project Project `json:"project"`
	// Files is the directory of the state files that were read, relative to the
	// project, or absolute if a worktree uses those of the main work tree. Empty
	// means the store. Untrusted is a directory that exists and was not read.
	Files     string `json:"files,omitempty"`
	Untrusted string `json:"untrusted,omitempty"`
	Version   string `json:"version,omitempty"` // changes with every change of the current state

	Phase    string    `json:"phase"`
	Status   string    `json:"status"`
	Active   []string  `json:"active_work"`
	Blockers []string  `json:"blockers"`
	Next     string    `json:"next_action"`
	Updated  time.Time `json:"updated,omitzero"`

	Progress  []StateItem     `json:"progress"`
	Decisions []StateDecision `json:"decisions"` // newest last
	Sessions  []StateSession  `json:"sessions"`  // newest last

	Changed    []string `json:"changed,omitempty"`    // files that were written, or ids of memories
	Candidates []string `json:"candidates,omitempty"` // items that match a completion equally well; nothing was changed
	Notes      []string `json:"notes,omitempty"`      // parts of the request that were not done, and why
}
