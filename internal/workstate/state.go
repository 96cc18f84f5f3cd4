// Package workstate holds the values that the use cases and package mind exchange:
// the state of a project's work ([State]), requests that read or change it
// ([Request]), and what a project's state files contain ([Files]).
//
// The package does no I/O and knows no file format. Start reading at [Request] and [State].
package workstate

import (
	"time"

	"remanence/internal/mem"
)

// Request reads or changes the state of a project's work. The state is kept
// in the project's state files if it has trusted ones, else in the store. Only
// the field that Op names is used.
type Request struct {
	mem.ProjectRef
	Op    string `json:"op"`              // OpGet and so on
	Agent string `json:"agent,omitempty"` // as in AddRequest: limits the trust to that of the agent's turn

	Update   Update   `json:"update,omitzero"`
	Decision Decision `json:"decision,omitzero"`
	Progress Progress `json:"progress,omitzero"`
	Session  Session  `json:"session,omitzero"`
}

// The operations of a Request.
const (
	OpGet      = "get"
	OpUpdate   = "update"
	OpDecision = "decision"
	OpProgress = "progress"
	OpSession  = "session"
)

// Update changes fields of the current state. Nil leaves a field as it is;
// an empty text or list clears it.
type Update struct {
	Phase    *string   `json:"phase,omitempty"`
	Status   *string   `json:"status,omitempty"`
	Active   *[]string `json:"active_work,omitempty"`
	Blockers *[]string `json:"blockers,omitempty"`
	Next     *string   `json:"next_action,omitempty"`
	// Seen is the Version of the state that the writer read. Changes that a person
	// made since are kept, and the response says so. Empty means unknown.
	Seen string `json:"seen,omitempty"`
}

// Decision is one decision of the project.
type Decision struct {
	ID        string `json:"id,omitempty"` // DEC-012, or a memory's id; set when it is stored
	Title     string `json:"title"`
	Text      string `json:"decision"`
	Rationale string `json:"rationale,omitempty"`
	By        string `json:"decided_by,omitempty"` // "" means agent
	Status    string `json:"status,omitempty"`     // Final, Open, Pending or Revisit; "" means Final
	Date      string `json:"date,omitempty"`       // YYYY-MM-DD; set when it is stored
}

// Progress adds a work item, or completes the item most similar to Task.
type Progress struct {
	Task    string `json:"task"`
	Action  string `json:"action"`            // add or complete
	Section string `json:"section,omitempty"` // of add; "" means "In Progress"
}

// Session is the log entry of a session that ended.
type Session struct {
	Title     string   `json:"title,omitempty"` // e.g. "Session 3 — 2026-05-01"; ignored in requests
	Summary   string   `json:"summary"`
	Completed []string `json:"completed,omitempty"`
	Decisions []string `json:"decisions,omitempty"`
	Blockers  []string `json:"blockers,omitempty"`
	Next      []string `json:"next,omitempty"`
}

// Item is one work item.
type Item struct {
	ID      string `json:"id,omitempty"` // of the memory, if the store keeps it
	Section string `json:"section"`      // In Progress, Blocked, Not Started, What's Next, Completed, or a person's own
	Text    string `json:"text"`
	Done    bool   `json:"done"`
}

// State is the state of a project's work, and the result of a change of it.
type State struct {
	Project mem.Project `json:"project"`
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

	Progress  []Item     `json:"progress"`
	Decisions []Decision `json:"decisions"` // newest last
	Sessions  []Session  `json:"sessions"`  // newest last

	Changed    []string `json:"changed,omitempty"`    // files that were written, or ids of memories
	Candidates []string `json:"candidates,omitempty"` // items that match a completion equally well; nothing was changed
	Notes      []string `json:"notes,omitempty"`      // parts of the request that were not done, and why
}
