package mem

import (
	"context"
	"time"
)

// Day counts what happened since its start.
type Day struct {
	Since     time.Time `json:"since"`
	Sessions  int       `json:"sessions"` // that were active
	Captured  int       `json:"captured"` // events kept
	Memories  int       `json:"memories"` // made, utterances apart
	Recalled  int       `json:"recalled"` // injections that told something
	Abstained int       `json:"abstained"`
	Tokens    int       `json:"tokens"` // told
}

// SessionsAsk asks for sessions, last active first.
type SessionsRequest struct {
	Place
	Agent  string    `json:"agent,omitempty"`
	Branch string    `json:"branch,omitempty"` // something was learned on it
	Since  time.Time `json:"since,omitzero"`   // active at or after
	Until  time.Time `json:"until,omitzero"`   // active before
	Limit  int       `json:"limit,omitempty"`  // 0 means DefaultLimit
	Offset int       `json:"offset,omitempty"`
}

// Sessions lists sessions and what came of each.
type Sessions struct {
	Project  Project      `json:"project"`
	Sessions []SessionRow `json:"sessions"`
	Total    int          `json:"total"`    // that the filter passes
	Agents   []Count      `json:"agents"`   // of the sessions that pass but for their agent
	Branches []Count      `json:"branches"` // of those that pass but for their branch; the 50 with the most sessions
}

// Sitting is a session and what came of it.
type SessionRow struct {
	Session
	Memories int      `json:"memories"`           // learned in it and active, utterances apart
	Files    int      `json:"files"`              // that those are about
	Told     int      `json:"told"`               // injections that told something
	Spent    int      `json:"tokens"`             // of those injections
	Branches []string `json:"branches,omitempty"` // on which something was learned
}

// Count is a value and how often it occurs.
type Count struct {
	Value string `json:"value"`
	N     int    `json:"n"`
}

// Browser is the ability of a store to be looked through by a person.
type Browser interface {
	// Sittings lists the sessions that pass, last active first, and counts them
	// all, their agents and their branches. Project is a key.
	Sittings(ctx context.Context, ask SessionsRequest) (Sessions, error)

	// Day counts what happened since, in a project or, with an empty key, in all.
	Day(ctx context.Context, project string, since time.Time) (Day, error)

	// CountEvents counts the stored events of a session, by the agent's id; erased
	// ones are left out.
	CountEvents(ctx context.Context, session string) (int, error)

	// Successor returns the id of the memory that replaced one; "" if none did.
	Successor(ctx context.Context, id string) (string, error)
}
