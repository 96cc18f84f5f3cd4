package mem

import (
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

// SessionPage is one page of sessions, with totals for the filters.
type SessionPage struct {
	Sessions []SessionRow `json:"sessions"`
	Total    int          `json:"total"`    // sessions that pass the filter
	Agents   []Count      `json:"agents"`   // of sessions that pass without the agent filter
	Branches []Count      `json:"branches"` // of sessions that pass without the branch filter; the 50 most frequent
}

// SessionRow is one session of a list, with counts of its memories and injections.
type SessionRow struct {
	Session
	Memories       int      `json:"memories"`           // active memories made in it, without utterances
	Files          int      `json:"files"`              // files of those memories
	Injections     int      `json:"injections"`         // injections that contained an item
	InjectedTokens int      `json:"tokens"`             // tokens of those injections
	Branches       []string `json:"branches,omitempty"` // on which a memory was made
	Result         string   `json:"result,omitempty"`   // title of its summary; a store leaves it empty
}

// Count is a value and the number of its occurrences.
type Count struct {
	Value string `json:"value"`
	N     int    `json:"n"`
}
