package views

import (
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/rank"
	"remanence/internal/recall"
)

// ShowResponse contains whole memories.
type ShowResponse struct {
	Memories []mem.Memory                     `json:"memories"`
	More     bool                             `json:"more,omitempty"`
	Links    map[string][]recall.LinkedMemory `json:"links,omitempty"` // by ID of the memory, strongest first
}

// TimelineRequest asks for the entries around an anchor: a memory or session ID, a file, a day, or ""
// for now.
type TimelineRequest struct {
	mem.ProjectRef
	Anchor  string `json:"anchor,omitempty"`
	Session string `json:"session,omitempty"`
	Around  int    `json:"around,omitempty"` // entries on each side; 0 means 10
}

// TimelineResponse lists entries, oldest first.
type TimelineResponse struct {
	Anchor  string          `json:"anchor,omitempty"` // ID of the entry it is centered on
	Entries []TimelineEntry `json:"entries"`
	More    bool            `json:"more,omitempty"` // there are more entries before or after
}

// TimelineEntry is one entry of a timeline.
type TimelineEntry struct {
	ID      string    `json:"id"` // of the memory or the event
	At      time.Time `json:"at"`
	Session string    `json:"session"` // short ID
	What    string    `json:"what"`    // event kind or memory kind; "prompt", "injection", "session_end" from FeedRequest
	Title   string    `json:"title"`
	Files   []string  `json:"files,omitempty"`

	Project     string `json:"project,omitempty"` // key; this and the following fields only from FeedRequest
	ProjectName string `json:"project_name,omitempty"`
	Tokens      int    `json:"tokens,omitempty"` // of an injection
	Count       int    `json:"count,omitempty"`  // items of an injection
}

// WhyRequest asks for a receipt by ID; "last" or "" means the newest of the project.
type WhyRequest struct {
	mem.ProjectRef
	ID string `json:"id,omitempty"`
}

// WhyResponse is a receipt and the current state of its items.
type WhyResponse struct {
	Receipt mem.Receipt           `json:"receipt"`
	Short   string                `json:"session_short,omitempty"`
	States  map[string]mem.Status `json:"states,omitempty"` // of items that are not active any more
	Used    map[string]bool       `json:"used,omitempty"`   // items cited or fetched after the injection
	Agents  map[string]string     `json:"agents,omitempty"` // by item, the other agent that learned it
	Later   *mem.Receipt          `json:"later,omitempty"`  // the newest receipt, if it is newer and injected nothing
	Weights rank.Weights          `json:"weights"`
}

// Health describes how the daemon works. Its counters start with the daemon.
type Health struct {
	Since      time.Time `json:"since,omitzero"`
	Hooks      int64     `json:"hooks"`       // events answered
	HookErrors int64     `json:"hook_errors"` // events that could not be stored
	// HookTimeouts counts events whose hook stopped waiting. The hook spools them, and they are stored later.
	HookTimeouts int64 `json:"hook_timeouts"`
	// FailedInRow counts the newest events that could not be stored.
	FailedInRow int64 `json:"failed_in_row"`

	HookP50MS float64 `json:"hook_p50_ms"` // milliseconds, of the newest hooks, from the start of the process to the reply
	HookP95MS float64 `json:"hook_p95_ms"`
	Private   int     `json:"private"` // private spans redacted
	Secrets   int     `json:"secrets"` // secrets redacted

	QueueDepth int     `json:"queue_depth"`
	OldestJobS float64 `json:"oldest_job_s"`
	DeadJobs   int     `json:"dead_jobs"`
	LastError  string  `json:"last_error,omitempty"`
}

// StatusResponse is the state of a project and of the daemon.
type StatusResponse struct {
	Project       mem.Project  `json:"project"`
	Stats         mem.Stats    `json:"stats"`
	Last          *mem.Session `json:"last_session,omitempty"`
	LastInjection *mem.Receipt `json:"last_injection,omitempty"` // the newest receipt with an injection
	Pauses        []mem.Pause  `json:"pauses"`
	Health        Health       `json:"health"`
	// Review is the size of the review queue; nil if it was not counted yet.
	Review *curate.ReviewCounts `json:"review,omitempty"`
	// Context is the context usage of Last; nil if unknown.
	Context *continuity.ContextUsage `json:"context,omitempty"`
	// Embedding is the state of the vectors; nil if none are configured.
	Embedding *Embedding `json:"embedding,omitempty"`
	// Team is the state of what is shared with a team's server; nil if none is configured.
	Team *mem.TeamState `json:"team,omitempty"`
	// Digest is the state of the digest model; nil if none is configured.
	Digest *event.Digesting `json:"digest,omitempty"`
	// Backfill is the backfill that runs, was given up, or ended within the last minute; nil if there is none.
	Backfill *event.Backfill `json:"backfill,omitempty"`
}

// NextRequest previews the briefing of the next session, or with Prompt the recall for a prompt.
type NextRequest struct {
	mem.ProjectRef
	Prompt  string    `json:"prompt,omitempty"`
	Before  time.Time `json:"before,omitzero"`   // only memories created before; zero means all
	Session string    `json:"session,omitempty"` // session of the prompt, by ID; "" means a new one
	Budget  int       `json:"budget,omitempty"`  // tokens; 0 means the configured one
	Source  string    `json:"source,omitempty"`  // as SessionStart; "" means startup
	Without []string  `json:"without,omitempty"` // as in SearchRequest, for the recall
}
