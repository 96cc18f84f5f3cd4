package mem

import "time"

// StateAsk asks where a project's work stands, or changes it: in the state files
// of the project where it has any that are trusted, else in the store. Both
// answer alike. Of the parts only the one that Op names counts.
type StateRequest struct {
	Place
	Op    string `json:"op"`              // StateGet and so on
	Agent string `json:"agent,omitempty"` // as in AddAsk: what an agent writes has no more trust than its turn

	Update   StateUpdate   `json:"update,omitzero"`
	Decision StateDecision `json:"decision,omitzero"`
	Progress StateProgress `json:"progress,omitzero"`
	Session  StateSession  `json:"session,omitzero"`
}

// The operations of a StateAsk.
const (
	StateGet          = "get"
	StateUpdates      = "update"
	StateDecides      = "decision"
	StateProgresses   = "progress"
	StateEndsASession = "session"
)

// StateUpdate changes fields of the current state. Nil leaves a field as it is;
// an empty text or list says that there is nothing.
type StateUpdate struct {
	Phase    *string   `json:"phase,omitempty"`
	Status   *string   `json:"status,omitempty"`
	Active   *[]string `json:"active_work,omitempty"`
	Blockers *[]string `json:"blockers,omitempty"`
	Next     *string   `json:"next_action,omitempty"`
	// Seen is the Version of the Standing that the writer had in view. What a
	// hand changed since then stays, and the writer is told. Empty means none.
	Seen string `json:"seen,omitempty"`
}

// StateDecision is one decision of the project.
type StateDecision struct {
	ID        string `json:"id,omitempty"` // DEC-012, or a memory's id; given by whoever keeps it
	Title     string `json:"title"`
	Decision  string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
	By        string `json:"decided_by,omitempty"` // "" means agent
	Status    string `json:"status,omitempty"`     // Final, Open, Pending or Revisit; "" means Final
	Date      string `json:"date,omitempty"`       // YYYY-MM-DD; given by whoever keeps it
}

// StateProgress adds an item of work, or completes the one that is most like the text.
type StateProgress struct {
	Task    string `json:"task"`
	Action  string `json:"action"`            // add or complete
	Section string `json:"section,omitempty"` // of add; "" means "In Progress"
}

// StateSession is the entry of a session that ends.
type StateSession struct {
	Title     string   `json:"title,omitempty"` // as kept: "Session 3 — 2026-05-01"; ignored when given
	Summary   string   `json:"summary"`
	Completed []string `json:"completed,omitempty"`
	Decisions []string `json:"decisions,omitempty"`
	Blockers  []string `json:"blockers,omitempty"`
	Next      []string `json:"next,omitempty"`
}

// StateItem is one item of work.
type StateItem struct {
	ID      string `json:"id,omitempty"` // of the memory, where the store keeps it
	Section string `json:"section"`      // In Progress, Blocked, Not Started, What's Next, Completed, or the person's own
	Text    string `json:"text"`
	Done    bool   `json:"done"`
}

// Standing is where a project's work stands, and what became of a change.
type Standing struct {
	Project Project `json:"project"`
	// Files is the directory of the state files it was read from, relative to the
	// project, or absolute if a worktree has those of the main work tree; empty
	// means the store. Untrusted is one that is there and not read.
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
	Candidates []string `json:"candidates,omitempty"` // items that fit a completion alike: nothing was changed
	Notes      []string `json:"notes,omitempty"`      // what was not done as asked, and why
}
