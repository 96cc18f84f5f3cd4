package mem

import (
	"context"
	"time"
)

// Day counts what happened since a point in time, usually the start of the day.
type Day struct {
	Since     time.Time `json:"since"`
	Sessions  int       `json:"sessions"` // active sessions
	Captured  int       `json:"captured"` // stored events
	Memories  int       `json:"memories"` // new memories without utterances
	Recalled  int       `json:"recalled"` // injections that contained an item
	Abstained int       `json:"abstained"`
	Tokens    int       `json:"tokens"` // injected
}

// SessionsRequest asks for sessions, last active first.
type SessionsRequest struct {
	Place
	Agent  string    `json:"agent,omitempty"`
	Branch string    `json:"branch,omitempty"` // a memory was made on it
	Since  time.Time `json:"since,omitzero"`   // last active at or after
	Until  time.Time `json:"until,omitzero"`   // last active before
	Limit  int       `json:"limit,omitempty"`  // 0 means DefaultLimit
	Offset int       `json:"offset,omitempty"`
}

// Sessions is one page of sessions, with totals for the filters.
type Sessions struct {
	Project  Project      `json:"project"`
	Sessions []SessionRow `json:"sessions"`
	Total    int          `json:"total"`    // sessions that pass the filter
	Agents   []Count      `json:"agents"`   // of sessions that pass without the agent filter
	Branches []Count      `json:"branches"` // of sessions that pass without the branch filter; the 50 most frequent
}

// SessionRow is one session of a list, with counts of its memories and injections.
type SessionRow struct {
	Session
	Memories int      `json:"memories"`           // active memories made in it, without utterances
	Files    int      `json:"files"`              // files of those memories
	Told     int      `json:"told"`               // injections that contained an item
	Spent    int      `json:"tokens"`             // tokens of those injections
	Branches []string `json:"branches,omitempty"` // on which a memory was made
}

// Count is a value and the number of its occurrences.
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
