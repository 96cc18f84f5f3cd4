package mem

import (
	"context"
	"time"
)

// Projects are all that are known, last active first.
type Projects struct {
	Projects []Project `json:"projects"`
}

// Now is what a person wants to see first: what would be told next, how it
// stands, what happened last.
type Now struct {
	Overview
	Next Receipt `json:"next"` // as NextAsk answers
	// NextProject is where Next would be told: the one that is asked about, or
	// else the one that was last active.
	NextProject Project `json:"next_project"`

	Day    Day      `json:"day"`
	Recent []Moment `json:"recent"` // as FeedAsk answers
}

// FeedAsk asks what happened last.
type FeedAsk struct {
	Place
	Limit int `json:"limit,omitempty"` // 0 means 50; at most 200
}

// Recent lists moments, newest first: prompts, memories, injections that told
// something, ends of sessions.
type Recent struct {
	Entries []Moment `json:"entries"`
}

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
type SessionsAsk struct {
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
	Project  Project   `json:"project"`
	Sessions []Sitting `json:"sessions"`
	Total    int       `json:"total"`    // that the filter passes
	Agents   []Count   `json:"agents"`   // of the sessions that pass but for their agent
	Branches []Count   `json:"branches"` // of those that pass but for their branch; the 50 with the most sessions
}

// Sitting is a session and what came of it.
type Sitting struct {
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

// RecordAsk names one record by id or unique prefix.
type RecordAsk struct {
	ID string `json:"id"`
}

// SessionStory is what happened in a session, in order.
type SessionStory struct {
	Session  Sitting  `json:"session"`
	Activity Activity `json:"activity"`
	Beats    []Beat   `json:"beats"`         // oldest first
	Cut      int      `json:"cut,omitempty"` // older ones that were left out
	// Partial says that the agent's own record of it is gone.
	Partial bool `json:"partial,omitempty"`
}

// Activity counts what the newest events of a session were, as many as a story
// holds. Its notifications are among the session's own fields.
type Activity struct {
	Prompts int `json:"prompts"`
	Tools   int `json:"tools"`
	Gaps    int `json:"gaps"`   // times that nothing came for half an hour or more
	IdleS   int `json:"idle_s"` // seconds of those
}

// Beat is one thing that happened in a session.
type Beat struct {
	ID     string    `json:"id"` // of the record it stands for
	At     time.Time `json:"at"`
	Lane   string    `json:"lane"`
	Title  string    `json:"title"`
	Detail string    `json:"detail,omitempty"`
	Prompt int       `json:"prompt,omitempty"` // number of the prompt it belongs to, where known
	Failed bool      `json:"failed,omitempty"`
	TookMS int64     `json:"took_ms,omitempty"`
	Tokens int       `json:"tokens,omitempty"`
	Agent  string    `json:"agent_id,omitempty"` // the subagent it happened in
}

// The lanes of a session, in the order in which they are shown.
const (
	LanePrompt     = "prompt"
	LaneTool       = "tool"
	LaneEdit       = "edit"
	LaneTest       = "test"
	LaneCompaction = "compaction"
	LaneInjection  = "injection"
	LaneCheckpoint = "checkpoint"
	LaneMemory     = "memory"
)

// MemoryStory is one memory with all that is known of how it came, went and was used.
type MemoryStory struct {
	Memory     Memory    `json:"memory"`
	Provenance string    `json:"provenance"` // one sentence
	Session    *Session  `json:"session,omitempty"`
	Project    Project   `json:"project,omitzero"`
	Asked      string    `json:"asked,omitempty"` // the prompt of the turn it was learned in
	Stale      Freshness `json:"stale,omitempty"`
	Told       []Telling `json:"told"` // newest first
	Replaces   *Memory   `json:"replaces,omitempty"`
	ReplacedBy *Memory   `json:"replaced_by,omitempty"`
}

// Telling is one time that a memory was told.
type Telling struct {
	Receipt string    `json:"receipt"`
	Session string    `json:"session"` // short id, or the agent's where there is none
	At      time.Time `json:"at"`
	Trigger string    `json:"trigger"`
	Asked   string    `json:"asked,omitempty"`
	Rank    int       `json:"rank"`
	Score   float64   `json:"score"`
	Tokens  int       `json:"tokens"`
}

// Browser is the ability of a store to be looked through by a person.
type Browser interface {
	// Sittings lists the sessions that pass, last active first, and counts them
	// all, their agents and their branches. Project is a key.
	Sittings(ctx context.Context, ask SessionsAsk) (Sessions, error)

	// Day counts what happened since, in a project or, with an empty key, in all.
	Day(ctx context.Context, project string, since time.Time) (Day, error)

	// CountEvents counts the stored events of a session, by the agent's id; erased
	// ones are left out.
	CountEvents(ctx context.Context, session string) (int, error)

	// Successor returns the id of the memory that replaced one; "" if none did.
	Successor(ctx context.Context, id string) (string, error)
}
