package views

import (
	"time"

	"remanence/internal/continuity"
	"remanence/internal/curate"
	"remanence/internal/event"
	"remanence/internal/mem"
	"remanence/internal/recall"
)

// Records are whole records.
type ShowResponse struct {
	Memories []mem.Memory               `json:"memories"`
	Beside   map[string][]recall.Beside `json:"beside,omitempty"` // by id, the weightiest first
}

// TimelineAsk asks what lies around an anchor: an event, memory or session id,
// a file, a day, or "" for now.
type TimelineRequest struct {
	mem.Place
	Anchor  string `json:"anchor,omitempty"`
	Session string `json:"session,omitempty"`
	Around  int    `json:"around,omitempty"` // entries on each side; 0 means 10
}

// Timeline lists moments, oldest first.
type TimelineResponse struct {
	Anchor  string   `json:"anchor,omitempty"` // id of the entry it is centred on
	Entries []Moment `json:"entries"`
	More    bool     `json:"more,omitempty"` // than Around asked for was kept before or after
}

// Moment is one entry of a timeline.
type Moment struct {
	ID      string    `json:"id"` // of the memory, or of the event
	At      time.Time `json:"at"`
	Session string    `json:"session"` // short id
	What    string    `json:"what"`    // event kind or memory kind; "prompt", "injection", "session_end" from FeedAsk
	Title   string    `json:"title"`
	Files   []string  `json:"files,omitempty"`

	Project     string `json:"project,omitempty"` // key; this and what follows only from FeedAsk
	ProjectName string `json:"project_name,omitempty"`
	Tokens      int    `json:"tokens,omitempty"` // of an injection
	Count       int    `json:"count,omitempty"`  // items of an injection
}

// WhyAsk asks for a receipt: its id, or "last" or "" for the newest of the project.
type WhyRequest struct {
	mem.Place
	ID string `json:"id,omitempty"`
}

// Explained is a receipt and what became of its items.
type WhyResponse struct {
	Receipt mem.Receipt           `json:"receipt"`
	Short   string                `json:"session_short,omitempty"`
	States  map[string]mem.Status `json:"states,omitempty"` // of items, where not active any more
	Used    map[string]bool       `json:"used,omitempty"`   // items cited or fetched after they were told
	Later   *mem.Receipt          `json:"later,omitempty"`  // the newest one, if it is another and told nothing
	Weights mem.Weights           `json:"weights"`
}

// Health is how the worker does. What it counts, it counts since it started.
type Health struct {
	Since      time.Time `json:"since,omitzero"`
	Hooks      int64     `json:"hooks"`       // events answered
	HookErrors int64     `json:"hook_errors"` // events that could not be kept here
	// FailedInRow is how many of the newest events could not be kept here.
	FailedInRow int64 `json:"failed_in_row"`

	HookP50MS float64 `json:"hook_p50_ms"` // of the newest hooks, from their first statement to our answer
	HookP95MS float64 `json:"hook_p95_ms"`
	Private   int     `json:"private"` // private spans taken out
	Secrets   int     `json:"secrets"` // secrets taken out

	QueueDepth int     `json:"queue_depth"`
	OldestJobS float64 `json:"oldest_job_s"`
	DeadJobs   int     `json:"dead_jobs"`
	LastError  string  `json:"last_error,omitempty"`
}

// Overview is what a person wants to know at a glance.
type StatusResponse struct {
	Project mem.Project  `json:"project"`
	Stats   mem.Stats    `json:"stats"`
	Last    *mem.Session `json:"last_session,omitempty"`
	Told    *mem.Receipt `json:"last_told,omitempty"` // the newest injection that told something
	Pauses  []mem.Pause  `json:"pauses"`
	Health  Health       `json:"health"`
	// Review is what waits in the inbox; nil where nobody has looked yet.
	Review *curate.ReviewCounts `json:"review,omitempty"`
	// Context is that of Last; nil where nobody knows it.
	Context *continuity.Context `json:"context,omitempty"`
	// Embedding says how it stands with the vectors; nil where nobody wants any.
	Embedding *Embedding `json:"embedding,omitempty"`
	// Digest says how it stands with the digest by a model; nil where nobody wants one.
	Digest *event.Digesting `json:"digest,omitempty"`
}

// NextAsk asks what the next session of the place would be told, or, with a
// prompt, what that prompt would.
type NextRequest struct {
	mem.Place
	Prompt  string    `json:"prompt,omitempty"`
	Before  time.Time `json:"before,omitzero"`   // the prompt is told only what was made before; the zero time means all
	Session string    `json:"session,omitempty"` // that the prompt would be given in, by id; "" means a new one
	Budget  int       `json:"budget,omitempty"`  // tokens; 0 means the configured one
	Source  string    `json:"source,omitempty"`  // as SessionStart; "" means startup
	Without []string  `json:"without,omitempty"` // as SearchAsk, of what the prompt recalls
}
